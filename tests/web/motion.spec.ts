// Explanatory animations: frames are read back and compared with the core's own numbers in Node.
import type { Locator } from '@playwright/test';
import { expect, test as base } from './fixtures.ts';
import { Lesson, rowsOf } from './lessons.ts';
import { message, messagePattern } from './messages.ts';
import { chapter, contentOf, idsOf, tril } from './oracle.ts';
import { inputs } from './oracles/longer.ts';

const test = base.extend<{ lesson: Lesson }>({
  lesson: async ({ page }, use) => use(new Lesson(page, 'attend')),
});

/** Questions cover their answers, as they do for visitors. */
test.use({ veils: true });
const tokens = ['the', 'cat', 'saw', 'the', 'dog', 'chase', 'the', 'cat'];
const matrices = (head: 'previous' | 'average') =>
  chapter({ content: idsOf(tokens).map(contentOf), head, causal: true, tokens: true });
/** Variants of the core may round differently; drawings are laid out in hundredths of a pixel. */
const rounding = 64 * 2 ** -24;
const pixels = 0.02;

/** The rectangles with an attribute, by its value. */
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
  await lesson.open({ head: 'previous', step: 'scores', pin: `scores.${row}.${col}` });
  await page.getByRole('button', { name: message('attend.motion.scores') }).click();
  const motion = page.locator('[data-motion="cross"]');
  // One player at a time: the strip leads to the steps, as before.
  await expect(page.locator('#steps .play:visible')).toHaveCount(1);

  // At the second stop both vectors have reached the crossing: their last entries coincide, the others are a cell
  // apart.
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

  // At the third stop every pair has met. Each product begins where the previous one ended, and together they are the
  // score.
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
  await expect(motion.locator('p')).toContainText(messagePattern('attend.cross.said.meet'));
  // On the way there the text skips products that are zero: a rounding error is not a product.
  const noughts = expected.filter((product) => Math.abs(product) < 0.005);
  expect(noughts.length).toBeGreaterThan(0);
  const told = new Set<string>();
  for (let frame = 26; frame <= 110; frame += 6) {
    await show(motion, frame);
    told.add((await motion.locator('p').first().textContent())!);
  }
  expect([...told].join()).not.toContain('·10');
  const meetings = [...told].filter((one) => messagePattern('attend.cross.said.meet').test(one));
  expect(meetings).toHaveLength(depth - noughts.length);

  // Cell, row, all: the finished part grows in this order, and shrinks again in reverse.
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
  await page.getByRole('button', { name: message('attend.motion.close') }).click();
  await expect(lesson.cell('scores', row, col)).toBeVisible();
});

test('on a phone the row and the column that meet are large, with their digits', async ({
  lesson,
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  const { q, k } = await matrices('previous');
  const [row, col, depth] = [2, 6, q[0].length];
  await lesson.open({
    head: 'previous',
    step: 'scores',
    moves: 'yes',
    pin: `scores.${row}.${col}`,
  });
  const motion = page.locator('[data-motion="cross"]');
  const lens = () =>
    motion.locator('[data-lens]').evaluateAll((all) =>
      all.map((one) => ({
        id: one.getAttribute('data-lens')!,
        x: Number(one.getAttribute('x')),
        // A number whose digits are all zero is shown as a dot.
        value: Number(one.textContent!.replace('−', '-').replace('·', '0')),
        size: parseFloat(getComputedStyle(one).fontSize),
      })),
    );
  const expected = new Map<string, number>(
    Array.from({ length: depth }, (_, entry) => entry).flatMap((entry) => [
      [`q ${entry}`, q[row][entry]] as const,
      [`k ${entry}`, k[col][entry]] as const,
      [`product ${entry}`, q[row][entry] * k[col][entry]] as const,
    ]),
  );
  for (const [frame, products] of [
    ['0', 0],
    ['24', 0],
    ['110', depth],
    ['240', depth],
  ] as const) {
    await show(motion, frame);
    const seen = await lens();
    expect(seen, `frame ${frame}`).toHaveLength(2 * depth + products);
    for (const { id, value, size, x } of seen) {
      // Cells have room for two decimals, or for fewer if the number is large.
      const within = Math.abs(expected.get(id)!) >= 10 ? 0.5 : 0.06;
      expect(Math.abs(value - expected.get(id)!), `${id} in frame ${frame}`).toBeLessThan(within);
      expect(size, id).toBeGreaterThanOrEqual(11);
      // The factors are in one column.
      const [, entry] = id.split(' ');
      expect(x, id).toBeCloseTo(seen.find((one) => one.id === `q ${entry}`)!.x, 3);
    }
  }
  // Halfway, the last entries have met, and no others.
  await show(motion, 24 + Math.round((86 / depth) * 2));
  const met = (await lens()).filter(({ id }) => id.startsWith('product')).map(({ id }) => id);
  expect(met.sort()).toEqual([`product ${depth - 2}`, `product ${depth - 1}`]);
  expect(
    await motion.locator('svg[data-frame]').evaluate((svg) => svg.getBoundingClientRect().width),
  ).toBeLessThan(360);
});

test('rows of V slide together, and the point is their blend so far', async ({ lesson, page }) => {
  const { v, weights, output } = await matrices('average');
  const row = 4;
  const [across, up] = [v[0].length - 2, v[0].length - 1];
  await lesson.open({ step: 'output', head: 'average', pin: `output.${row}.0` });
  await page.getByRole('button', { name: message('attend.motion.output') }).click();
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

  // After shrinking, each row has its share of the height; hidden rows have disappeared.
  await show(motion, '50');
  for (const [key, share] of weights[row].entries()) {
    const { height, opacity } = await strip(key);
    expect(opacity, `key ${key}`).toBe(key > row ? 0 : 1);
    if (key <= row) expect(height, `key ${key}`).toBeCloseTo(share * whole, 3);
  }
  // Rows join one after another, and the point is at the balance of the weights so far.
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
  // Back at the start, the rows are at their first positions.
  await show(motion, '0');
  expect((await strip(0)).height).toBe(whole);
  await expect(plane).toHaveCount(0);
});

test('where a maximum grows, the sum and the output shrink by the factor', async ({ page }) => {
  const core = await tril();
  const [q, k, v] = inputs(core);
  const { trace } = core.onlineAttention(q, k, v, {
    ...{ causal: true, blocks: { queries: 4, keys: 2 }, trace: true },
  });
  const [maximum, factor, sum] = [trace.maximum, trace.factor, trace.sum].map((one) => rowsOf(one));
  const partial = trace.partial.toArray<number[][][][][]>()[0][0];
  const longer = new Lesson(page, 'longer');
  await longer.open({ step: '1' });
  const figure = longer.figure('online');
  const lanes = figure.locator('[data-lanes]');
  const frames = 48;
  const at = async (frame: number) => {
    await longer
      .stepper('online')
      .getByRole('slider')
      .fill(String(frames + frame));
    await figure.and(page.locator('[data-step="2"]')).waitFor();
    await figure.locator(`[data-lanes="${frame}"]`).waitFor();
    return lanes.locator('[data-lane]').evaluateAll((all) =>
      all.map((lane) => {
        const number = (one: Element, name: string) => Number(one.getAttribute(name));
        const bar = lane.querySelector('[data-sum]')!;
        return {
          maximum: number(lane.querySelector('[data-max]')!, 'data-max'),
          sum: number(bar, 'data-sum'),
          width: number(bar, 'width'),
          output: [...lane.querySelectorAll('[data-output]')].map((one) =>
            number(one, 'data-output'),
          ),
        };
      }),
    );
  };
  const [grown, shrunk, done] = [await at(14), await at(30), await at(frames)];
  const near = (one: number, other: number, what: string) =>
    expect(Math.abs(one - other), what).toBeLessThan(rounding * 8);
  let growing = 0;
  for (const row of [0, 1, 2, 3]) {
    near(grown[row].maximum, maximum[row][1], `m of ${row}`);
    near(grown[row].sum, sum[row][0], `sum of ${row} as it was`);
    near(shrunk[row].sum, sum[row][0] * factor[row][1], `sum of ${row}, rescaled`);
    near(done[row].sum, sum[row][1], `sum of ${row}, done`);
    const length = grown[row].width * factor[row][1];
    expect(Math.abs(shrunk[row].width - length), `length of ${row}`).toBeLessThan(pixels);
    for (const [col, was] of partial[row][0].entries()) {
      near(grown[row].output[col], was, `output of ${row} as it was`);
      near(shrunk[row].output[col], was * factor[row][1], `output of ${row}, rescaled`);
      near(done[row].output[col], partial[row][1][col], `output of ${row}, done`);
    }
    if (factor[row][1] < 1) growing += 1;
  }
  expect(growing).toBeGreaterThan(0);
  expect(await at(14)).toEqual(grown);
  // The matrices have the same numbers, and explain them.
  await at(30);
  await longer.expectDrawn(
    'sum',
    [0, 1, 2, 3].map((row) => [sum[row][0] * factor[row][1]]),
    rounding * 8,
  );
});

test('with less motion what plays shows ends only', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const [chapter, query, attribute, last, ends] of [
    [
      ...(['block', { stage: 'heads' }, 'data-front', '[data-stage="residual1"]'] as const),
      ['118', '168', '268', '318', '361'],
    ],
    ['longer', { step: '1' }, 'data-lanes', '[data-step="2"]', ['48']],
  ] as const) {
    const lesson = new Lesson(page, chapter);
    await lesson.open(query);
    await page.locator(`.alive [${attribute}]`).evaluate((element, name) => {
      const values = new Set([element.getAttribute(name)!]);
      Object.assign(window, { values });
      new MutationObserver(() => values.add(element.getAttribute(name)!)).observe(element, {
        attributeFilter: [name],
      });
    }, attribute);
    await page.locator('[data-stepper] button.play').first().click();
    await page.locator(last).first().waitFor();
    const values = await page.evaluate(() => [
      ...(window as unknown as { values: Set<string> }).values,
    ]);
    expect(ends).toEqual(expect.arrayContaining(values));
    expect(values).toContain(ends[0]);
  }
});

test('with less motion a motion stands side by side', async ({ lesson, page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const [step, id] of [
    ['scores', 'cross'],
    ['output', 'join'],
  ]) {
    const name = message(`attend.motion.${step}`);
    await lesson.open({ step });
    await page.getByRole('button', { name }).click();
    const motion = page.locator(`[data-motion="${id}"]`);
    await expect(motion.locator('[data-frame]')).toHaveCount(3);
    await expect(motion.getByRole('slider')).toHaveCount(0);
  }
});
