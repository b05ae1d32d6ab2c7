// Chapter "Learn": gradients against differences in double precision, and the Workers of the chapter.
import { expectAccessible } from './axe.ts';
import { expectLine, readChart } from './drawn.ts';
import { expectTimed, metered, takeOf } from './menus.ts';
import { message, titleOf } from './messages.ts';
import { expect, test as base, type Program } from './programs.ts';
import { finished, ready, train } from './learn-page.ts';
import { Lesson, expectFits, number } from './lessons.ts';
import { tril } from './oracle.ts';
import { computed } from './reach.ts';
import { holdWorkers, kill } from './workers.ts';
import { first, forward, gradient, lossOf, nudged, stages, trained } from './oracles/learn.ts';
import { weekly } from './weekly.ts';

const test = base.extend<{ lesson: Lesson }>({
  lesson: async ({ page }, use) => use(new Lesson(page, 'learn')),
});
/** Sums of a few products of numbers up to 8, several in a row, in float32. */
const rounding = 64 * 2 ** -24 * 8;

test('every number has the gradient that differences give', async ({ lesson, page }) => {
  await lesson.open({ all: 'yes' });
  const made = forward(first);
  for (const stage of stages) {
    await lesson.expectDrawn(stage, made[stage], rounding);
    await lesson.expectDrawn(`d${stage}`, gradient(first, stage), rounding);
  }
  const loss = page.locator('#step [data-loss]');
  expect(Math.abs((await number(loss, 'loss')) - lossOf(made))).toBeLessThan(rounding);
});

test('a step costs what is counted by hand, the new weights included', async ({ lesson, page }) => {
  await lesson.open();
  const { cost } = await tril();
  const product = (rows: number, depth: number, cols: number) =>
    cost.matmul({ rows, depth, cols }).flops;
  // Four words, [4, 3]; queries and keys are [4, 2], scores and values [4, 4].
  const forward = 2 * product(4, 3, 2) + product(4, 3, 4) + product(4, 2, 4) + product(4, 4, 4);
  const back = 2 * product(4, 4, 4) + 2 * product(4, 4, 2);
  const ofWeights = 2 * product(2, 4, 3) + product(4, 4, 3);
  const softmax = 2 * cost.softmax({ rows: 4, length: 4 }).flops; // of the scores, and of the output
  // Scaled scores and their root, logarithms, the output's gradient, the softmax's, those of q and k and their root.
  const each = 16 + 1 + 4 + 2 * 16 + 4 * 16 + 2 * 8 + 1;
  const update = 2 * (6 + 6 + 12);
  const meter = page.locator('#step [data-cost]');
  await expect(meter).toHaveAttribute(
    'data-flops',
    String(forward + back + ofWeights + softmax + each + update),
  );
  await metered(meter);
  await expectTimed(meter.locator('[data-measured]'));
});

test('a nudge does what the curve says, and at first what the gradient says', async ({
  lesson,
  page,
}) => {
  await lesson.open({ pin: 'scores.3.1', nudge: '-2' });
  const panel = page.locator('[data-nudge="scores[4, 2]"]');
  await panel.waitFor();
  const slope = gradient(first, 'scores')[3][1];
  const read = (name: string) => number(panel.locator(`[data-${name}]`), name);
  await expect(async () => {
    expect(Math.abs((await read('nudged')) - nudged(first, 'scores', 3, 1, -2))).toBeLessThan(
      rounding,
    );
    expect(Math.abs((await read('promised')) - (lossOf(forward(first)) - 2 * slope))).toBeLessThan(
      rounding,
    );
    expect(Math.abs((await read('gradient')) - slope)).toBeLessThan(rounding);
  }).toPass();
  // The rounding of two losses, over 2^-4; and the third derivative, below 1, times 2^-10 / 6.
  const allowed = (2 * rounding) / 2 ** -4 + 2 ** -10 / 6;
  expect(Math.abs((await read('difference')) - slope)).toBeLessThan(allowed);
  expect(await read('digits')).toBeGreaterThan(1);
  // The curve, and its tangent as far as it is drawn.
  const chart = await readChart(panel.locator('svg'));
  const nudges = Array.from({ length: 49 }, (_, i) => -3 + i / 8);
  const curve = nudges.map((by) => [by, nudged(first, 'scores', 3, 1, by)] as const);
  expectLine(chart, 'true', curve);
  const [low, high] = [chart.up[0], chart.up.at(-1)!].map(({ text }) => Number(text));
  const tangent = nudges
    .map((by) => [by, lossOf(forward(first)) + by * slope] as const)
    .filter(([, y]) => y >= low && y <= high);
  expectLine(chart, 'line', tangent);
  await panel.getByRole('slider').fill('0.5');
  await expect(async () => {
    expect(Math.abs((await read('nudged')) - nudged(first, 'scores', 3, 1, 0.5))).toBeLessThan(
      rounding,
    );
  }).toPass();
  await expect(page).toHaveURL(/nudge=0\.5/u);
});

test('steps move all weights against their gradients; long ones leap over', async ({
  lesson,
  page,
}) => {
  await lesson.open({ rate: '3' });
  const loss = page.locator('#step [data-loss]');
  const expectLoss = (rate: number, steps: number) =>
    expect(async () => {
      const expected = lossOf(forward(trained(rate, steps)));
      // Rounding errors grow with each step, at most by the rate times the largest curvature, 1.
      const allowed = rounding * (1 + rate) ** steps;
      expect(Math.abs((await number(loss, 'loss')) - expected)).toBeLessThan(allowed);
    }).toPass();
  await page.getByRole('button', { name: message('learn.steps.one') }).click();
  await expectLoss(3, 1);
  await page.getByRole('button', { name: message('learn.steps.one') }).click();
  await expectLoss(3, 2);
  await lesson.expectDrawn('wv', trained(3, 2).wv, rounding * 16);
  expectLine(
    await readChart(page.locator('#step .panels > :last-child svg')),
    'loss',
    [0, 1, 2].map((steps) => [steps, lossOf(forward(trained(3, steps)))]),
  );
  await page.getByRole('radio', { name: '30', exact: true }).click();
  await expectLoss(30, 2);
  expect(await number(loss, 'loss')).toBeGreaterThan(lossOf(forward(first)));
  await expect(page.locator('#step')).toContainText(message('learn-step.steps.over'));
  await page.getByRole('button', { name: message('learn.steps.again') }).click();
  await expectLoss(30, 0);
});

test('says why, on the way there and back', async ({ lesson, page }) => {
  await lesson.open({ all: 'yes' });
  const why = page.locator('#step .why');
  await lesson.point('loss', 3, 0);
  await expect(why).toContainText(message('learn.why.surprise', { target: 'dog' }));
  await page.keyboard.press('Escape');
  await lesson.point('doutput', 3, 3);
  await expect(why).toContainText('( 0.217');
  await expect(why).toContainText('− 1 ) / 4');
  await page.keyboard.press('Escape');
  await lesson.point('dscores', 2, 0);
  await expect(why).toContainText(message('learn.why.dscores'));
});

test.describe('taken along', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

  test('programs of NumPy and PyTorch find the same gradients', async ({
    lesson,
    page,
    runner,
  }) => {
    await lesson.open({ rate: '3', steps: '5' });
    const take = await takeOf(page, 'step');
    const programs: Program[] = [];
    for (const language of ['NumPy', 'PyTorch'] as const) {
      await take.getByRole('button', { name: language, exact: true }).click();
      const copied = () => page.evaluate(() => navigator.clipboard.readText());
      await expect.poll(copied).toContain(language === 'NumPy' ? 'import numpy' : 'import torch');
      programs.push({ name: message('towers.axes.step'), language, code: await copied() });
    }
    await runner.expectRight(programs);
  });
});

test('one Worker and one module answer all of the chapter; others have theirs', async ({
  lesson,
  page,
}) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const modules = () => asked.filter((url) => url.endsWith('.wasm'));
  await holdWorkers(page);
  await lesson.open({ task: 'previous' });
  await page.locator('#step [data-nudge]').waitFor();
  await expect(page.locator('footer [data-threads]')).toHaveAttribute('data-threads', '1');
  await ready(page);
  expect(page.workers()).toHaveLength(1);
  expect(modules().filter((url) => /-training\b/u.test(url))).toHaveLength(1);
  expect(modules()).toHaveLength(1);

  // While a training waits for its turn, figure 1 is answered.
  await page.getByRole('button', { name: message('learn.steps.one') }).click();
  const loss = page.locator('#step [data-loss]');
  const expected = lossOf(forward(trained(3, 1)));
  await expect
    .poll(async () => Math.abs((await number(loss, 'loss')) - expected))
    .toBeLessThan(4 * rounding);

  // Another chapter uses the Worker of all others; the training stays, and going back starts nothing.
  const chapter = (id: string) =>
    page
      .getByRole('navigation', { name: message('shell.chapters') })
      .getByText(message(`shell.about.${id}.title`))
      .click();
  await chapter('mask');
  await expect(page).toHaveTitle(titleOf('mask'));
  await computed(page);
  expect(page.workers()).toHaveLength(2);
  expect(modules()).toHaveLength(2);
  await chapter('learn');
  await ready(page);
  await train(page);
  await finished(page);
  expect([page.workers().length, modules().length]).toEqual([2, 2]);

  // If the training Worker dies, the other one answers, and the training can be started again.
  await lesson.open({ task: 'previous' });
  await ready(page);
  await kill(page);
  await page.getByRole('button', { name: message('learn.steps.one') }).click();
  await expect
    .poll(async () => Math.abs((await number(loss, 'loss')) - expected))
    .toBeLessThan(4 * rounding);
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('where no module that trains can be had, one head is computed all the same', async ({
  lesson,
  page,
  guard,
}) => {
  guard.expect(/-training|Failed to load|both async and sync|instantiation/);
  await page.route(/-training.*\.wasm/u, (route) => route.abort());
  await lesson.open({ steps: '1' });
  await page.locator('#step [data-nudge]').waitFor();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('fits any width, and can be used by everybody', weekly(), async ({ lesson, page }) => {
  await lesson.open({ task: 'previous' });
  await ready(page);
  await train(page);
  await finished(page);
  await expectFits(page);
  await expectAccessible(page);
});
