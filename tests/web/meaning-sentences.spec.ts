// Chapter "Meaning", an encoder of the visitor's: its sentences as points, their cosines and the tokens that pooling
// uses, against PyTorch's vectors (tests/golden/make_encoders.py).
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { expectAccessible } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { expectFits } from './lessons.ts';
import { message } from './messages.ts';
import { open } from './reach.ts';

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });

const at = (path: string) => fileURLToPath(new URL(`../golden/${path}`, import.meta.url));
const { sentences } = JSON.parse(readFileSync(at('word_pieces.json'), 'utf8')) as {
  sentences: string[];
};
/** The sentences that the page keeps: it skips empty lines. */
const kept = sentences.map((_, n) => n).filter((n) => sentences[n] !== '');
const width = 16;

const figure = (page: Page) => page.locator('#sentences');
async function give(page: Page, name: string) {
  await figure(page)
    .locator(`[data-choose="${name.endsWith('.gguf') ? 'files' : 'folder'}"]`)
    .setInputFiles(at(`models/${name}`));
  await expect(figure(page).locator('[data-sentences="open"]')).toBeVisible();
}
async function type(page: Page) {
  const field = page.getByLabel(message('meaning-sentences.field'));
  await field.fill(kept.map((n) => sentences[n]).join('\n'));
  await field.blur();
  await expect(figure(page).locator('[data-sentence]')).toHaveCount(kept.length);
  await expect(page.locator('html[data-asking]')).toHaveCount(0);
}
const numbers = (page: Page, of: string, name: string) =>
  figure(page)
    .locator(of)
    .evaluateAll((all, key) => all.map((one) => Number((one as HTMLElement).dataset[key])), name);

/** PyTorch's vectors, little-endian float32 after a header (NumPy's format, version 1). */
function rowsOf(name: string): number[][] {
  const file = readFileSync(at(`models/${name}/sentences.npy`));
  const values = new Float32Array(new Uint8Array(file.subarray(10 + file.readUInt16LE(8))).buffer);
  return kept.map((n) => [...values.slice(n * width, (n + 1) * width)]);
}
const dot = (a: number[], b: number[]) => a.reduce((sum, x, i) => sum + x * b[i], 0);

for (const given of ['minilm', 'bge', 'bge.gguf']) {
  test(`an encoder is opened, and its numbers are PyTorch’s: ${given}`, async ({ page }) => {
    const name = given.replace('.gguf', '');
    test.setTimeout(120_000);
    await open(page, 'meaning');
    await figure(page).scrollIntoViewIfNeeded();
    await expect(figure(page).locator('.drop')).toBeVisible();
    await give(page, given);
    await expect(figure(page).locator('[data-sentence]')).toHaveCount(8);
    await type(page);
    // Vectors of a GGUF file have length 1.
    const lengths = rowsOf(name).map((row) => (given === name ? 1 : Math.sqrt(dot(row, row))));
    const rows = rowsOf(name).map((row, n) => row.map((one) => one / lengths[n]));
    const found = await numbers(page, '[data-cosine]', 'cosine');
    const cosines = rows.flatMap((a) =>
      rows.map((b) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))),
    );
    expect(found).toHaveLength(cosines.length);
    found.forEach((cosine, i) => expect(Math.abs(cosine - cosines[i])).toBeLessThan(1e-4));

    // Two directions hold at most all of a distance, and together the displayed share.
    const [x, y] = [
      await numbers(page, '[data-point]', 'x'),
      await numbers(page, '[data-point]', 'y'),
    ];
    const middle = rows[0].map((_, i) => rows.reduce((sum, row) => sum + row[i], 0) / rows.length);
    const apart = rows.map((row) => row.map((one, i) => one - middle[i]));
    const all = apart.reduce((sum, row) => sum + dot(row, row), 0);
    apart.forEach((row, n) =>
      expect(Math.hypot(x[n], y[n])).toBeLessThan(Math.sqrt(dot(row, row)) + 1e-4),
    );
    const [share] = await numbers(page, '[data-share]', 'share');
    const held = x.reduce((sum, one, n) => sum + one * one + y[n] * y[n], 0) / all;
    expect(Math.abs(share - held)).toBeLessThan(1e-3);

    const shares = await numbers(page, '[data-token]', 'token');
    expect(Math.abs(shares.reduce((sum, one) => sum + one) - 1)).toBeLessThan(1e-4);
    if (name === 'bge') expect(shares.slice(0, 2)).toEqual([1, 0]);
    await figure(page).locator('[data-sentence="3"]').click();
    await expect(figure(page).locator('[data-point="3"]')).toHaveClass(/lit/);
    await expect(figure(page).locator('[data-token]')).toHaveCount(5);
    await expectFits(page);
    await expectAccessible(page);
  });
}

test('a language model is refused, and an encoder opens behind it', async ({ page }) => {
  test.setTimeout(120_000);
  await open(page, 'meaning');
  await figure(page).scrollIntoViewIfNeeded();
  await figure(page).locator('[data-choose="folder"]').setInputFiles(at('models/gpt2'));
  await expect(figure(page).locator('[data-sentences="failed"]')).toContainText(
    'is of a language model of the family gpt2',
  );
  await give(page, 'minilm');
  await expect(figure(page).locator('[data-point]')).toHaveCount(8);
});
