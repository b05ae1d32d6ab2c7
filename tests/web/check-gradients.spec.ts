// Chapter "Check": gradients of a visitor's backward pass, with and without a mistake. They are computed here in double
// precision, loop by loop, without the page's own list.
import type { Tensor, Tril } from 'tril';
import { file, heads, test } from './check-case.ts';
import { expect } from './fixtures.ts';
import { metered, expectTimed } from './menus.ts';
import { message } from './messages.ts';
import { tril } from './oracle.ts';

const [batches, count, tokens, width] = [2, 3, 7, 4];
const names = ['d_q', 'd_k', 'd_v'] as const;
type Names = (typeof names)[number];

interface How {
  readonly causal: boolean;
  /** The scale of the scores' gradients in the backward pass; the forward pass has 1/√d. */
  readonly scale?: number;
  /** Softmax's Jacobian, applied to a weight, its gradient and the row's sum of their products. */
  readonly jacobian?: (weight: number, gradient: number, sum: number) => number;
  /** Whether queries and keys are swapped in the scores' gradients and weights. */
  readonly turned?: boolean;
}

/** The attention gradients of one head, for q, k, v and g of T x D numbers each. */
function ofHead(q: Float32Array, k: Float32Array, v: Float32Array, g: Float32Array, how: How) {
  const { causal, scale = 0.5, jacobian = (p, d, sum) => p * (d - sum), turned = false } = how;
  const at = (t: number, d: number) => t * width + d;
  const places = Array.from({ length: tokens }, (_, t) => t);
  const dims = Array.from({ length: width }, (_, d) => d);
  const dot = (a: Float32Array, t: number, b: Float32Array, s: number) =>
    dims.reduce((sum, d) => sum + a[at(t, d)] * b[at(s, d)], 0);
  const weights = places.map((t) => {
    const powers = places.map((s) => (causal && s > t ? 0 : Math.exp(dot(q, t, k, s) * 0.5)));
    const sum = powers.reduce((a, b) => a + b);
    return powers.map((power) => power / sum);
  });
  const scores = places.map((t) => {
    const gradients = places.map((s) => dot(g, t, v, s));
    const sum = gradients.reduce((all, one, s) => all + one * weights[t][s], 0);
    return gradients.map((one, s) => jacobian(weights[t][s], one, sum) * scale);
  });
  const find = (matrix: number[][], of: Float32Array, transposed: boolean) =>
    places.flatMap((t) =>
      dims.map((d) =>
        places.reduce(
          (sum, s) => sum + (transposed ? matrix[s][t] : matrix[t][s]) * of[at(s, d)],
          0,
        ),
      ),
    );
  return {
    d_q: find(scores, k, turned),
    d_k: find(scores, q, !turned),
    d_v: find(weights, g, !turned),
  };
}

function gradients(core: Tril, own: Record<'q' | 'k' | 'v' | 'd_output', Tensor>, how: How) {
  const [q, k, v, g] = [own.q, own.k, own.v, own.d_output].map((one) => one.read());
  const size = tokens * width;
  const all: Record<Names, number[]> = { d_q: [], d_k: [], d_v: [] };
  for (let from = 0; from < q.length; from += size) {
    const head = [q, k, v, g].map((one) => one.subarray(from, from + size));
    const found = ofHead(head[0], head[1], head[2], head[3], how);
    for (const name of names) all[name].push(...found[name]);
  }
  return Object.fromEntries(
    names.map((name) => [name, core.tensor([batches, count, tokens, width], all[name])]),
  ) as Record<Names, Tensor>;
}

/** The mistakes, and the gradients that each makes wrong. */
const mistakes: Record<string, { how: Partial<How>; wrong: readonly Names[] }> = {
  right: { how: {}, wrong: [] },
  backwardNoScale: { how: { scale: 1 }, wrong: ['d_q', 'd_k'] },
  jacobianDiagonal: { how: { jacobian: (p, d) => p * (1 - p) * d }, wrong: ['d_q', 'd_k'] },
  jacobianNoSum: { how: { jacobian: (p, d) => p * d }, wrong: ['d_q', 'd_k'] },
  backwardTransposed: { how: { turned: true }, wrong: names },
  backwardNoMask: { how: { causal: false }, wrong: names },
  timesFactor: { how: { scale: 0.125 }, wrong: ['d_q', 'd_k'] },
};

test('names the mistake of each gradient of attention', async ({ open, page }) => {
  const core = await tril();
  const d_output = core.randomNormal([batches, count, tokens, width], { seed: 14 });
  const own = { ...heads(core, tokens), d_output };
  await open();
  const verdict = page.locator('[data-verdict]');
  const chip = (of: Names) => page.getByRole('radio', { name: of });
  for (const [id, { how, wrong }] of Object.entries(mistakes)) {
    const all = { ...own, ...gradients(core, own, { causal: true, ...how }) };
    const given = file('own.safetensors', core.writeSafetensors(all));
    await page.locator('input[type=file]').setInputFiles(given);
    for (const of of names) {
      const mark = wrong.includes(of) ? '✗' : '✓';
      await expect(chip(of), `${id}: ${of}`).toHaveText(`${of} ${mark}`);
      await chip(of).click();
      await expect(chip(of)).toBeChecked();
      if (!wrong.includes(of)) {
        await expect(verdict).toHaveAttribute('data-verdict', 'equal');
        continue;
      }
      const first = page.locator('[data-suspect]').first();
      await expect(first, `${id}: ${of}`).toHaveAttribute('data-suspect', id);
      await expect(verdict).toHaveAttribute('data-verdict', 'mistake');
      if (id === 'timesFactor') {
        const says = message('check.variants.timesFactor', { factor: '0.25' });
        await expect(first).toContainText(says);
      }
    }
  }
  await expect(page).toHaveURL(/kind=attentionBackward/);

  // Five products per head, and the time of the core's own call.
  const { matmul, sum } = core.cost;
  const square = matmul({ rows: tokens, depth: width, cols: tokens });
  const back = matmul({ rows: tokens, depth: tokens, cols: width });
  const head = [square, square, back, back, back];
  const { flops, bytes } = sum(Array.from({ length: batches * count }, () => head).flat());
  const meter = page.locator('[data-figure="own"] [data-cost]');
  await expect(meter).toHaveAttribute('data-flops', String(flops));
  await expect(meter).toHaveAttribute('data-bytes', String(bytes));
  await metered(meter);
  await expectTimed(meter.locator('[data-measured]'));

  // Two heads share keys and values: their gradients add up, and those of the first head alone are wrong.
  const [q, g] = [1, 2].map((seed) => core.randomNormal([1, 4, 5, 4], { seed }));
  const [k, v] = [3, 4].map((seed) => core.randomNormal([1, 2, 5, 4], { seed }));
  const { output, logSumExp } = core.attention(q, k, v, { causal: true, logSumExp: true });
  const options = { causal: true, output, logSumExp };
  const { dKey } = core.attentionBackward(g, q, k, v, options);
  const repeated = (one: Tensor) => {
    const numbers = one.read();
    const head = (h: number) => [...numbers.subarray(20 * h, 20 * (h + 1))];
    return core.tensor([1, 4, 5, 4], [...head(0), ...head(0), ...head(1), ...head(1)]);
  };
  const [keys, values] = [repeated(k), repeated(v)];
  const full = core.attentionBackward(g, q, keys, values, options).dKey.read();
  const firsts = [...full.subarray(0, 20), ...full.subarray(40, 60)];
  const give = (d_k: Tensor) =>
    page
      .locator('input[type=file]')
      .setInputFiles(
        file('own.safetensors', core.writeSafetensors({ q, k, v, grad_output: g, d_k })),
      );
  await give(dKey);
  await expect(verdict).toHaveAttribute('data-verdict', 'equal');
  await give(core.tensor([1, 2, 5, 4], firsts));
  await expect(page.locator('[data-suspect="groupsFirstOnly"]')).toHaveAttribute(
    'data-matches',
    'true',
  );
  // A tensor that does not fit is refused with the shape that is needed.
  const short = core.tensor([1, 4, 5, 3], new Float32Array(60));
  const odd = core.writeSafetensors({ q, k, v, d_output: short, d_k: dKey });
  await page.locator('input[type=file]').setInputFiles(file('own.safetensors', odd));
  await expect(page.locator('[data-failure]')).toContainText('must be [1, 4, 5, 4]');
});

test('names the mistake of each gradient of a linear layer, whatever its shape', async ({
  open,
  page,
}) => {
  const core = await tril();
  const [x, d_output] = [1, 2].map((seed) => core.randomNormal([3, 5, seed * 2], { seed }));
  const weight = core.randomNormal([4, 2], { seed: 3 });
  const [a, g] = [x.read(), d_output.read()];
  const sum = (from: number, to: number, value: (n: number) => number) => {
    let all = 0;
    for (let n = from; n < to; ++n) all += value(n);
    return all;
  };
  /** Sums over the rows from `from` to `to`, as [O, I] numbers. */
  const ofWeight = (from = 0, to = 15) =>
    Array.from({ length: 8 }, (_, i) =>
      sum(from, to, (n) => g[4 * n + Math.floor(i / 2)] * a[2 * n + (i % 2)]),
    );
  const right = ofWeight();
  const d_bias = Array.from({ length: 4 }, (_, o) => sum(0, 15, (n) => g[4 * n + o]));
  const cases: Record<string, Record<string, Tensor>> = {
    right: { d_weight: core.tensor([4, 2], right), d_bias: core.tensor([4], d_bias) },
    weightTransposed: {
      d_weight: core.tensor([2, 4], Array.from({ length: 8 }, (_, i) => right[(i % 4) * 2 + Math.floor(i / 4)])), // prettier-ignore
    },
    batchNotSummed: {
      d_weight: core.tensor([3, 4, 2], [0, 5, 10].flatMap((from) => ofWeight(from, from + 5))), // prettier-ignore
    },
    batchLastOnly: { d_weight: core.tensor([4, 2], ofWeight(10, 15)) },
    timesFactor: { d_bias: core.tensor([4], d_bias.map((one) => one / 3)) }, // prettier-ignore
  };
  await open();
  const verdict = page.locator('[data-verdict]');
  for (const [id, given] of Object.entries(cases)) {
    const bytes = core.writeSafetensors({ x, weight, d_output, ...given });
    await page.locator('input[type=file]').setInputFiles(file('own.safetensors', bytes));
    if (id === 'right') {
      await expect(page.getByRole('radio', { name: 'd_weight ✓' })).toBeVisible();
      await expect(page.getByRole('radio', { name: 'd_bias ✓' })).toBeVisible();
      await expect(verdict).toHaveAttribute('data-verdict', 'equal');
      continue;
    }
    const first = page.locator('[data-suspect]').first();
    await expect(first, id).toHaveAttribute('data-suspect', id);
    await expect(first).toHaveAttribute('data-matches', 'true');
    await expect(verdict).toHaveAttribute('data-verdict', 'mistake');
  }
});

test('a hidden mistake of a backward is guessed before it is told', async ({ open, page }) => {
  await open({ sample: 'jacobianDiagonal', kind: 'attentionBackward' });
  await expect(page.locator('[data-suspect]').first()).toHaveAttribute(
    'data-suspect',
    'jacobianDiagonal',
  );
  await expect(page.getByRole('radio', { name: 'd_v' })).toHaveText('d_v ✓');
  for (let turn = 0; turn < 19; ++turn) {
    await page.getByRole('button', { name: message('check.own.surprise') }).click();
    await expect(page.locator('#own .card .ask')).toBeVisible();
    if (page.url().includes('kind=attentionBackward')) break;
  }
  await expect(page).toHaveURL(/kind=attentionBackward/);
  await expect(page.locator('[data-verdict]')).toHaveCount(0);
  await expect(page.getByRole('radio', { name: 'd_q', exact: true })).toBeVisible();
});
