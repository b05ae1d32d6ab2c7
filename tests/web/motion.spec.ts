// Motions that explain: what a frame shows is read back and compared with the core's own numbers in Node.
import type { Locator } from '@playwright/test';
import { expect, test as base } from './fixtures.ts';
import { Lesson } from './lessons.ts';
import { chapter, contentOf, idsOf } from './oracle.ts';

const test = base.extend<{ lesson: Lesson }>({
  lesson: async ({ page }, use) => use(new Lesson(page, 'attend')),
});
const tokens = ['the', 'cat', 'saw', 'the', 'dog', 'chase', 'the', 'cat'];
const matrices = (head: 'previous' | 'average') =>
  chapter({ content: idsOf(tokens).map(contentOf), head, causal: true, tokens: true });
/** Variants of the core may round otherwise; a picture is laid out in hundredths of a pixel. */
const rounding = 64 * 2 ** -24;
const pixels = 0.02;

/** Rectangles that have an attribute, by its value. */
async function boxes(figure: Locator, attribute: string) {
  const all = await figure.locator(`[${attribute}]`).evaluateAll(
    (found, name) =>
      found.map((one) => {
        const rect = (one.matches('rect') ? one : one.querySelector('rect'))! as SVGRectElement;
        const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((side) =>
          Number(rect.getAttribute(side)),
        );
        return [one.getAttribute(name)!, { x, y, width, height }] as const;
      }),
    attribute,
  );
  return new Map(all);
}

/** Scrubs to a frame, and waits until it is drawn. */
async function show(motion: Locator, frame: string | number): Promise<void> {
  await motion.getByRole('slider').fill(String(frame));
  await motion.locator(`[data-frame="${frame}"]`).waitFor();
}

test('a row and a column meet pair by pair, and their products end at the score', async ({
  lesson,
  page,
}) => {
  const { q, k, scores } = await matrices('previous');
  const [row, col, depth] = [2, 6, q[0].length];
  await lesson.open({ step: 'scores', pin: `scores.${row}.${col}` });
  await page.getByRole('button', { name: 'See the crossing' }).click();
  const motion = page.locator('[data-motion="cross"]');

  // At the second stop both have come to the crossing: their last entries lie on one place, the others a cell apart.
  await show(motion, '24');
  const meeting = await boxes(motion, 'data-entry');
  expect(meeting.size).toBe(2 * depth);
  const [left, above] = [meeting.get(`q ${depth - 1}`)!, meeting.get(`k ${depth - 1}`)!];
  expect(Math.hypot(left.x - above.x, left.y - above.y)).toBeLessThan(pixels);
  const cell = left.width + 1;
  for (let entry = 0; entry < depth; ++entry) {
    const away = (depth - 1 - entry) * cell;
    expect(left.x - meeting.get(`q ${entry}`)!.x, `q ${entry}`).toBeCloseTo(away, 3);
    expect(above.y - meeting.get(`k ${entry}`)!.y, `k ${entry}`).toBeCloseTo(away, 3);
  }
  await expect(motion.locator('[data-product]')).toHaveCount(0);

  // At the third every pair has met. Each product begins where the one before ended, and together they are the score.
  await show(motion, '110');
  await expect(motion.locator('[data-entry]')).toHaveCount(0);
  const products = await boxes(motion, 'data-product');
  expect(products.size).toBe(depth);
  const expected = q[row].map((value, entry) => value * k[col][entry]);
  const zero = await motion.locator('.zero').evaluate((line) => Number(line.getAttribute('x1')));
  const largest = expected.reduce(
    (best, value, i) => (Math.abs(value) > Math.abs(expected[best]) ? i : best),
    0,
  );
  const unit = products.get(String(largest))!.width / Math.abs(expected[largest]);
  let at = 0;
  for (let entry = depth - 1; entry >= 0; --entry) {
    const { x, width } = products.get(String(entry))!;
    const next = at + expected[entry];
    expect(x, `product ${entry}`).toBeCloseTo(zero + Math.min(at, next) * unit, 1);
    expect(x + width, `end of ${entry}`).toBeCloseTo(zero + Math.max(at, next) * unit, 1);
    at = next;
  }
  expect(Math.abs(at - scores[row][col])).toBeLessThan(rounding * 100);
  await expect(motion.locator('p')).toContainText(/so far: /);

  // Cell, row, all: what is made grows so, and shrinks again on the way back.
  const made = async () => [...(await boxes(motion, 'data-made')).keys()].sort();
  const wholeRow = scores[row].map((_, key) => `${row} ${key}`);
  const all = scores.flatMap((one, query) => one.map((_, key) => `${query} ${key}`));
  for (const [frame, cells] of [
    ['140', [`${row} ${col}`]],
    ['185', wholeRow],
    ['240', all.sort()],
    ['185', wholeRow],
    ['60', []],
  ] as const) {
    await show(motion, frame);
    expect(await made(), `frame ${frame}`).toEqual([...cells]);
  }
  await page.getByRole('button', { name: 'Back to the matrices' }).click();
  await expect(lesson.cell('scores', row, col)).toBeVisible();
});

test('rows of V slide together, and the point is their blend so far', async ({ lesson, page }) => {
  const { v, weights, output } = await matrices('average');
  const row = 4;
  const [across, up] = [v[0].length - 2, v[0].length - 1];
  await lesson.open({ step: 'output', head: 'average', pin: `output.${row}.0` });
  await page.getByRole('button', { name: 'See the blend' }).click();
  const motion = page.locator('[data-motion="join"]');
  const number = async (place: Locator, name: string) => Number(await place.getAttribute(name));
  const strip = async (key: number) => {
    const one = motion.locator(`[data-strip="${key}"]`);
    const rect = one.locator('rect').first();
    const [y, height] = [await number(rect, 'y'), await number(rect, 'height')];
    return { y, height, opacity: await number(one, 'opacity') };
  };
  await show(motion, 0);
  const place = motion.locator('.place');
  const whole = await number(place, 'data-height');
  const out = await number(place, 'data-y');

  // Shrunk, each row has its share of the height; what is hidden has gone.
  await show(motion, '50');
  for (const [key, share] of weights[row].entries()) {
    const { height, opacity } = await strip(key);
    expect(opacity, `key ${key}`).toBe(key > row ? 0 : 1);
    if (key <= row) expect(height, `key ${key}`).toBeCloseTo(share * whole, 3);
  }
  // One after another they join, and the point lies where the shares so far balance.
  const plane = motion.locator('[data-blend-x]');
  for (let joined = 1; joined <= row + 1; ++joined) {
    await show(motion, 50 + (60 / (row + 1)) * joined);
    const keys = Array.from({ length: joined }, (_, key) => key);
    const sum = keys.reduce((total, key) => total + weights[row][key], 0);
    for (const [name, col] of [
      ['data-blend-x', across],
      ['data-blend-y', up],
    ] as const) {
      const expected =
        keys.reduce((total, key) => total + weights[row][key] * v[key][col], 0) / sum;
      expect(Math.abs((await number(plane, name)) - expected), `${joined}`).toBeLessThan(rounding);
    }
    const { y, height } = await strip(joined - 1);
    expect(y + height, `end of ${joined}`).toBeCloseTo(out + whole * sum, 2);
  }
  await show(motion, '135');
  expect(await number(plane, 'data-blend-x')).toBeCloseTo(output[row][across], 5);
  // Back again, the rows are where they were.
  await show(motion, '0');
  expect((await strip(0)).height).toBe(whole);
  await expect(plane).toHaveCount(0);
});

test('with less motion a motion stand side by side', async ({ lesson, page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const [step, name, id] of [
    ['scores', 'See the crossing', 'cross'],
    ['output', 'See the blend', 'join'],
  ]) {
    await lesson.open({ step });
    await page.getByRole('button', { name }).click();
    const motion = page.locator(`[data-motion="${id}"]`);
    await expect(motion.locator('[data-frame]')).toHaveCount(3);
    await expect(motion.getByRole('slider')).toHaveCount(0);
  }
});
