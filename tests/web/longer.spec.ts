// Chapter "Longer": every step, weight and singular value against the core's own in Node.
import { expectAnswer } from './asks.ts';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Mask } from 'tril';
import type { LessonsTril as Tril } from 'tril/lessons';
import { expectAccessible } from './axe.ts';
import { expectHeat, expectLine, readChart } from './drawn.ts';
import { expect, test as base } from './fixtures.ts';
import { Lesson, expectFits, expectTablesFit, rowsOf } from './lessons.ts';
import { metered, takeOf, expectTimed } from './menus.ts';
import { message, messagePattern } from './messages.ts';
import { tril } from './oracle.ts';
import { inputs } from './oracles/longer.ts';
import { weekly } from './weekly.ts';

const test = base.extend<{ lesson: Lesson }>({
  lesson: async ({ page }, use) => use(new Lesson(page, 'longer')),
});

/** A few roundings of numbers up to 8: variants of the core may round differently. */
const rounding = 64 * 2 ** -24 * 8;

const masks = {
  none: () => ({}),
  causal: ({ mask }: Tril) => ({ mask: mask.causal() }),
  window: ({ mask }: Tril) => ({ mask: mask.and(mask.causal(), mask.window({ left: 2 })) }),
  strided: ({ mask }: Tril) => ({
    mask: mask.and(mask.causal(), mask.strided({ local: 2, stride: 4 })),
  }),
} as const satisfies Record<string, (core: Tril) => { mask?: Mask }>;

test('every step of online softmax is the core’s', async ({ lesson, page }) => {
  const core = await tril();
  const [q, k, v] = inputs(core);
  const blocks = { queries: 4, keys: 2 };
  const { output, trace } = core.onlineAttention(q, k, v, { causal: true, blocks, trace: true });
  const full = core.attention(q, k, v, { causal: true, trace: true });
  const masked = rowsOf(full.trace.masked);
  const [maximum, factor, sum] = [trace.maximum, trace.factor, trace.sum].map((one) => rowsOf(one));
  const partial = trace.partial.toArray<number[][][][][]>()[0][0];
  for (const step of [1, 2, 6, 8]) {
    await lesson.open({ step: String(step) });
    const [down, across] = [Math.floor((step - 1) / 4), (step - 1) % 4];
    const rows = [0, 1, 2, 3].map((row) => 4 * down + row);
    const column = (of: number[][]) => rows.map((row) => [of[row][across]]);
    await lesson.expectDrawn('max', column(maximum), rounding);
    await lesson.expectDrawn('factor', column(factor), rounding);
    await lesson.expectDrawn('sum', column(sum), rounding);
    await lesson.expectDrawn(
      'part',
      rows.map((row) => partial[row][across]),
      rounding,
    );
    const held = rows.map((row) => masked[row].slice(2 * across, 2 * across + 2));
    await lesson.expectDrawn('block', held, rounding);
    const hidden = held.flat().filter((score) => score === -Infinity);
    await expect(page.locator('[data-matrix="block"] .cell.hidden')).toHaveCount(hidden.length);
  }
  // The cell's text is hidden until it is hovered.
  await lesson.open({ step: '1' });
  const peek = page.locator('[data-matrix="block"] [data-peek]');
  await expect(peek).toHaveCount(0);
  await lesson.point('block', 0, 1);
  await expect(peek).toHaveText('−∞');
  await lesson.open({ step: '8' });
  await lesson.expectDrawn('out', rowsOf(output), rounding);
  await lesson.expectDrawn('q', rowsOf(q), 2 ** -24); // enough digits to tell float32 numbers apart
});

for (const [mask, rule] of Object.entries(masks)) {
  test(`mask ${mask}: blocks skipped as the core skips them, and the same output`, async ({
    lesson,
    page,
  }) => {
    const core = await tril();
    const [q, k, v] = inputs(core, 12, 5);
    const blocks = { queries: 3, keys: 3 };
    const { output, trace } = core.onlineAttention(q, k, v, { ...rule(core), blocks, trace: true });
    const visited = [...trace.visited.read()];
    await lesson.open({ mask, tokens: '12', seed: '5', queries: '3', keys: '3', step: '16' });
    await lesson.expectDrawn('out', rowsOf(output), rounding);
    const skipped = visited.filter((one) => one === 0).length;
    await expect(page.locator('[data-block="skipped"]')).toHaveCount(skipped);
    await expect(page.locator('[data-block="done"]')).toHaveCount(16 - skipped);
    const apart = Number(await page.locator('#online [data-apart]').getAttribute('data-apart'));
    expect(apart).toBeLessThanOrEqual(rounding);
  });
}

test('a skipped block computes nothing; the keyboard plays along', async ({ lesson, page }) => {
  await lesson.open({ step: '2' });
  const bar = lesson.stepper('online');
  await bar.getByRole('button', { name: message('figures.player.step') }).focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('[data-sentence]')).toContainText(
    messagePattern('longer.online.now', { what: 'skipped' }),
  );
  await expect(page.locator('[data-matrix="block"]')).toHaveCount(0);
  await expect(page).toHaveURL(/step=3/);
  await bar.getByRole('slider').focus();
  await page.keyboard.press('End');
  await expect(lesson.figure('online')).toHaveAttribute('data-step', '8');
});

test('steps count before what they are of is computed', async ({ lesson, page }) => {
  await lesson.open({ step: '0' });
  await page.evaluate((on) => {
    const press = (name: string, times: number) => {
      const all = [...document.querySelectorAll<HTMLElement>('#online button')];
      const button = all.find((one) => (one.ariaLabel ?? one.textContent?.trim()) === name)!;
      for (let i = 0; i < times; ++i) button.click();
    };
    press('16', 1);
    press(on, 12);
  }, message('figures.player.step'));
  await expect(page).toHaveURL(/step=12/);
  await expect(lesson.figure('online')).toHaveAttribute('data-step', '12');
});

test('a changed number changes what follows; why, and undo', async ({ lesson, page }) => {
  const core = await tril();
  const [q, k, v] = inputs(core);
  await lesson.open({ step: '8' });
  await lesson.point('v', 2, 1);
  await page.locator('#online .why input').fill('-3');
  await page.keyboard.press('Enter');
  const rows = rowsOf(v);
  rows[2][1] = -3;
  const { output } = core.attention(q, k, core.tensor([[rows]]), { causal: true });
  await lesson.expectDrawn('out', rowsOf(output), rounding);
  await expect(page).toHaveURL(/edits=v%7E2%7E1%7E-3/);
  await page.getByRole('button', { name: message('shell.undo'), exact: true }).click();
  await lesson.expectDrawn(
    'out',
    rowsOf(core.attention(q, k, v, { causal: true }).output),
    rounding,
  );
  await lesson.open({ step: '2', pin: 'sum.3.0' });
  await expect(page.locator('#online .why')).toContainText(message('longer.online.why.sum'));
});

test('two orders of one product, and weights without softmax', async ({ lesson, page }) => {
  const core = await tril();
  const [q, k, v] = inputs(core);
  await lesson.open();
  const scores = core.matmul(q, k, { transposeB: true });
  await lesson.expectDrawn('scores', rowsOf(scores), rounding);
  await lesson.expectDrawn('pairs', rowsOf(core.matmul(k, v, { transposeA: true })), rounding);
  await lesson.expectDrawn('left', rowsOf(core.matmul(scores, v)), 4 * rounding);
  await lesson.expectDrawn('right', rowsOf(core.matmul(scores, v)), 4 * rounding);
  const soft = core.attention(q, k, v, { trace: true });
  await lesson.expectDrawn('soft', rowsOf(soft.trace.weights), rounding);
  const options = { order: 'scores_first', needWeights: true } as const;
  const linear = core.linearAttention(q, k, v, options);
  await lesson.expectDrawn('features', rowsOf(linear.weights), rounding);
  const { frobenius, expectedNorm } = core.compare(soft.output, linear.output);
  const wrong = Number(await page.locator('[data-wrong]').first().getAttribute('data-wrong'));
  expect(Math.abs(wrong - frobenius / expectedNorm)).toBeLessThan(1e-5);
});

test('how many singular values a head needs', async ({ lesson, page }) => {
  for (const [head, least, most] of [
    ['first', 1, 1],
    ['average', 1, 1],
    ['same', 2, 12],
    ['previous', 40, 64],
  ] as const) {
    await lesson.open({ head });
    const found = page.locator('[data-ninety]');
    await expect(async () => {
      const count = Number(await found.getAttribute('data-ninety'));
      expect(count).toBeGreaterThanOrEqual(least);
      expect(count).toBeLessThanOrEqual(most);
    }).toPass();
  }
  // The singular values of random weights, computed here.
  const core = await tril();
  const [q, k, v] = inputs(core, 64);
  const { weights } = core.attention(q, k, v, { trace: true }).trace;
  const values = core.singularValues(core.tensor([64, 64], weights.read())).read();
  const sum = values.reduce((total, value) => total + value);
  let [count, part] = [0, 0];
  while (part < 0.9 * sum) part += values[count++];
  await lesson.open({ head: 'random' });
  await expect(page.locator('[data-ninety]')).toHaveAttribute('data-ninety', String(count));
  const shares = values.map((value) => value / sum);
  const sums = shares.map((_, i) => shares.slice(0, i + 1).reduce((all, one) => all + one));
  const chart = await readChart(page.locator('#rank svg[role=img]'));
  expectLine(
    chart,
    'share',
    Array.from(shares, (share, i) => [i + 1, share]),
  );
  expectLine(
    chart,
    'sum',
    Array.from(sums, (part, i) => [i + 1, part]),
  );
  const map = page.locator('[data-heat="rank-weights"]');
  await expectHeat(map, weights.read(), { role: 'weight', end: 1 });
  const whole = page.locator('#rank [data-rank="64"]');
  expect(Number(await whole.getAttribute('data-wrong'))).toBeLessThan(1e-5);
});

test('the questions are answered by the core', async ({ lesson, page }) => {
  await lesson.open();
  const online = page.locator('#online .ask');
  await online.getByRole('button', { name: '2', exact: true }).click();
  await expect(online).toContainText(message('longer.online.says.skipped', { skipped: 2, all: 8 }));
  const linear = page.locator('#linear .ask');
  await linear.getByRole('button', { name: message('longer.linear.choices.scores') }).click();
  await expectAnswer(linear, 'right');
  const rank = page.locator('#rank .ask');
  await rank.getByRole('button', { name: message('longer.rank.choices.one'), exact: true }).click();
  await expectAnswer(rank, 'wrong');
});

test('the axes hold exact methods of this machine before anything is pressed', async ({
  lesson,
  page,
}) => {
  await lesson.open();
  const section = page.locator('#measured');
  await section.scrollIntoViewIfNeeded();
  const plot = section.locator('[data-show]');
  await expect(plot).toHaveAttribute('data-glanced', '9');
  await expect(section.locator('[data-state="idle"]')).toContainText(
    message('longer.measured.glanced'),
  );
  const { lines } = await readChart(section.locator('svg[role=img]'));
  for (const method of ['full', 'blocked', 'online']) expect(lines[method]).toHaveLength(3);
  expect(lines['linear']).toEqual([]); // the subject of the guess
  await expect(section.locator('table')).toHaveCount(0);
  // The memory of each method is the core's count.
  await section
    .getByRole('radio', { name: message('longer.measured.shows.memory'), exact: true })
    .click();
  const { cost } = await tril();
  for (const [i, method] of (['full', 'blocked', 'online'] as const).entries()) {
    for (const [j, tokens] of [32, 64, 128].entries()) {
      const title = await section
        .locator('circle title')
        .nth(3 * i + j)
        .textContent();
      const [, T, count, unit] = /T = (\d+): ([\d.]+) (k?)B$/u.exec(title!)!;
      expect(Number(T)).toBe(tokens);
      const { heldBytes } = cost.attention({ queries: tokens, keys: tokens, width: 64, method });
      const scale = unit === 'k' ? 1000 : 1;
      const half = scale * 0.5 * 10 ** -(count.split('.')[1]?.length ?? 0);
      expect(Math.abs(Number(count) * scale - heldBytes), title!).toBeLessThanOrEqual(half);
    }
  }
  // The first measurement had no mask.
  await section
    .getByRole('radio', { name: message('longer.online.masks.causal'), exact: true })
    .click();
  await expect(plot).not.toHaveAttribute('data-glanced', /./u);
  await expect(section.locator('circle')).toHaveCount(0);
});

test(
  'all methods measured: time, memory as counted, error as computed',
  weekly(),
  async ({ lesson, page }) => {
    test.setTimeout(240_000);
    const core = await tril();
    await lesson.open();
    const section = page.locator('#measured');
    await section
      .getByRole('radiogroup', { name: message('longer.measured.upTo') })
      .getByRole('radio', { name: '512' })
      .click();
    await section
      .getByRole('button', { name: message('longer.measured.start'), exact: true })
      .click();
    const state = section.locator('[data-state]').first();
    await expect(state).toHaveAttribute('data-state', 'running');
    await expect(state).toHaveAttribute('data-state', 'finished', { timeout: 200_000 });
    await expect(section.locator('[data-wins]')).toBeVisible();
    await expect(section.locator('tbody tr')).toHaveCount(7);
    const value = async (runner: string, n: number) =>
      Number(
        await section
          .locator(`[data-runner="${runner}"] [data-n="${n}"]`)
          .getAttribute('data-value'),
      );
    expect(await value('full', 512)).toBeGreaterThan(0);
    await section
      .getByRole('radio', { name: message('longer.measured.shows.memory'), exact: true })
      .click();
    for (const method of ['full', 'blocked', 'online'] as const) {
      const { heldBytes } = core.cost.attention({ queries: 512, keys: 512, width: 64, method });
      expect(await value(method, 512)).toBe(heldBytes);
    }
    expect(await value('online', 512)).toBeLessThan(await value('full', 512));
    await section
      .getByRole('radio', { name: message('longer.measured.shows.error'), exact: true })
      .click();
    expect(await value('online', 512)).toBeLessThan(1e-6);
    // On a phone there are fewer sizes, and no scrolling.
    await expectTablesFit(page);
    await expect(section.locator('thead .mono')).toHaveText(['32', '128', '512']);
    expect(await value('online', 512)).toBeLessThan(1e-6);
    await page.setViewportSize({ width: 1280, height: 720 });
    await expect(section.locator('thead .mono')).toHaveCount(5);
    const [q, k, v] = [0, 1, 2].map((i) =>
      core.randomNormal([1, 1, 128, 64], { seed: 3 * 128 + i }),
    );
    const exact = core.attention(q, k, v);
    const { frobenius, expectedNorm } = core.compare(
      exact.output,
      core.linearAttention(q, k, v).output,
    );
    expect(Math.abs((await value('linear', 128)) - frobenius / expectedNorm)).toBeLessThan(1e-5);

    // Exported as data, and as a program that measures again: times differ, distances do not.
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const take = await takeOf(page, 'longer-measured');
    const copied = async (name: string) => {
      await take.getByRole('button', { name, exact: true }).click();
      await expect(take.getByRole('status')).toHaveText(message('figures.take.copied'));
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const distances = (csv: string) =>
      Object.fromEntries(
        csv
          .trim()
          .split('\n')
          .slice(1)
          .map((line) => line.split(','))
          .map((cells) => [`${cells[0]} ${cells[1]}`, Number(cells.at(-1))]),
      );
    const data = distances(await copied('CSV'));
    expect(Object.keys(data)).toHaveLength(7 * 5);
    const run = spawnSync(process.execPath, ['--input-type=module'], {
      ...{ input: await copied('JavaScript'), encoding: 'utf8' },
      cwd: fileURLToPath(new URL('.', import.meta.url)),
    });
    expect(run.stderr).toBe('');
    const again = distances(run.stdout);
    expect(Object.keys(again)).toEqual(expect.arrayContaining(Object.keys(data)));
    for (const [name, distance] of Object.entries(data)) {
      expect(Math.abs(again[name] - distance), name).toBeLessThan(1e-5);
    }
  },
);

test('what calls cost: counted by the core, and timed', async ({ lesson, page }) => {
  const core = await tril();
  await lesson.open();
  const meters = page.locator('#online [data-cost]');
  const sizes = { queries: 8, keys: 8, width: 4, causal: true } as const;
  for (const [i, method] of (['online', 'full'] as const).entries()) {
    const { flops } = core.cost.attention({ ...sizes, method });
    await expect(meters.nth(i)).toHaveAttribute('data-flops', String(flops));
  }
  for (const section of ['online', 'linear', 'rank']) {
    const times = page.locator(`#${section} [data-measured]`);
    await metered(page.locator(`#${section} [data-cost]`).first());
    await expect(times).toHaveCount(2);
    await expectTimed(times.first());
    await expectTimed(times.last());
  }
});

test(
  'fits any width, has no accessibility faults, and says what of a link is broken',
  weekly(),
  async ({ lesson, page }) => {
    await lesson.open({ source: 'previous', tokens: '16', keys: '8', queries: '8', step: '3' });
    await expectFits(page);
    await lesson.open({ mask: 'nonsense', step: '5', pin: 'part.1.1' });
    await expect(page.getByText('mask=nonsense')).toBeVisible();
    await expect(lesson.figure('online')).toHaveAttribute('data-step', '5');
    await expectAccessible(page);
    await page.locator('[data-rank]').first().waitFor();
    await expectTablesFit(page);
  },
);
