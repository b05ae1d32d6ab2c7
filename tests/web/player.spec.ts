// Stepping, playing, scrubbing; the question before the answer; cost; taking it along.
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { expect, test } from './fixtures.ts';

const order = ['x', 'q', 'k', 'v', 'scores', 'scaled', 'masked', 'weights', 'output'];

test('steps by buttons and keys', async ({ attend, page }) => {
  await attend.open();
  const stage = page.locator('.stage');
  await expect(page.getByRole('button', { name: 'Step back' })).toBeDisabled();
  await page.getByRole('button', { name: 'Step on' }).click();
  await expect(stage).toHaveAttribute('data-step', 'q');
  await page.locator('h1').click();
  for (const step of order.slice(2)) {
    await page.keyboard.press('ArrowRight');
    await expect(stage).toHaveAttribute('data-step', step);
  }
  await expect(page.getByRole('button', { name: 'Step on' })).toBeDisabled();
  await page.getByRole('button', { name: /^9\. / }).focus();
  await page.keyboard.press('Home');
  await expect(stage).toHaveAttribute('data-step', 'x');
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('button', { name: '2. Q' })).toBeFocused();
});

test('plays: the first cell first, then all, then the next step; any step stops it', async ({
  attend,
  page,
}) => {
  await attend.open({ step: 'masked' });
  await page.getByRole('button', { name: 'Play from here' }).click();
  const waiting = attend.matrix('masked').locator('.waiting');
  await expect(waiting).toHaveCount(63);
  await expect(attend.why).toContainText('masked[the₁, the₁]');
  await expect(waiting).toHaveCount(0);
  await expect(page.locator('.stage')).toHaveAttribute('data-step', 'weights');
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(attend.matrix('weights').locator('.waiting')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Play from here' })).toBeVisible();
});

test.describe('with reduced motion', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } });
  test('nothing is drawn piece by piece', async ({ attend, page }) => {
    await attend.open({ step: 'scores' });
    await page.getByRole('button', { name: 'Play from here' }).click();
    await expect(attend.why).toContainText('scores[the₁, the₁]');
    await expect(attend.matrix('scores').locator('.waiting')).toHaveCount(0);
  });
});

test("predict, then see: the answer is the weights'", async ({ attend, page }) => {
  await attend.open();
  const ask = page.getByRole('region', { name: 'Before you look' });
  await expect(ask).toContainText('“cat₈”');
  await expect(ask.locator('[data-answer]')).toHaveCount(0);
  await ask.getByRole('button', { name: 'chase' }).click();
  await expect(ask).toContainText('Not quite.');
  await ask.getByRole('button', { name: 'the₇' }).click();
  await expect(ask).toContainText('Yes.');
  await ask.getByRole('button', { name: 'See it' }).click();
  await expect(page).toHaveURL(/step=weights&pin=weights\.7\.6/);
  const answer = await ask.locator('[data-answer]').textContent();
  await expect(attend.cell('weights', 7, 6)).toHaveText(answer!);
  await page.getByRole('button', { name: 'Average of the past' }).click();
  await expect(ask.locator('[data-answer]')).toHaveCount(0);
  await ask.getByRole('button', { name: 'all alike' }).click();
  await expect(ask).toContainText('Yes.');
  await ask.getByRole('button', { name: 'Another' }).click();
  await expect(ask.locator('[data-answer]')).toHaveCount(0);
});

test('says where it was computed, and what it cost', async ({ attend, page }) => {
  await attend.open();
  await expect(page.locator('[data-variant]')).toContainText(
    /Computed here, on your machine, by tril \((simd|relaxed)\) in [\d.]+ (ms|µs)/,
  );
  // 2 * 8 * 8 * (6 + 6) operations; 4 * 8 * (6 + 6 + 6 + 6) bytes.
  await expect(page.locator('footer')).toContainText(/1\u2009536\s+flop · 768\s+B · 2\s+flop\/B/);
  await expect(page.locator('[data-measured]')).toHaveText(/^[\d.]+ (ms|µs)$/);
});

test.describe('taking it along', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

  /** A Python that has the module, where there is one. */
  const python = (module: string) =>
    ['python3', '/usr/bin/python3'].find(
      (program) => spawnSync(program, ['-c', `import ${module}`]).status === 0,
    );

  for (const [button, module] of [
    ['NumPy', 'numpy'],
    ['PyTorch', 'torch'],
  ]) {
    test(`${button} code holds all inputs and reproduces the digits`, async ({ attend, page }) => {
      await attend.open({ edits: 'wq~0~7~2.5', text: 'the “cat” — 🙂 saw' });
      await page.getByRole('button', { name: button }).click();
      await expect(page.getByText('Copied')).toBeVisible();
      const code = await page.evaluate(() => navigator.clipboard.readText());
      for (const name of ['X', 'W_Q', 'W_K', 'W_V', 'expected'])
        expect(code).toContain(`${name} = `);
      expect(code).toContain('2.5');
      const program = python(module);
      test.skip(!program, `${module} is not installed: the code is not run`);
      const run = spawnSync(program!, ['-c', code], { encoding: 'utf8' });
      expect(run.stderr).toBe('');
      const difference = Number(/largest difference: (\S+)/.exec(run.stdout)?.[1]);
      expect(difference).toBeLessThan(2e-6);
    });
  }

  test('an SVG file holds the numbers as they are drawn', async ({ attend, page }) => {
    await attend.open({ step: 'weights', text: 'a <b> & c' });
    const drawn = await attend.drawn('weights');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'SVG' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('tril-weights.svg');
    const source = await readFile(await file.path(), 'utf8');
    const texts = await page.evaluate((svg) => {
      const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
      if (parsed.querySelector('parsererror')) throw new Error('not well-formed');
      const numbers = parsed.querySelectorAll('[data-matrix="weights"] text');
      return Array.from(numbers, (text) => text.textContent);
    }, source);
    expect(texts).toEqual(drawn.flat().map(({ text }) => text));
  });

  test('a link is copied', async ({ attend, page }) => {
    await attend.open({ head: 'first' });
    await page.getByRole('button', { name: 'Link' }).click();
    await expect(page.getByText('Copied')).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
  });
});
