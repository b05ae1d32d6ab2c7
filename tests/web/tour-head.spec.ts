// The head that is trained at the end of the tour, against Node: its answers, also with heads off; stored, named by its
// hash and opened as a model. And the heads' birth.
import type { Page } from '@playwright/test';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { loadTril } from 'tril/training';
import { expectedOf } from '../../web/src/tour/nonsense.ts';
import { expect, test } from './fixtures.ts';
import { message } from './messages.ts';
import { chancesOf, hashOf, trained } from './oracles/born.ts';
import { tokensOf } from './oracles/letters.ts';
import { sameModule, variantOf } from './same-module.ts';
import { weekly } from './weekly.ts';

/** The head that the page has stored. */
const keptHead = (page: Page) =>
  page.evaluate(() => {
    const { seed, hash, weights } = JSON.parse(localStorage.getItem('tril.head')!) as Record<
      string,
      string
    >;
    return { seed, hash, weights: Array.from(atob(weights), (one) => one.charCodeAt(0)) };
  });

/** The number of frames of an animated picture, and its duration in seconds. */
const durationOf = (page: Page, gif: Buffer) =>
  page.evaluate(async (text) => {
    const data = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const decoder = new ImageDecoder({ data, type: 'image/gif' });
    await decoder.tracks.ready;
    const pictures = decoder.tracks.selectedTrack!.frameCount;
    let lasts = 0;
    for (let frameIndex = 0; frameIndex < pictures; ++frameIndex)
      lasts += (await decoder.decode({ frameIndex })).image.duration! / 1e6;
    return { pictures, lasts };
  }, gif.toString('base64'));

test('a head is trained, asked, kept, named by its hash, and opened as a model', async ({
  page,
}) => {
  test.setTimeout(240_000);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto('./tour/#?at=4&seed=3');
  await page.locator('[data-training="ready"] .go').click();
  const answer = page.locator('[data-says]');
  await expect(answer).toHaveAttribute('data-share', /\d/u, { timeout: 180_000 });
  const head = await keptHead(page);
  expect(head.seed).toBe(3);
  expect(head.hash).toMatch(/^[0-9a-f]{8}$/u);

  const tril = await sameModule(await variantOf(page));
  const { trainer } = trained(tril, 'induction', 3);
  expect(hashOf(trainer)).toBe(head.hash);
  const weights = Uint8Array.from(head.weights);
  expect(createHash('sha256').update(weights).digest('hex').slice(0, 8)).toBe(head.hash);
  const field = page.locator('[data-try] input');
  const expectAnswer = async (say: string, off: readonly number[]) => {
    const { tokens, letters } = tokensOf(say);
    const chances = chancesOf(tril, trainer, tokens, off);
    const most = Math.max(...chances);
    await expect
      .poll(async () => Math.abs(Number(await answer.getAttribute('data-share')) - most))
      .toBeLessThan(2e-3);
    const letter = letters[chances.indexOf(most)];
    if (letter) await expect(answer).toHaveAttribute('data-says', letter);
    return letter;
  };
  expect(await expectAnswer('zubaflo zubaf', [])).toBe('l');
  for (const head of [0, 1, 2, 3]) {
    await page.locator(`[data-off="${head}"]`).click();
    await expectAnswer('zubaflo zubaf', [head]);
    await page.locator(`[data-off="${head}"]`).click();
  }
  // The effect of each head, once one has been switched off, equals Node's.
  const { tokens, letters } = tokensOf('zubaflo zubaf');
  const without = [0, 1, 2, 3].map((off) => chancesOf(tril, trainer, tokens, [off]));
  const shares = without.map((chances) => chances[letters.indexOf('l')]);
  for (const [i, share] of shares.entries()) {
    const said = page.locator('[data-without]').nth(i);
    expect(Math.abs(Number(await said.getAttribute('data-without')) - share)).toBeLessThan(2e-3);
  }
  const needed = without.flatMap((chances, i) =>
    letters[chances.indexOf(Math.max(...chances))] === 'l' ? [] : [i],
  );
  await expect(page.locator('[data-needed]')).toHaveAttribute('data-needed', needed.join(' '));
  await expect(page.locator('[data-verdict="right"]')).toBeVisible();
  // Its birth, as an animated picture of twelve seconds.
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: message('tour.train.picture') }).click();
  const birth = await readFile(await (await download).path());
  const { pictures, lasts } = await durationOf(page, birth);
  expect(pictures).toBeGreaterThan(50);
  expect(Math.abs(lasts - 12)).toBeLessThan(0.1);
  await field.fill('wugosni wug');
  expect(await expectAnswer('wugosni wug', [])).toBe('o');
  await field.fill('');
  await expect(page.locator('[data-try] .answer')).toHaveText(message('tour.train.short'));
  await field.fill('ab');
  await expect(page.locator('[data-try] .answer')).toContainText(message('tour.train.fresh'));

  // The head is there when the visitor comes back, and a link with its hash is recognised.
  await page.goto('about:blank');
  await page.goto(`./tour/#?at=4&seed=3&is=${head.hash}`);
  await expect(page.locator('[data-try]')).toContainText(message('tour.train.kept'));
  await expectAnswer('zubaflo zubaf', []);
  await expect(page.locator('[data-same="true"]')).toBeVisible();

  await page.getByRole('button', { name: message('tour.train.model') }).click();
  await expect(page).toHaveURL(/model\/#\?text=0/u);
  await expect(page.locator('[data-figure="own-model"]')).toHaveAttribute('data-model', 'open');
});

test('what should come next is what came after the longest ending that stood earlier', () => {
  const letters = (say: string) => expectedOf(say)?.letters.join('') ?? null;
  expect(letters('zubaflo zubaf')).toBe('l');
  expect(letters('moritz lives moritz li')).toBe('v');
  expect(letters('Anna Ann')).toBe('a');
  expect(letters('the cat saw the dog chase the ca')).toBe('t');
  expect(letters('xaxbx')).toBe('ab');
  expect(['', 'a', 'hero', 'ab'].map(letters)).toEqual([null, null, null, null]);
  expect(expectedOf('zubaflo zubaf')!.isUsual).toBe(true);
  expect(expectedOf('anna ann')!.isUsual).toBe(false);
});

test('a link to a head says what it is before it is trained', async ({ page }) => {
  await page.goto('./tour/#?at=4&seed=3&is=0123abcd');
  await expect(page.locator('.promised')).toHaveText(message('tour.train.again'));
});

for (const seed of [1, 2, 3, 4, 5]) {
  test(`a head is born of seed ${seed}`, weekly(String(seed), ['1', '2']), async () => {
    const { heads, loss } = trained(await loadTril(), 'induction', seed).frames.at(-1)!;
    expect(Math.max(...heads.map((one) => one.copy))).toBeGreaterThan(0.5);
    expect(loss).toBeLessThan(0.3);
  });
}

test('what is kept is not believed blindly', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const kept of ['', '{', '[]', '{"seed":1,"hash":"x","config":"{}","weights":"?"}']) {
    await page.addInitScript((text) => {
      if (location.protocol.startsWith('http')) localStorage.setItem('tril.head', text);
    }, kept);
    await page.goto('about:blank');
    await page.goto('./tour/');
    await page.locator('[data-training="ready"]').waitFor();
    await expect(page.locator('[data-try]')).toHaveCount(0);
  }
});
