// Chapter "Attend" beyond its one head: the blend, softmax without overflow, and the reason for dividing scores. Every
// number is compared with the core's in Node.
import { expectAnswer } from './asks.ts';
import { expectLine, readChart, scaleOf } from './drawn.ts';
import { expect, test as base } from './fixtures.ts';
import { Lesson, expectFits, rowsOf } from './lessons.ts';
import { message, messagePattern } from './messages.ts';
import { chapter, contentOf, idsOf, tril } from './oracle.ts';

const test = base.extend<{ lesson: Lesson }>({
  lesson: async ({ page }, use) => use(new Lesson(page, 'attend')),
});

/** e^x may differ by a few units in the last place between variants of the core. */
const rounding = 16 * 2 ** -24;

test('a row is one whole, and its output lies in the hull of the values', async ({
  lesson,
  page,
}) => {
  const tokens = ['the', 'cat', 'saw', 'the', 'dog', 'chase', 'the', 'cat'];
  const { v, weights, output } = await chapter({
    content: idsOf(tokens).map(contentOf),
    head: 'average',
    causal: true,
    tokens: true,
  });
  await lesson.open({ head: 'average' });
  const figure = lesson.figure('blend');
  const row = 4;
  await page.getByRole('slider', { name: message('attend.blend.row') }).fill(String(row + 1));
  await expect(figure).toHaveAttribute('data-row', String(row));
  const blend = figure.locator('[data-blend-x]');
  const drawn = async (name: string) => Number(await blend.getAttribute(name));
  expect(Math.abs((await drawn('data-blend-x')) - output[row][4])).toBeLessThan(rounding);
  expect(Math.abs((await drawn('data-blend-y')) - output[row][5])).toBeLessThan(rounding);
  const points = await figure.locator('[data-point]').evaluateAll((circles) =>
    circles.map((circle) => ({
      x: Number(circle.getAttribute('data-x')),
      y: Number(circle.getAttribute('data-y')),
      hidden: circle.classList.contains('hidden'),
    })),
  );
  expect(points).toHaveLength(v.length);
  for (const [key, point] of points.entries()) {
    expect(point.hidden, `key ${key}`).toBe(key > row);
    expect(Math.abs(point.x - v[key][4]), `key ${key}`).toBeLessThan(rounding);
    expect(Math.abs(point.y - v[key][5]), `key ${key}`).toBeLessThan(rounding);
  }
  // The points' positions, by the ticks of both axes; their sizes, by their shares; and the hull around the visible
  // points.
  const svg = figure.locator('svg[role=img]');
  const plane = await svg.evaluate((element) => {
    const number = (one: Element, name: string) => Number(one.getAttribute(name));
    const lines = [...element.querySelectorAll('.grid line')];
    const upright = lines.filter((line) => number(line, 'x1') === number(line, 'x2'));
    const texts = [...element.querySelectorAll('.grid text')];
    const height = number(element, 'height');
    return {
      across: upright.map((line, i) => ({
        at: number(line, 'x1'),
        text: texts.filter((one) => number(one, 'y') === height - 18)[i].textContent!,
      })),
      circles: [...element.querySelectorAll('[data-point]')].map((circle) =>
        ['cx', 'cy', 'r'].map((name) => number(circle, name)),
      ),
      corners: element
        .querySelector('polygon')!
        .getAttribute('points')!
        .split(' ')
        .map((corner) => corner.split(',').map(Number)),
    };
  });
  const x = scaleOf(plane.across);
  const unit = Math.abs(x(1) - x(0)); // of both axes: the hull keeps its shape
  for (const [key, [cx, cy, radius]] of plane.circles.entries()) {
    expect(Math.abs(x(cx) - v[key][4]), `x of ${key}`).toBeLessThan(0.02);
    const up = unit * (plane.circles[0][1] - cy);
    expect(Math.abs(up - (v[key][5] - v[0][5])), `y of ${key}`).toBeLessThan(0.02);
    const size = key > row ? 4 : 4 + 14 * Math.sqrt(weights[row][key]);
    expect(Math.abs(radius - size), `size of ${key}`).toBeLessThan(0.01);
  }
  const seenPoints = plane.circles.slice(0, row + 1);
  expect(plane.corners.length).toBeGreaterThan(2);
  for (const [i, [ax, ay]] of plane.corners.entries()) {
    const [bx, by] = plane.corners[(i + 1) % plane.corners.length];
    expect(seenPoints.some(([cx, cy]) => Math.hypot(cx - ax, cy - ay) < 0.01)).toBe(true);
    const sides = seenPoints.map(([cx, cy]) => (bx - ax) * (cy - ay) - (by - ay) * (cx - ax));
    // All points are on one side of every edge.
    expect(Math.max(...sides) < 0.01 || Math.min(...sides) > -0.01).toBe(true);
  }
  // The bar: one whole, divided into shares.
  const parts = await figure
    .locator('.unit .bar > span')
    .evaluateAll((spans) => spans.map((span) => span.getBoundingClientRect().width));
  const shares = weights[row].filter((weight) => weight > 0.002);
  expect(parts).toHaveLength(shares.length);
  const whole = parts.reduce((sum, part) => sum + part);
  for (const [i, share] of shares.entries()) {
    expect(Math.abs(parts[i] / whole - share), `share ${i}`).toBeLessThan(0.01);
  }
  // The row's visible values, weighted by its shares, balance there.
  const sum = weights[row].reduce((total, weight, key) => total + weight * v[key][4], 0);
  expect(Math.abs(sum - output[row][4])).toBeLessThan(rounding);
  await expect(figure).toContainText(message('attend.blend.projected', { width: 6 }));
  await page.getByRole('combobox', { name: message('attend.blend.across') }).selectOption('1');
  await expect(page).toHaveURL(/across=1/);
  await expect(figure.locator('[data-point="1"]')).toHaveAttribute('data-x', String(v[1][0]));
});

test('values of two entries are drawn as they are', async ({ lesson }) => {
  await lesson.open({ by: 'numbers', text: '0 0\n4 0\n0 4\n1 1', head: 'average', mask: 'none' });
  const figure = lesson.figure('blend');
  await expect(figure).toContainText(message('attend.blend.exact'));
  const blend = figure.locator('[data-blend-x]');
  expect(Number(await blend.getAttribute('data-blend-x'))).toBeCloseTo(1.25, 6);
  expect(Number(await blend.getAttribute('data-blend-y'))).toBeCloseTo(1.25, 6);
  await expect(figure.locator('[data-entry="0"]')).toContainText('0.25·4');
});

for (const added of [0, 60, 100, -110]) {
  test(`softmax as it is written and as it is computed, ${added} added`, async ({ lesson }) => {
    const core = await tril();
    const scores = [[1, 2.5, -3, 4]];
    const row = core.tensor(scores.map((one) => one.map((score) => score + added)));
    await lesson.open({ scores: '1,2.5,-3,4', added: String(added) });
    await lesson.expectDrawn('row', rowsOf(row));
    for (const stable of [false, true]) {
      const { powers, sum, output, shift } = core.softmaxSteps(row, { stable });
      const [largest] = [...powers.read()].filter(Number.isFinite).sort((a, b) => b - a);
      const id = stable ? 'stable' : 'naive';
      await lesson.expectDrawn(`${id}Powers`, rowsOf(powers), rounding * (largest || 1));
      await lesson.expectDrawn(id, rowsOf(output), rounding);
      const way = lesson.figure('softmax').locator(`[data-way="${id}"]`);
      const shown = Number(await way.locator('[data-sum]').getAttribute('data-sum'));
      const [expected] = sum.read();
      if (Number.isFinite(expected)) {
        expect(Math.abs(shown - expected)).toBeLessThanOrEqual(rounding * Math.abs(expected));
      } else expect(shown).toBe(expected);
      if (stable) {
        await expect(way.locator('[data-shift]')).toHaveAttribute(
          'data-shift',
          String(shift.read()[0]),
        );
      }
    }
  });
}

test('overflow says why, and a score that is changed takes the added number off', async ({
  lesson,
  page,
}) => {
  await lesson.open({ added: '100' });
  const why = page.locator('#stable .why');
  await lesson.point('naivePowers', 0, 3);
  await expect(why).toContainText('e104');
  await expect(why).toContainText(message('attend.stable.why.overflow'));
  await lesson.point('naive', 0, 0);
  await expect(why).toContainText(message('attend.stable.why.notANumber'));
  await lesson.point('stable', 0, 3);
  await expect(why).toContainText('1 / ( 0.050 + 0.135 + 0.368 + 1 )');
  await lesson.point('row', 0, 0);
  await page.getByLabel(message('figures.why.edit')).fill('-7');
  await page.keyboard.press('Enter');
  await lesson.expectDrawn('row', [[-7, 2, 3, 4]]);
});

test('the variance of scores grows with the width, unless they are divided', async ({
  lesson,
  page,
}) => {
  const core = await tril();
  const seed = 7;
  await lesson.open({ width: '8', seed: String(seed) });
  const figure = lesson.figure('scale');
  const d = 256;
  await expect(page.locator('[data-width]')).toHaveText('d = 256');
  const head = (tokens: number, scale?: number, width = d) => {
    const [q, k] = [seed, seed + 1].map((one) =>
      core.randomNormal([1, 1, tokens, width], { seed: one }),
    );
    return core.attention(q, k, core.zeros([1, 1, tokens, 1]), { scale, trace: true }).trace;
  };
  for (const [kind, scale] of [
    ['plain', 1],
    ['scaled', undefined],
  ] as const) {
    const { scores, weights } = head(64, scale);
    const line = figure.locator(`[data-kind="${kind}"]`);
    const shown = async (what: string) =>
      Number(await line.locator(`[data-${what}]`).getAttribute(`data-${what}`));
    const { variance } = core.statistics(scores);
    expect(Math.abs((await shown('variance')) / variance - 1)).toBeLessThan(1e-4);
    // 4096 dot products of width d: their sample variance deviates by a few percent.
    expect(Math.abs(variance / (scale ? d : 1) - 1)).toBeLessThan(0.15);
    const { largest, entropy } = core.concentration(weights);
    expect(Math.abs((await shown('largest')) - core.statistics(largest).mean)).toBeLessThan(1e-3);
    expect(Math.abs((await shown('entropy')) - core.statistics(entropy).mean)).toBeLessThan(1e-3);
    await lesson.expectDrawn(`${kind}Weights`, rowsOf(head(8, scale).weights), 1e-4);
  }
  const chart = figure.locator('svg[role=img]').first(); // of variances
  await expect(chart.locator('[data-series="plain"] circle')).toHaveCount(11);
  const drawn = await readChart(chart);
  const widths = drawn.across.map(({ text }) => Number(text));
  for (const [kind, scale] of [
    ['plain', 1],
    ['scaled', undefined],
  ] as const) {
    const points = Array.from({ length: 11 }, (_, i) => {
      const width = 2 ** i;
      return [width, core.statistics(head(64, scale, width).scores).variance] as const;
    });
    expectLine(drawn, kind, points, { across: true, up: true });
  }
  expect(widths.at(-1)).toBe(1024);
  await page.getByRole('slider', { name: message('attend.scale.width') }).fill('2');
  await expect(page.locator('[data-width]')).toHaveText('d = 4');
  await expect(page).toHaveURL(/width=2/);
});

test('the questions are answered by the core', async ({ lesson, page }) => {
  await lesson.open();
  const blend = page.locator('#blend .ask');
  const most = { weight: '30\u00a0%', key: 'cat₂' };
  await blend.getByRole('button', { name: message('attend.blend.choices.one') }).click();
  await expectAnswer(blend, 'wrong', message('attend.blend.wrongly.one', most));
  await blend.getByRole('button', { name: message('attend.blend.choices.between') }).click();
  await expectAnswer(blend, 'right', message('attend.blend.rightly.between', most));
  const stable = page.locator('#stable .ask');
  await stable.getByRole('button', { name: message('attend.stable.choices.same') }).click();
  await expectAnswer(stable, 'wrong', /NaN, NaN, NaN, NaN/u);
  await stable.getByRole('button', { name: message('figures.ask.see') }).click();
  await expect(page).toHaveURL(/added=100/);
  const scale = page.locator('#scale .ask');
  await scale.getByRole('button', { name: message('attend.dials.2'), exact: true }).click();
  await expectAnswer(scale, 'right', messagePattern('attend.scale.says.all'));
});

test('fits any width with the longest numbers', async ({ lesson, page }) => {
  await lesson.open({ added: '100', scores: '1000000.5,-2000000.25,3,4', width: '10' });
  await lesson.figure('scale').locator('[data-variance]').first().waitFor();
  await expectFits(page);
});

test('softmax of a row is laid out, and every frame holds the core’s numbers', async ({
  lesson,
  page,
}) => {
  const tokens = ['the', 'cat', 'saw', 'the', 'dog', 'chase', 'the', 'cat'];
  const content = idsOf(tokens).map(contentOf);
  const { weights } = await chapter({ content, head: 'same', causal: true, tokens: true });
  const row = 4;
  const largest = Math.max(...weights[row]);
  await lesson.open({ step: 'weights', head: 'same', pin: `weights.${row}.1` });
  const button = page.getByRole('button', { name: message('attend.laid.open') });
  await button.click();
  const laid = page.locator('[data-laid]');
  const bars = () =>
    laid.locator('[data-bar]').evaluateAll((all) =>
      all.map((one) => ({
        length: Number((one as SVGElement).dataset.length),
        drawn: one.querySelector('rect')!.height.baseVal.value,
        hidden: one.classList.contains('hidden'),
      })),
    );
  /** Scrubs to a frame, and waits until it is drawn. */
  const show = async (frame: number) => {
    await laid.getByRole('slider').fill(String(frame));
    await laid.locator(`svg[data-frame="${frame}"]`).waitFor();
  };
  await show(50);
  const columns = await bars();
  const unit = Math.max(...columns.map(({ length }) => length)); // e^0
  for (const [key, { length, drawn, hidden }] of columns.entries()) {
    expect(hidden, `key ${key}`).toBe(key > row);
    if (hidden) continue;
    expect(Math.abs(length / unit - weights[row][key] / largest)).toBeLessThan(2 * rounding);
    expect(drawn).toBeCloseTo(Math.max(length, 0.5), 3);
  }
  // Laid end to end, their length is their sum, and then 1.
  for (const [frame, whole] of [
    [85, 1 / largest],
    [110, 1],
  ]) {
    await show(frame);
    const seen = (await bars()).filter(({ hidden }) => !hidden);
    const length = seen.reduce((all, one) => all + one.length, 0);
    expect(Math.abs(length / unit - whole), `frame ${frame}`).toBeLessThan(8 * rounding);
  }
  await expect(laid.locator('p')).toContainText(messagePattern('attend.laid.said.shrink'));
  await laid.getByRole('button', { name: message('figures.player.back') }).click();
  await expect(laid.locator('[data-count]')).toHaveText(
    message('figures.player.count', { at: 3, last: 4 }),
  );
  await laid.getByRole('button', { name: message('figures.player.speed', { times: 1 }) }).click();
  await expect(
    laid.getByRole('button', { name: message('figures.player.speed', { times: 2 }) }),
  ).toBeVisible();
  // A button held down repeats by itself.
  await laid.getByRole('button', { name: message('figures.player.back') }).hover();
  await page.mouse.down();
  await expect(laid.locator('[data-count]')).toHaveText(
    message('figures.player.count', { at: 0, last: 4 }),
  );
  await page.mouse.up();
  // The address says that it is open. With reduced motion everything is there at once.
  await expect(page).toHaveURL(/laid=yes/u);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.reload();
  await expect(laid.locator('svg[data-frame]')).toHaveCount(3);
  await button.click();
  await expect(page).not.toHaveURL(/laid/u);
  await expect(laid.locator('svg')).toHaveCount(0);
});
