// Chapter "Block": every stage against the core's own transformerBlock in Node, and the results with parts switched off
// against a reference block in double precision.
import { expectAnswer } from './asks.ts';
import type { Tensor } from 'tril';
import { expectAccessible } from './axe.ts';
import { readChart, scaleOf } from './drawn.ts';
import { expect, test as base } from './fixtures.ts';
import { Lesson, expectFits, expectTablesFit, rowsOf, type Rows } from './lessons.ts';
import { message, messagePattern } from './messages.ts';
import { tril } from './oracle.ts';
import { added, blockOf, ids, inputOf, normed, seed, weightsOf } from './oracles/block.ts';
import { settled } from './settled.ts';
import { weekly } from './weekly.ts';
import { holdWorkers, inPage } from './workers.ts';

const test = base.extend<{ lesson: Lesson }>({
  lesson: async ({ page }, use) => use(new Lesson(page, 'block')),
});

/** Sums of up to 16 products of numbers up to 8, several in a row: variants of the core may round differently. */
const rounding = 64 * 2 ** -24 * 8;
const parts = ['norm1', 'attention', 'residual1', 'norm2', 'feedForward', 'residual2'];
const times = (x: Rows, weights: Rows) =>
  x.map((row) => weights.map((other) => row.reduce((sum, value, i) => sum + value * other[i], 0)));

function attended(x: Rows, projections: Rows, out: Rows, heads: number): Rows {
  const width = x[0].length;
  const [q, k, v] = [0, 1, 2].map((n) => times(x, projections.slice(n * width, (n + 1) * width)));
  const d = width / heads;
  const joined = x.map(() => Array<number>(width).fill(0));
  for (let head = 0; head < heads; ++head) {
    const own = (row: number[]) => row.slice(head * d, (head + 1) * d);
    for (const [t, query] of q.entries()) {
      const scores = times([own(query)], k.map(own))[0].map((score) => score / Math.sqrt(d));
      const powers = scores.map((score) => Math.exp(score - Math.max(...scores)));
      const sum = powers.reduce((total, power) => total + power, 0);
      for (let i = 0; i < d; ++i) {
        joined[t][head * d + i] = powers.reduce(
          (total, power, s) => total + (power / sum) * v[s][head * d + i],
          0,
        );
      }
    }
  }
  return times(joined, out);
}

/** The block in double precision, without the parts in `off`. */
function reference(
  x: Rows,
  weights: Record<string, Tensor>,
  heads: number,
  pre: boolean,
  off: string[],
): Rows {
  const [w, wo, w1, w2] = Object.values(weights).map((weight) => rowsOf(weight));
  const on = (part: string) => !off.includes(part);
  const norm = (part: string, y: Rows) => (on(part) ? normed(y) : y);
  const residual = (part: string, y: Rows, branch: Rows) => (on(part) ? added(y, branch) : branch);
  const zeros = x.map((row) => row.map(() => 0));
  const attention = on('attention') ? attended(pre ? norm('norm1', x) : x, w, wo, heads) : zeros;
  const first = residual('residual1', x, attention);
  const between = pre ? first : norm('norm1', first);
  const hidden = times(pre ? norm('norm2', between) : between, w1);
  const network = times(
    hidden.map((row) => row.map((value) => Math.max(value, 0))),
    w2,
  );
  const second = residual('residual2', between, on('feedForward') ? network : zeros);
  return pre ? second : norm('norm2', second);
}

const length = (x: Rows) => Math.hypot(...x.flat());
const differenceOf = (a: Rows, b: Rows) =>
  a.map((row, r) => row.map((value, c) => value - b[r][c]));

for (const norm of ['post', 'pre'] as const) {
  test(`every stage of a ${norm}-norm block is the core's`, async ({ lesson, page }) => {
    const core = await tril();
    const { output, trace } = blockOf(core, inputOf(core, ids, true), norm);
    await lesson.open({ norm });
    const seen: string[] = [];
    for (let step = 0; step < 16; ++step) {
      const stage = (await page.locator('[data-stage]').getAttribute('data-stage'))!;
      seen.push(stage);
      const expected =
        stage === 'x' ? inputOf(core, ids, true) : trace[stage as keyof typeof trace];
      await lesson.expectDrawn(stage, rowsOf(expected!), rounding);
      const on = page.getByRole('button', { name: message('figures.player.step') });
      if (step < 15) await on.click();
      await expect(page.locator('[data-stage]')).not.toHaveAttribute(
        'data-stage',
        step < 15 ? stage : '',
      );
    }
    expect(new Set(seen)).toEqual(new Set(['x', ...Object.keys(trace)]));
    await lesson.expectDrawn(seen[15], rowsOf(output), rounding);
    await expect(page.locator('[data-apart]')).toHaveAttribute('data-apart', '0');
  });

  test(
    `any part of a ${norm}-norm block can be switched off`,
    weekly(norm, ['pre']),
    async ({ lesson, page }) => {
      const core = await tril();
      const x = rowsOf(inputOf(core, ids, true));
      const weights = weightsOf(core, 8, 16, 100 * seed);
      const whole = reference(x, weights, 2, norm === 'pre', []);
      await lesson.open({ norm });
      for (const part of parts) {
        const toggle = page.locator(`[data-part="${part}"]`).getByRole('switch');
        await toggle.click();
        await expect(toggle).toHaveAttribute('aria-checked', 'false');
        const difference = differenceOf(reference(x, weights, 2, norm === 'pre', [part]), whole);
        await lesson.expectDrawn('effect', difference, rounding);
        const size = Number(await page.locator('[data-effect]').getAttribute('data-effect'));
        expect(Math.abs(size - length(difference))).toBeLessThan(8 * rounding);
        await toggle.click();
        await expect(page.getByText(message('block.effect.none'))).toBeVisible();
      }
    },
  );
}

test('heads, a changed word, and the way back', async ({ lesson, page }) => {
  const core = await tril();
  await lesson.open({ stage: 'weights', mask: 'causal' });
  const x = rowsOf(inputOf(core, ids, true));
  const { trace } = blockOf(core, core.tensor(x), 'post', true);
  await page.getByRole('radio', { name: message('block.controls.heads.1') }).click();
  await lesson.expectDrawn('weights', rowsOf(trace.weights, 1), rounding);
  await lesson.open({ pin: 'words.1.3' });
  await page.locator('#one .why input').fill('2.5');
  await page.keyboard.press('Enter');
  const words = rowsOf(inputOf(core, ids, false));
  const places = rowsOf(core.sinusoidalPositions(5, 8));
  words[1][3] = 2.5;
  await lesson.expectDrawn('x', added(words, places), rounding);
  await expect(lesson.cell('x', 1, 3)).toHaveClass(/changed/);
  await expect(lesson.cell('x', 0, 3)).not.toHaveClass(/changed/);
  await page.getByRole('button', { name: message('shell.undo') }).click();
  await lesson.expectDrawn('x', x, rounding);
});

test('says why, stage by stage', async ({ lesson, page }) => {
  for (const [pin, words] of [
    ['residual1.2.3', message('block.why.sum')],
    ['normed1.0.0', message('block.why.norm')],
    ['hidden.4.15', message('block.why.product')],
    ['activated.1.1', `${message('block.controls.activations.relu')}(`],
  ]) {
    await lesson.open({ stage: pin.split('.')[0], pin });
    await expect(page.locator('#one .why')).toContainText(words);
  }
});

test('one scale of colours for all that flows, or one for each matrix', async ({
  lesson,
  page,
}) => {
  const core = await tril();
  const { trace } = blockOf(core, inputOf(core, ids, true), 'post');
  await lesson.open({ stage: 'residual1' });
  const ends = () =>
    page
      .locator('[data-stage] .legend')
      .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.end));
  // With an own scale, expectDrawn() ends the scale at the matrix's largest number.
  const drawn = { attention: trace.attention, residual1: trace.residual1 };
  for (const scale of ['shared', 'own']) {
    if (scale === 'own')
      await page.getByRole('radio', { name: message('block.controls.scales.own') }).click();
    const legends = page.locator(`[data-stage] .legend[data-scale="${scale}"]`);
    await expect(legends).toHaveCount(3);
    for (const [id, matrix] of Object.entries(drawn)) {
      await lesson.expectDrawn(id, rowsOf(matrix), rounding);
    }
    expect(new Set(await ends()).size, scale).toBe(scale === 'shared' ? 1 : 3);
  }
  await expect(page).toHaveURL(/scale=own/);
});

test('layer norm is per token', async ({ lesson, page }) => {
  await lesson.open();
  const given = [
    [1, 2, 3, 6],
    [10, 20, 30, 60],
    [-5, 5, -5, 5],
    [4, 4, 4, 5],
  ];
  await lesson.expectDrawn('given', given);
  await lesson.expectDrawn('normed', normed(given), rounding);
  for (const [row, after] of normed(given).entries()) {
    const cells = page.locator(`[data-moments="${row}"] [data-number]`);
    const drawn = await cells.evaluateAll((all) =>
      all.map((one) => Number((one as HTMLElement).dataset.number)),
    );
    const mean = given[row].reduce((sum, value) => sum + value, 0) / 4;
    const variance = given[row].reduce((sum, value) => sum + (value - mean) ** 2, 0) / 4;
    const own = after.reduce((sum, value) => sum + value ** 2, 0) / 4;
    for (const [i, value] of [mean, variance, 0, own].entries()) {
      expect(Math.abs(drawn[i] - value)).toBeLessThan(rounding * Math.max(1, value / 8));
    }
  }
  await lesson.point('given', 1, 2);
  await page.locator('#norm .why input').fill('-7');
  await page.keyboard.press('Enter');
  given[1][2] = -7;
  await lesson.expectDrawn('normed', normed(given), rounding);
  for (let row = 0; row < 4; ++row) {
    const changed = page.locator(`[data-matrix="normed"] .changed[data-row="${row}"]`);
    await expect(changed).toHaveCount(row === 1 ? 4 : 0);
  }
});

test('moved words: the same rows without positions, others with them', async ({ lesson, page }) => {
  const core = await tril();
  await lesson.open({ positions: 'none' });
  const reversed = [...ids].reverse();
  const largest = page.locator('[data-largest]');
  for (const positions of [false, true]) {
    if (positions) {
      await page
        .locator('#shuffle')
        .getByRole('radio', { name: message('block.controls.position.sinusoidal') })
        .click();
    }
    const plain = rowsOf(blockOf(core, inputOf(core, ids, positions), 'post').output).reverse();
    const moved = rowsOf(blockOf(core, inputOf(core, reversed, positions), 'post').output);
    await lesson.expectDrawn('rearranged', plain, rounding);
    await lesson.expectDrawn('reordered', moved, rounding);
    const most = Math.max(...differenceOf(moved, plain).flat().map(Math.abs));
    const drawn = Number(await largest.getAttribute('data-largest'));
    expect(Math.abs(drawn - most)).toBeLessThan(2 * rounding);
    await expect(largest).toContainText(
      messagePattern(`block.shuffle.${positions ? 'differ' : 'near'}`),
    );
  }
  await page
    .locator('#shuffle')
    .getByRole('radio', { name: message('block.controls.position.rotary') })
    .click();
  await expect(largest).toContainText(messagePattern('block.shuffle.differ'));
});

test('hidden units at zero, and the size of numbers with depth', async ({ lesson, page }) => {
  const core = await tril();
  await lesson.open();
  const { trace } = blockOf(core, inputOf(core, ids, true), 'post');
  const zeros = rowsOf(trace.hidden)
    .flat()
    .filter((value) => value <= 0).length;
  await expect(page.locator('[data-zeros-of="relu"] b')).toHaveText(String(zeros));
  await expect(page.locator('[data-zeros-of="gelu"] b')).toHaveText('0');

  const lines: [string, boolean, string[]][] = [
    ['post', false, []],
    ['pre', true, []],
    ['noNorms', true, ['norm1', 'norm2']],
    ['noResiduals', false, ['residual1', 'residual2']],
    ['neither', false, ['norm1', 'norm2', 'residual1', 'residual2']],
  ];
  const sizes: Record<string, number> = {};
  for (const [id, pre, off] of lines) {
    let x = rowsOf(core.randomNormal([8, 32], { seed: 100 * seed }));
    for (let depth = 1; depth <= 2; ++depth) {
      x = reference(x, weightsOf(core, 32, 128, 100 * (1000 * seed + depth)), 4, pre, off);
    }
    const size = length(x) / Math.sqrt(8 * 32);
    const drawn = page.locator(`[data-depth="${id}"] [data-number]`).nth(2);
    await expect(drawn).toHaveAttribute('data-number', /./);
    const value = Number(await drawn.getAttribute('data-number'));
    // Two blocks with sums of up to 128 products each.
    expect(Math.abs(value / size - 1), id).toBeLessThan(4 * 128 * 2 ** -24);
    sizes[id] = size;
  }
  // The lines go through these sizes.
  const chart = await readChart(page.locator('#depth svg[role=img]'));
  const up = scaleOf(chart.up, true);
  for (const [id, size] of Object.entries(sizes)) {
    expect(chart.lines[id], id).toHaveLength(25);
    expect(Math.abs(up(chart.lines[id][2][1]) / size - 1), id).toBeLessThan(0.02);
  }
});

test('the questions are answered by the core', async ({ lesson, page }) => {
  await lesson.open();
  const shuffle = page.locator('#shuffle .ask');
  await shuffle.getByRole('button', { name: message('block.shuffle.choices.same') }).click();
  await expectAnswer(shuffle, 'right');
  await shuffle.getByRole('button', { name: message('figures.ask.another') }).click();
  await shuffle.getByRole('button', { name: message('block.shuffle.choices.same') }).click();
  await expectAnswer(shuffle, 'wrong');
  const norm = page.locator('#norm .ask');
  await norm.getByRole('button', { name: message('block.norm.choices.row', { row: 2 }) }).click();
  await expect(norm).toContainText(message('block.norm.says.row', { changed: 4, row: 2 }));
  const depth = page.locator('#depth .ask');
  await depth.getByRole('button', { name: message('block.depth.choices.grow') }).click();
  await expectAnswer(depth, 'right');
});

test('the link holds the state; a broken one says so', async ({ lesson, page }) => {
  await lesson.open({ norm: 'pre', off: 'norm1,residual2', stage: 'weights', seed: '12' });
  await expect(page.locator('[data-part="norm1"] [role="switch"]')).toHaveAttribute(
    'aria-checked',
    'false',
  );
  await expect(page.getByText(messagePattern('block.random', { seed: 12 })).first()).toBeVisible();
  await page.locator('[data-part="norm1"] [role="switch"]').focus();
  await page.keyboard.press('Space');
  await expect(page).toHaveURL(/off=residual2&seed=12/);
  await page.locator('[data-matrix="weights"]').getByRole('grid').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/pin=weights\.0\.1/);
  await lesson.open({ off: 'everything', edits: '9.9~1', norm: 'pre' });
  await expect(page.getByText('off=everything')).toBeVisible();
  await expect(page.getByText('edits=9.9~1')).toBeVisible();
});

test('fits any width, and has no accessibility faults', weekly(), async ({ lesson, page }) => {
  await lesson.open({ text: 'incomprehensibilities are never out of place in here', stage: 'x' });
  await expectFits(page);
  await lesson.open({ stage: 'hidden', off: 'attention', pin: 'hidden.0.1' });
  await page.locator('[data-depth]').first().waitFor();
  await expectFits(page);
  await expectTablesFit(page);
  await page.setViewportSize({ width: 360, height: 800 });
  await expectAccessible(page);
});

test('what is only looked at asks nothing again', async ({ page, lesson }) => {
  await holdWorkers(page);
  await lesson.open({ stage: 'residual1' });
  /** Times are measured once the page is idle. */
  const asked = () =>
    inPage(page, ({ posted }) =>
      posted.filter(({ what, kind }) => what === 'begin' && !/Time$/u.test(kind ?? '')),
    );
  const before = await asked();
  expect(before.length).toBeGreaterThan(0);
  await lesson.point('residual1', 1, 2);
  await expect(page).toHaveURL(/pin=/u);
  await lesson.point('residual1', 2, 3);
  await settled(page);
  expect(await asked()).toEqual(before);
});
