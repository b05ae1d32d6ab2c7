// Chapter "Average": three computations with one result, all compared with the core in Node.
import { expectAnswer } from './asks.ts';
import type { AverageMethod, Tril } from 'tril';
import { expectAccessible } from './axe.ts';
import { scaleOf } from './drawn.ts';
import { expect, test as base } from './fixtures.ts';
import { Lesson, expectFits, rowsOf } from './lessons.ts';
import { message, messagePattern } from './messages.ts';
import { tril } from './oracle.ts';
import { weekly } from './weekly.ts';

const test = base.extend<{ lesson: Lesson }>({
  lesson: async ({ page }, use) => use(new Lesson(page, 'average')),
});

const x = [
  [2, 7],
  [6, 4],
  [6, 5],
];
const y = [
  [1, -2],
  [3, 0],
  [-4, 8],
];
/** A few roundings of numbers up to 8: variants of the core may round differently. */
const rounding = 16 * 2 ** -24 * 8;

const expected = (core: Tril, method: AverageMethod, options: { sum?: boolean; hidden?: number }) =>
  core.runningAverage(core.tensor([x, y]), { method, ...options });

async function expectWay(
  lesson: Lesson,
  batch: number,
  method: AverageMethod,
  options: { sum?: boolean; hidden?: number } = {},
): Promise<void> {
  const { output, mask, weights } = expected(await tril(), method, options);
  await lesson.expectDrawn(method, rowsOf(output, batch), rounding);
  if (mask) await lesson.expectDrawn(method === 'softmax' ? 'mask' : 'ones', rowsOf(mask));
  const drawnWeights = method === 'softmax' ? 'soft' : 'rows';
  if (weights) await lesson.expectDrawn(drawnWeights, rowsOf(weights), rounding);
}

for (const batch of [0, 1]) {
  test(`three ways, one result: sequence ${batch + 1} of the batch`, async ({ lesson, page }) => {
    await lesson.open({ batch: String(batch + 1) });
    await lesson.expectDrawn('x', [x, y][batch]);
    for (const method of ['loops', 'matrix', 'softmax'] as const) {
      await expectWay(lesson, batch, method);
    }
    const apart = await page.locator('[data-apart]').all();
    expect(apart.length).toBeGreaterThan(1);
    for (const one of apart) {
      expect(Number(await one.getAttribute('data-apart'))).toBeLessThanOrEqual(rounding);
    }
  });
}

test('the worked example', async ({ lesson }) => {
  await lesson.open();
  const worked = [
    [2, 7],
    [4, 5.5],
    [14 / 3, 16 / 3],
  ];
  for (const method of ['loops', 'matrix', 'softmax']) {
    await lesson.expectDrawn(method, worked, rounding);
  }
  await expect(lesson.cell('loops', 2, 0)).toHaveText('4.67');
});

test('a scale has the sides on which there are numbers, and none under noughts', async ({
  lesson,
  page,
}) => {
  const ends = (id: string) => page.locator(`.alive [data-matrix="${id}"] .legend span:not(.bar)`);
  await lesson.open();
  await expect(ends('x')).toHaveText(['0', '7']);
  await expect(ends('mask')).toHaveCount(0);
  await lesson.open({ batch: '2' });
  await expect(ends('x')).toHaveText(['−8', '8']);
});

test('sums: by loops and by a matrix, not by softmax', async ({ lesson, page }) => {
  await lesson.open();
  await page.getByRole('radio', { name: message('average.shows.sums') }).click();
  await expectWay(lesson, 0, 'loops', { sum: true });
  await expectWay(lesson, 0, 'matrix', { sum: true });
  await expect(page.getByText(message('average.noSums'))).toBeVisible();
  await expect(page.locator('[data-matrix="softmax"]')).toHaveCount(0);
});

test('zeros in place of −∞ let the future in', async ({ lesson, page }) => {
  await lesson.open();
  for (const [name, hidden] of [
    ['0', 0],
    ['−2', -2],
  ] as const) {
    await page
      .getByRole('radiogroup', { name: message('average.hidden') })
      .getByRole('radio', { name, exact: true })
      .click();
    await expectWay(lesson, 0, 'softmax', { hidden });
    await expect(page.locator('[data-method="softmax"]')).toContainText(
      messagePattern('average.leaks'),
    );
    await expectWay(lesson, 0, 'matrix');
  }
});

test('a changed number changes all three; what came before it stays', async ({ lesson, page }) => {
  const core = await tril();
  await lesson.open();
  await lesson.point('x', 1, 0);
  await page.locator('#three .why input').fill('-3');
  await page.keyboard.press('Enter');
  const changed = [x[0], [-3, 4], x[2]];
  const { output } = core.runningAverage(core.tensor([changed]));
  for (const method of ['loops', 'matrix', 'softmax']) {
    await lesson.expectDrawn(method, rowsOf(output), rounding);
  }
  expect((await lesson.drawn('softmax'))[0]).toEqual(x[0]);
  await page.getByRole('button', { name: message('shell.undo') }).click();
  await expectWay(lesson, 0, 'softmax');
});

test('says why, in each of the three ways', async ({ lesson, page }) => {
  await lesson.open();
  const why = page.locator('#three .why');
  await lesson.point('loops', 2, 0);
  await expect(why).toContainText('( 2 + 6 + 6 ) / 3');
  await lesson.point('rows', 1, 1);
  await expect(why).toContainText('1 / (1 + 1)');
  await lesson.point('soft', 1, 2);
  await expect(why).toContainText('e−∞ / ( e0 + e0 + e−∞ )');
  await page.keyboard.press('Escape'); // a pinned cell's text floats over other cells
  await lesson.point('softmax', 2, 1);
  await expect(why).toContainText('0.333·7 + 0.333·4 + 0.333·5');
});

test('rows can be added and removed, in both sequences', async ({ lesson, page }) => {
  const core = await tril();
  await lesson.open();
  for (let i = 0; i < 3; ++i)
    await page.getByRole('button', { name: message('average.length.more') }).click();
  await expect(async () => expect((await lesson.drawn('x')).length).toBe(6)).toPass();
  const longer = await lesson.drawn('x');
  const { output } = core.runningAverage(core.tensor([longer]));
  await lesson.expectDrawn('matrix', rowsOf(output), rounding);
});

test('the series: what softmax gives, and what it cannot give', async ({ lesson, page }) => {
  const core = await tril();
  await lesson.open();
  const figure = lesson.figure('series');
  await expect(figure.locator('[data-blend-value]')).toHaveText('5');
  expect(await figure.locator('[data-average]').allTextContents()).toEqual(['2', '3', '4', '5']);
  await figure
    .page()
    .getByRole('slider', { name: message('average.series.score', { value: 8 }) })
    .fill('2');
  const weights = [...core.softmax(core.tensor([[0, 0, 0, 2]])).read()];
  await expect(async () => {
    const shares = await figure.locator('[data-weight]').all();
    expect(shares).toHaveLength(weights.length);
    for (const [i, one] of shares.entries()) {
      const drawn = Number(await one.getAttribute('data-weight'));
      expect(Math.abs(drawn - weights[i])).toBeLessThan(1e-6);
    }
    const blend = Number(await figure.locator('[data-blend]').getAttribute('data-blend'));
    const sum = weights.reduce((total, weight, i) => total + weight * 2 * (i + 1), 0);
    expect(Math.abs(blend - sum)).toBeLessThan(1e-5);
  }).toPass();
  // The number line: positions of the numbers and of their blend, and sizes by weight.
  const line = await figure.locator('svg[role=img]').evaluate((svg) => {
    const number = (one: Element, name: string) => Number(one.getAttribute(name));
    return {
      ticks: [...svg.querySelectorAll('.tick')].map((tick) => ({
        at: number(tick, 'x'),
        text: tick.textContent!,
      })),
      circles: [...svg.querySelectorAll('.value')].map((one) =>
        ['cx', 'r'].map((name) => number(one, name)),
      ),
      blend: Number(
        /translate\(([\d.]+)/u.exec(svg.querySelector('.blend')!.getAttribute('transform')!)![1],
      ),
    };
  });
  const x = scaleOf(line.ticks);
  expect(line.circles).toHaveLength(4);
  for (const [i, [left, radius]] of line.circles.entries()) {
    expect(Math.abs(x(left) - 2 * (i + 1))).toBeLessThan(0.02);
    expect(Math.abs(radius - (4 + 20 * Math.sqrt(weights[i])))).toBeLessThan(0.01);
  }
  const blended = weights.reduce((total, weight, i) => total + weight * 2 * (i + 1), 0);
  expect(Math.abs(x(line.blend) - blended)).toBeLessThan(0.02);
  await page.getByRole('button', { name: message('average.series.extrapolate') }).click();
  await expect(figure.locator('[data-blend-value]')).toHaveText('10');
  await expect(figure).toContainText(message('average.series.hit'));
});

test('the questions are answered by the core', async ({ lesson, page }) => {
  await lesson.open();
  const ask = page.locator('#three .ask');
  await ask.getByRole('button', { name: '4.67' }).click();
  const said = { rows: 3, sum: '14', mean: '4.67', last: '6' };
  await expectAnswer(ask, 'right', message('average.question.says.mean', said));
  for (const [wrong, name] of [
    ['sum', '14'],
    ['last', '6'],
  ]) {
    await ask.getByRole('button', { name, exact: true }).click();
    await expectAnswer(ask, 'wrong', message(`average.question.says.${wrong}`, said));
  }
  await ask.getByRole('button', { name: message('figures.ask.another') }).click();
  await ask.getByRole('button', { name: message('average.question.choices.same') }).click();
  const zeros = message('average.question.zerosSay.same', { row: '[4.67, 5.33]' });
  await expectAnswer(ask, 'wrong', zeros);
  await ask.getByRole('button', { name: message('figures.ask.see') }).click();
  await expectWay(lesson, 0, 'softmax', { hidden: 0 });
});

test('on a phone "See it" brings the cell that answers into sight, and why it is so', async ({
  lesson,
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 640 });
  await lesson.open();
  const ask = page.locator('#three .ask');
  await ask.getByRole('button', { name: '4.67' }).click();
  await ask.getByRole('button', { name: message('figures.ask.see') }).click();
  await expect(lesson.cell('loops', 2, 0)).toBeInViewport({ ratio: 1 });
  await expect(page.locator('#three .why')).toBeInViewport({ ratio: 1 });
  await expect(page.locator('#three .why')).toContainText('( 2 + 6 + 6 ) / 3');
});

test('on a phone x stands beside what it becomes, both on one screen', async ({ lesson, page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await lesson.open();
  await page.locator('[data-matrix="x"]').evaluate((x) => x.scrollIntoView({ block: 'center' }));
  const boxes = await Promise.all(
    ['x', 'loops'].map(
      async (id) => (await page.locator(`[data-matrix="${id}"] [role="grid"]`).boundingBox())!,
    ),
  );
  const [x, y] = boxes;
  expect(y.x).toBeGreaterThanOrEqual(x.x + x.width);
  for (const box of boxes) expect(box.y + box.height).toBeLessThanOrEqual(740);
  // Two matrices of four columns do not fit side by side.
  await lesson.open({ x: '1,2,3,4', y: '1,2,3,4' });
  const below = (await page.locator('[data-matrix="loops"]').boundingBox())!;
  const above = (await page.locator('[data-matrix="x"]').boundingBox())!;
  expect(below.y).toBeGreaterThanOrEqual(above.y + above.height);
});

test('fits any width with the largest matrices', async ({ lesson, page }) => {
  const rows = Array(8).fill('1,2,3,40000').join(';');
  await lesson.open({ x: rows, y: rows, blend: 'free', weights: '3,3,3,3' });
  await lesson.expectDrawn('x', Array(8).fill([1, 2, 3, 40000]));
  await expectFits(page);
});

test('has no accessibility faults', weekly(), async ({ lesson, page }) => {
  await lesson.open({ pin: 'softmax.2.1' });
  await page.locator('[data-equation]').waitFor();
  await expectAccessible(page);
});

test('a broken link shows the rest and says what was wrong', async ({ lesson, page }) => {
  await lesson.open({ x: '1,2;3', hidden: '99', show: 'sums' });
  await expect(page.getByText('x=1,2;3')).toBeVisible();
  await expect(page.getByText('hidden=99')).toBeVisible();
  await lesson.expectDrawn('x', x);
  await expect(page.getByRole('radio', { name: message('average.shows.sums') })).toHaveAttribute(
    'aria-checked',
    'true',
  );
});
