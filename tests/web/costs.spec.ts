// The cost meters of figures. Every figure of every chapter has one, in the order of the page. Operations and bytes are
// the core's own count for the chapter's default sizes, the time was measured here, and the conclusion from both is the
// core's, too.
import type { Locator, Page } from '@playwright/test';
import type { Cost, Tril } from 'tril';
import { expect, test } from './fixtures.ts';
import { metered, expectTimed } from './menus.ts';
import { message } from './messages.ts';
import { placeOf } from './places.ts';
import { tril } from './oracle.ts';
import { weekly } from './weekly.ts';

type Costs = (cost: Tril['cost']) => readonly Cost[];

/** The costs by chapter and section. Q, K and V of one head are `[queries, width]`. */
const figures: Readonly<Record<string, Readonly<Record<string, Costs>>>> = {
  multiply: {
    readings: (cost) => [cost.matmul({ rows: 3, depth: 4, cols: 2 })],
    memory: (cost) => [cost.matmul({ rows: 16, depth: 16, cols: 16 })],
    // The section shows times: its meter appears with the first of them.
    measured: () => [],
    strassen(cost) {
      const of = (n: number, way: { method: 'tiled' | 'strassen'; levels?: number }) =>
        cost.matmul({ rows: n, depth: n, cols: n, ...way });
      const levels = [0, 1, 2].map((count) => of(128, { method: 'strassen', levels: count }));
      return [of(1024, { method: 'tiled' }), of(1024, { method: 'strassen' }), ...levels];
    },
  },
  average: {
    // Both sequences side by side read the weights once.
    three: (cost) => [cost.matmul({ rows: 3, depth: 3, cols: 2 * 2 })],
    series: (cost) => [
      cost.sum([cost.softmax({ rows: 1, length: 4 }), cost.matmul({ rows: 1, depth: 4, cols: 1 })]),
    ],
  },
  attend: {
    steps: (cost) => [cost.attention({ queries: 8, keys: 8, width: 6, causal: true })],
    blend: (cost) => [cost.matmul({ rows: 1, depth: 8, cols: 6 })],
    stable: (cost) => [false, true].map((stable) => cost.softmax({ rows: 1, length: 4, stable })),
    scale: (cost) => [cost.matmul({ rows: 64, depth: 64, cols: 64 })],
  },
  mask: {
    masks: (cost) => [masked(cost)],
    future: (cost) => [masked(cost)],
    blocks: (cost) => [
      cost.attention({ queries: 512, keys: 512, width: 64, causal: true, method: 'online' }),
    ],
  },
  heads: {
    reads: (cost) => [divided(cost, 1, 2)],
    divided: (cost) => [1, 2, 4].map((heads) => divided(cost, 1, heads)),
    split: (cost) => [layer(cost)],
    circuit: (cost) => [layer(cost)],
  },
  block: {
    one: (cost) => [block(cost)],
    norm: (cost) => [cost.layerNorm({ rows: 4, width: 4, affine: false })],
    shuffle: (cost) => [block(cost)],
    activations: (cost) => [cost.feedForward({ rows: 5, width: 8, hidden: 16, bias: false })],
    depth: (cost) => [cost.transformerBlock({ tokens: 8, width: 32, heads: 4, hidden: 128 })],
  },
  towers: {
    both: (cost) => [cross(cost, 6, 7)],
    maps: (cost) => [cost.sum([cross(cost, 7, 7), cross(cost, 6, 6), cross(cost, 6, 7)])],
    cross: (cost) => [cross(cost, 6, 7)],
    steps: (cost) => [cross(cost, 1, 6)],
    additive: (cost) => [
      cross(cost, 6, 7),
      cost.additiveAttention({
        ...{ queries: 6, keys: 7, width: 7, keyWidth: 6, valueWidth: 6, units: 12 },
      }),
    ],
    shapes: (cost) => [towers(cost)],
  },
  longer: {
    online: (cost) =>
      (['online', 'full'] as const).map((method) =>
        cost.attention({ queries: 8, keys: 8, width: 4, causal: true, method }),
      ),
    linear: (cost) =>
      (['scores_first', 'values_first'] as const).map((order) =>
        cost.linearAttention({
          ...{ queries: 8, keys: 8, width: 4, order },
          ...{ featureMap: 'identity', normalise: false },
        }),
      ),
    rank(cost) {
      const sizes = { queries: 64, keys: 64, width: 6 };
      return [
        cost.attention({ ...sizes, method: 'full' }),
        cost.lowRankAttention({ ...sizes, rank: 16 }),
      ];
    },
    // The same as in chapter "Multiply".
    measured: () => [],
  },
  check: {
    bug: (cost) => [cost.attention({ queries: 6, keys: 6, width: 4, causal: true })],
    own: (cost) => [cost.attention({ heads: 2, queries: 10, keys: 10, width: 8, causal: true })],
    proof: (cost) => [
      cost.multiHeadAttention({ queries: 100, width: 64, heads: 4, bias: false, causal: true }),
    ],
  },
};

const masked = (cost: Tril['cost']) =>
  cost.attention({ queries: 8, keys: 8, width: 4, causal: true, method: 'full' });

/** A layer for two sequences of 9 tokens, 19 wide: projections to width 24, and the attention between them. */
function layer(cost: Tril['cost']): Cost {
  const linear = (from: number, to: number) =>
    cost.linear({ rows: 18, in: from, out: to, bias: false });
  return cost.sum([
    linear(19, 24),
    linear(19, 24),
    linear(19, 24),
    divided(cost, 2, 4),
    linear(24, 19),
  ]);
}
const divided = (cost: Tril['cost'], batches: number, heads: number) =>
  cost.attention({
    ...{ batches, heads, queries: 9, keys: 9, width: 24 / heads },
    ...{ causal: true, method: 'full' },
  });

const block = (cost: Tril['cost']) =>
  cost.transformerBlock({ tokens: 5, width: 8, heads: 2, hidden: 16 });

const cross = (cost: Tril['cost'], queries: number, keys: number) =>
  cost.attention({ queries, keys, width: 6 });

/** Both towers on 7 and 6 tokens, 22 wide, one head of width 6. */
function towers(cost: Tril['cost']): Cost {
  const [model, width] = [22, 6];
  const inward = (rows: number) => cost.linear({ rows, in: model, out: width, bias: false });
  const attends = (queries: number, keys: number) => [
    ...[inward(queries), inward(keys), inward(keys), cross(cost, queries, keys)],
    cost.linear({ rows: queries, in: width, out: model, bias: false }),
    cost.layerNorm({ rows: queries, width: model, affine: false }),
  ];
  const feeds = (rows: number) => [
    cost.feedForward({ rows, width: model, hidden: 2 * model, bias: false }),
    cost.layerNorm({ rows, width: model, affine: false }),
  ];
  return cost.sum([...attends(7, 7), ...feeds(7), ...attends(6, 6), ...attends(6, 7), ...feeds(6)]);
}

async function numberAt(meter: Locator, name: string): Promise<number> {
  return Number(await meter.locator(`[${name}]`).getAttribute(name));
}

/** Expects the meter to show what the core counts. A time on request is absent before the request. */
async function expectMeter(meter: Locator, expected: Cost, timed = true): Promise<void> {
  const { cost } = await tril();
  await expect(meter).toHaveAttribute('data-flops', String(expected.flops));
  await expect(meter).toHaveAttribute('data-bytes', String(expected.bytes));
  await expect(meter.locator('[data-intensity]')).toHaveText(/^[\d.]/u);
  expect(await numberAt(meter, 'data-intensity')).toBe(
    cost.intensity(expected.flops, expected.bytes),
  );
  if (!timed) {
    await expect(meter.locator('[data-measured]')).toHaveCount(0);
    return;
  }
  await metered(meter);
  await expectTimed(meter.locator('[data-measured]'));
  await expect(meter.locator('[data-speed]')).toHaveText(/\d/u);
  const milliseconds = await numberAt(meter, 'data-measured');
  expect(milliseconds).toBeGreaterThan(0);
  expect(await numberAt(meter, 'data-speed')).toBe(cost.gigaflops(expected.flops, milliseconds));
}

/** The number of exportable figures in each section of a chapter. */
function taken(page: Page): Promise<Record<string, number>> {
  return page.locator('[data-take]').evaluateAll((figures) => {
    const counts: Record<string, number> = {};
    for (const figure of figures) {
      const { id } = figure.closest('section[id]')!;
      counts[id] = (counts[id] ?? 0) + 1;
    }
    return counts;
  });
}

for (const [chapter, sections] of Object.entries(figures)) {
  test(
    `every figure has a meter with the core’s numbers and a time: ${chapter}`,
    weekly(chapter, ['attend', 'average', 'longer']),
    async ({ page }) => {
      const { cost } = await tril();
      const query = chapter === 'check' ? '?sample=noScale' : '';
      await page.goto(placeOf(chapter + query));
      for (const [section, costs] of Object.entries(sections)) {
        const meters = page.locator(`#${section} [data-cost]`);
        const expected = costs(cost);
        await expect(meters, section).toHaveCount(expected.length);
        for (const [i, one] of expected.entries()) {
          await expectMeter(meters.nth(i), one, section !== 'strassen' || i >= 2);
        }
      }
      // A figure or a section outside the list above has no meter.
      const found = await taken(page);
      expect(Object.keys(found)).toEqual(Object.keys(sections));
      for (const [section, count] of Object.entries(found)) {
        if (section === 'measured') continue;
        expect(sections[section](cost).length, section).toBeGreaterThanOrEqual(count);
      }
      const without = page.locator('main section[id]:not(:has([data-take]))');
      await expect(without).toHaveCount(0);
    },
  );
}

test('products of eight and of seven are timed when it is asked for', async ({ page }) => {
  const { cost } = await tril();
  await page.goto('./multiply/');
  const section = page.locator('#strassen');
  await section.getByRole('button', { name: message('multiply.strassen.measure.start') }).click();
  await expect(section.locator('[data-state]')).toHaveAttribute('data-state', 'finished', {
    timeout: 120_000,
  });
  const [plain, strassen] = figures.multiply.strassen(cost);
  const meters = section.locator('[data-cost]');
  await expectMeter(meters.nth(0), plain);
  await expectMeter(meters.nth(1), strassen);
  const [slow, fast] = [
    await numberAt(meters.nth(0), 'data-measured'),
    await numberAt(meters.nth(1), 'data-measured'),
  ];
  await expect(section.locator('[data-ratio]')).toHaveAttribute(
    'data-ratio',
    String(cost.ratio(slow, fast)),
  );
});

test('each of PyTorch’s examples has its cost, but for the one that has no count', async ({
  page,
}) => {
  const core = await tril();
  const { cost } = core;
  const layers = { tokens: 100, width: 64, heads: 4, hidden: 128, causal: true };
  const classic = { heads: 2, queries: 100, keys: 100, width: 4 };
  const examples: Readonly<Record<string, Cost>> = {
    block: cost.transformerBlock(layers),
    preBlock: cost.transformerBlock(layers),
    softmax: cost.attention({ queries: 40, keys: 40, width: 8, causal: true, method: 'full' }),
    layerNorm: cost.layerNorm({ rows: 5, width: 64 }),
    gelu: cost.activation({ count: 7 * 33, activation: 'gelu' }),
    window: cost.attention({ ...classic, mask: core.mask.window({ left: 10, right: 3 }) }),
    grouped: cost.attention({
      ...{ batches: 3, heads: 8, kvHeads: 2, queries: 7, keys: 7, width: 4, causal: true },
    }),
    linear: cost.linearAttention({
      ...{ batches: 2, heads: 4, kvHeads: 2, queries: 13, keys: 13, width: 6, valueWidth: 5 },
    }),
  };
  await page.goto('./check/');
  await expect(page.locator('[data-all]')).toHaveAttribute('data-all', '10', {
    timeout: 60_000,
  });
  const example = (id: string) => page.locator(`[data-example="${id}"] button`).click();
  for (const [id, expected] of Object.entries(examples)) {
    await example(id);
    await expectMeter(page.locator('#proof [data-cost]'), expected);
  }
  // The numbers decide how often the search for singular values halves its intervals.
  await example('singular');
  await expect(page.locator('#proof [data-cost]')).toHaveCount(0);
  await metered(page.locator('#proof .uncounted'));
  await expectTimed(page.locator('#proof [data-measured]'));
});

test('what is held and how many scores there are is counted by the core, too', async ({ page }) => {
  const { cost } = await tril();
  await page.goto('./longer/#?queries=3&keys=4');
  const sizes = { queries: 8, keys: 8, width: 4, causal: true };
  const held = (way: { method: 'full' } | { method: 'online'; blocks: object }) =>
    String(cost.attention({ ...sizes, ...way }).heldBytes);
  const cells = page.locator('#online table td');
  await expect(cells.first()).toHaveText(held({ method: 'full' }));
  const blocks = { queries: 3, keys: 4 };
  await expect(cells.last()).toHaveText(held({ method: 'online', blocks }));
  await page.goto('./heads/');
  for (const heads of [1, 2, 4]) {
    const { scores } = cost.attention({
      ...{ heads, queries: 9, keys: 9, width: 24 / heads, causal: true, method: 'full' },
    });
    const title = page.locator(`[data-division="${heads}"] h3`);
    await expect(title).toContainText(
      message('heads.divided.name', { count: heads, width: 24 / heads }),
    );
    await expect(title).toContainText(message('heads.divided.parameters', { count: 4 * 24 * 19 }));
    await expect(title).toContainText(message('heads.divided.scaled', { width: 24 / heads }));
    await expect(title).toContainText(
      message('heads.divided.maps', { count: heads, cells: scores }),
    );
  }
});

test('what has been timed keeps its time: two figures of one call say the same', async ({
  page,
}) => {
  await page.goto('./block/');
  const read = async (name: string) => {
    const meter = page.locator(`[data-cost]:has(+ [data-take="${name}"])`);
    const time = (await metered(meter)).locator('[data-measured]');
    await expectTimed(time);
    return time.getAttribute('data-measured');
  };
  expect(await read('block')).toBe(await read('shuffled'));
});

test('cost stands in sight where it is the subject; elsewhere one quiet menu has it, and what to take along', async ({
  page,
}) => {
  await page.goto('./multiply/');
  await expect(page.locator('#memory [data-cost] summary')).toBeVisible();
  const menu = page.locator('#readings [data-more]');
  const [cost, take] = [menu.locator('[data-cost] summary'), menu.locator('[data-take] button')];
  await expect(menu).toHaveCount(1);
  await expect(cost).toBeHidden();
  await expect(take.first()).toBeHidden();
  await menu.locator('> summary').press('Enter');
  await expect(cost).toBeVisible();
  await expect(take.first()).toBeVisible();
  await expect(menu.getByText(message('figures.computed'))).toBeVisible();
  // Only the page that checks code names the module that computes.
  await expect(page.locator('footer [data-module]')).toBeHidden();
  await page.goto('./check/');
  await expect(page.locator('footer [data-module]')).toBeVisible();
});
