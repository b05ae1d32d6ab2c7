// Chapter "Check": PyTorch's examples within their limits, the kinds of files, and unreadable files.
import { expectAnswer } from './asks.ts';
import { fileURLToPath } from 'node:url';
import type { Tensor } from 'tril';
import { expectAccessible } from './axe.ts';
import { file, golden, heads, test, type Files } from './check-case.ts';
import { expect } from './fixtures.ts';
import { expectFits } from './lessons.ts';
import { message, messagePattern, valuesIn } from './messages.ts';
import { tril } from './oracle.ts';
import { computed } from './reach.ts';
import { saved } from './saved.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

test('PyTorch’s examples are within their limits here', async ({ open, page }) => {
  const core = await tril();
  await open({ example: 'softmax' });
  await expect(page.locator('[data-all]')).toHaveAttribute('data-all', '10', {
    timeout: 60_000,
  });
  await expect(page.locator('[data-passed="true"]')).toHaveCount(10);
  for (const one of await page.locator('[data-example] [data-frobenius]').all()) {
    const norm = Number(await one.getAttribute('data-frobenius'));
    expect(norm).toBeGreaterThan(0);
    expect(norm).toBeLessThan(1e-5);
  }
  // The same example in Node: inputs from the seed, softmax, the norm of the difference.
  const x = core.randomNormal([1, 1, 40, 8], { seed: 303 });
  const { weights } = core.attention(x, x, x, { causal: true, trace: true }).trace;
  const [{ tensor }] = await core.readArrays(golden('efficient/weights'));
  const { frobenius } = core.compare(tensor, core.tensor([40, 40], weights.read()));
  const shown = page.locator('[data-example="softmax"] [data-frobenius]');
  const norm = Number(await shown.getAttribute('data-frobenius'));
  expect(norm / frobenius).toBeGreaterThan(0.5);
  expect(norm / frobenius).toBeLessThan(2);
  await expect(page.locator('[data-heat="proof"]')).toBeVisible();
  // The text names the current cell's position in the tensor, and both numbers.
  await page.locator('[data-heat="proof"] [role="grid"]').focus();
  await page.keyboard.press('ArrowDown');
  const said = page.locator('[data-figure="proof"] [data-at]');
  await expect(said).toContainText(messagePattern('check.proof.at', { place: '[2, 1]' }));
  const { expected: stored } = valuesIn('check.proof.at', (await said.textContent())!)!;
  expect(Math.fround(Number(stored))).toBe(tensor.read()[40]);
  await page.getByRole('button', { name: message('check.proof.names.gelu') }).click();
  await expect(page).toHaveURL(/example=gelu/);
  await expect(page.locator('[data-figure="proof"] h2')).toHaveText(
    message('check.proof.names.gelu'),
  );
});

test('reads .npz, .safetensors, .json and .csv', async ({ open, page }) => {
  const core = await tril();
  const [q, k, v] = [1, 2, 3].map((seed) => core.randomNormal([5, 4], { seed }));
  const expected = core.attention(q, k, v, { causal: true }).output;
  const all = { q, k, v, expected };
  const csv = (tensor: Tensor) =>
    tensor
      .toArray<number[][]>()
      .map((row) => row.join(','))
      .join('\n');
  const nested = Object.fromEntries(
    Object.entries(all).map(([name, tensor]) => [name, tensor.toArray()]),
  );
  const kinds: Record<string, Files[]> = {
    npz: [file('case.npz', core.writeNpz(all))],
    safetensors: [file('case.safetensors', core.writeSafetensors(all))],
    json: [file('case.json', JSON.stringify(nested))],
    csv: Object.entries(all).map(([name, tensor]) => file(`${name}.csv`, csv(tensor))),
  };
  for (const files of Object.values(kinds)) {
    await open();
    await page.locator('input[type=file]').setInputFiles(files);
    await expect(page.locator('[data-tensor]')).toHaveCount(4);
    await expect(page.locator('[data-verdict="equal"]')).toBeVisible();
  }
});

test('says what cannot be read, and what is missing or does not fit', async ({ open, page }) => {
  const core = await tril();
  const { q, k, v } = heads(core);
  await open();
  const field = page.locator('input[type=file]');
  await field.setInputFiles([
    file('q.npy', core.writeNpy(q).subarray(0, 200)),
    file('k.csv', '1,2\n3'),
    file('v.json', '[[1, "two"]]'),
    file('photo.png', 'PNG'),
    file('model.pt', 'PK'),
    file('model.pt', 'PK'),
    file('good.npy', core.writeNpy(v)),
  ]);
  for (const name of ['q.npy', 'k.csv', 'v.json', 'photo.png']) {
    const message = page.locator(`[data-unread="${name}"]`);
    await expect(message).toBeVisible();
    expect((await message.textContent())!.length).toBeGreaterThan(name.length + 12);
  }
  await expect(page.locator('[data-unread="model.pt"]').first()).toContainText(
    message('check.own.pickled'),
  );
  await expect(page.locator('[data-missing]')).toHaveAttribute('data-missing', 'q,k,v');
  const other = core.randomNormal([2, 3, 6, 4], { seed: 1 });
  await field.setInputFiles([
    file('q.npy', core.writeNpy(q)),
    file('k.npy', core.writeNpy(k)),
    file('v.npy', core.writeNpy(other)),
  ]);
  await expect(page.locator('[data-failure]')).toContainText('value');
  await expect(page.locator('[data-unread]')).toHaveCount(0);
  // The next file works.
  await field.setInputFiles(file('v.npy', core.writeNpy(v)));
  await expect(page.locator('[data-failure]')).toHaveCount(0);
  await expect(page.locator('[data-verdict="none"]')).toBeVisible();
  await field.setInputFiles(file('expected.npy', core.writeNpy(other)));
  await expect(page.locator('[data-verdict="otherShape"]')).toContainText('2 × 3 × 6 × 4');
  await page
    .getByRole('combobox', { name: message('check.own.files.roleOf', { name: 'expected' }) })
    .selectOption('');
  await expect(page.locator('[data-verdict="none"]')).toBeVisible();
  // The role can be given to another tensor by hand.
  await page
    .getByRole('combobox', { name: message('check.own.files.roleOf', { name: 'good' }) })
    .selectOption('expected');
  await expect(page.locator('[data-verdict="unknown"]')).toBeVisible();
});

test('a sample with a mistake, its files, and the question', async ({ open, page }) => {
  const core = await tril();
  await open({ sample: 'zerosForMask', seed: '4' });
  await expect(page.locator('[data-suspect]').first()).toHaveAttribute(
    'data-suspect',
    'zerosForMask',
  );
  const { name, content } = await saved(page, page, 'q.npy');
  expect(name).toBe('q.npy');
  const [stored] = await core.readArrays(content);
  expect(stored.shape).toEqual([1, 2, 10, 8]);
  const all = core.randomNormal([3, 1, 2, 10, 8], { seed: 4 }).read();
  expect(stored.tensor.read()).toEqual(all.slice(0, 160));
  const ask = page.locator('#own .ask');
  await ask.getByRole('button', { name: message('check.ask.choices.first') }).click();
  await expectAnswer(ask, 'right', message('check.ask.because.noScale'));
});

test('a surprise waits for a guess before its verdict', async ({ open, page }) => {
  await open();
  await page.getByRole('button', { name: message('check.own.surprise') }).click();
  const ask = page.locator('#own .ask').filter({ hasText: message('check.own.guess') });
  await expect(ask.locator('.chips .chip')).toHaveCount(4);
  await expect(page.locator('[data-verdict], [data-suspect]')).toHaveCount(0);
  const sample = new URLSearchParams(page.url().split('?').pop()).get('sample')!;
  await ask.locator('.chips .chip').first().click();
  await expect(page.locator('[data-verdict="mistake"]')).toBeVisible();
  await expect(page.locator(`[data-suspect="${sample}"][data-matches="true"]`)).toBeVisible();
  await expect(ask.locator('[data-answer]')).toContainText(
    new RegExp(
      ['guessed', 'notGuessed'].map((key) => messagePattern(`check.own.${key}`).source).join('|'),
      'u',
    ),
  );
  await page.getByRole('button', { name: message('check.own.surprise') }).click();
  await expect(page.locator('[data-verdict], [data-suspect]')).toHaveCount(0);
  await page
    .locator('#own')
    .getByRole('button', { name: message('figures.ask.skip'), exact: true })
    .click();
  await expect(page.locator('[data-verdict="mistake"]')).toBeVisible();
});

test('fits any width, has no accessibility faults, and says what of a link is broken', async ({
  open,
  page,
}) => {
  await open({ sample: 'noScale', example: 'singular' });
  await page.locator('[data-verdict="mistake"]').waitFor();
  await expectFits(page);
  await open({ example: 'nonsense', sample: 'noMask' });
  await expect(page.getByText('example=nonsense')).toBeVisible();
  await page.locator('[data-verdict="mistake"]').waitFor();
  await page.locator('[data-heat="proof"]').waitFor();
  await expectAccessible(page);
});

test('a file that misses where files are dropped leaves the page as it is', async ({ page }) => {
  for (const chapter of ['check/', 'attend/', 'model/']) {
    await page.goto(`./${chapter}`);
    await computed(page);
    const session = await page.context().newCDPSession(page);
    const data = { items: [], files: [fileURLToPath(import.meta.url)], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await session.send('Input.dispatchDragEvent', { type, x: 700, y: 160, data });
    }
    await session.detach();
    // A page that has been left answers no question.
    await expect(page.locator('main h1')).toBeVisible();
    expect(new URL(page.url()).protocol).toBe('http:');
  }
});
