import { loadTril, variants, type MultiHeadWeights, type Tensor } from 'tril';
import { describe, expect, it } from 'vitest';
import { expectGolden, expectPyTorchs, golden, Random } from './golden.js';
import { expectRefused, tril, withoutLeak } from './helpers.js';
import { epsilon, expectClose, multiHead, randomMatrix } from './reference.js';
import type { MultiHeadPlain } from './reference.js';

const tolerance = 64 * epsilon;

const plainWeights = (width: number): MultiHeadPlain => ({
  in_proj_weight: randomMatrix(3 * width, width, 11),
  in_proj_bias: randomMatrix(1, 3 * width, 12)[0]!,
  'out_proj.weight': randomMatrix(width, width, 13),
  'out_proj.bias': randomMatrix(1, width, 14)[0]!,
});

const asTensors = (weights: MultiHeadPlain, module = tril) =>
  Object.fromEntries(
    Object.entries(weights).map(([name, values]) => [name, module.tensor(values as number[])]),
  ) as unknown as MultiHeadWeights;

describe('multiHeadAttention', () => {
  const [T, C, H] = [7, 12, 3];
  const x = randomMatrix(T, C, 1);
  const weights = plainWeights(C);
  const expected = multiHead(x, x, weights, H, true);

  it('is its definition, with and without a batch axis, and shows its way there', () => {
    withoutLeak(() => {
      for (const batched of [false, true]) {
        const batch = batched ? [1] : [];
        const options = { heads: H, causal: true, trace: true } as const;
        const input = tril.tensor([...batch, T, C], x.flat());
        const { output, trace } = tril.multiHeadAttention(input, asTensors(weights), options);
        expect(output.shape).toEqual([...batch, T, C]);
        expectClose(output.read(), expected.output.flat(), tolerance);
        const stages = {
          queries: 'queries',
          keys: 'keys',
          values: 'values',
          scores: 'scores',
          masked: 'masked',
          weights: 'weights',
          heads: 'output',
        } as const;
        expect(Object.keys(trace).sort()).toEqual(Object.keys(stages).sort());
        for (const name of Object.keys(stages) as (keyof typeof stages)[]) {
          const tensor = trace[name];
          const stage = stages[name];
          const wide = ['scores', 'masked', 'weights'].includes(name);
          expect(tensor.shape).toEqual([...batch, H, T, wide ? T : C / H]);
          expectClose(tensor.read(), expected.heads.map((head) => head[stage]).flat(2), tolerance);
        }
      }
    });
  });

  it('returns the weights averaged over heads, or all of them', () => {
    withoutLeak(() => {
      const [input, state] = [tril.tensor([x]), asTensors(weights)];
      const options = { heads: H, causal: true, needWeights: true } as const;
      const all = expected.heads.map((head) => head.weights);
      const mean = all[0]!.map((row, t) =>
        row.map((_, s) => all.reduce((sum, head) => sum + head[t]![s]!, 0) / H),
      );
      for (const trace of [false, true]) {
        const average = tril.multiHeadAttention(input, state, { ...options, trace });
        expect(average.weights.shape).toEqual([1, T, T]);
        expectClose(average.weights.read(), mean.flat(), tolerance);
        const each = tril.multiHeadAttention(input, state, {
          ...options,
          trace,
          averageWeights: false,
        });
        expect(each.weights.shape).toEqual([1, H, T, T]);
        expectClose(each.weights.read(), all.flat(2), tolerance);
        expect('trace' in each).toBe(trace);
      }
      expect(tril.multiHeadAttention(input, state, { heads: H })).not.toHaveProperty('weights');
    });
  });

  it('looks at another sequence, and writes into out', () => {
    withoutLeak(() => {
      const context = randomMatrix(4, C, 2);
      const crossed = multiHead(x, context, weights, H, false);
      const out = tril.zeros([T, C]);
      const got = tril.multiHeadAttention(tril.tensor(x), asTensors(weights), {
        heads: H,
        context: tril.tensor(context),
        out,
      });
      expect(got.output).toBe(out);
      expectClose(out.read(), crossed.output.flat(), tolerance);
    });
  });

  it('leaves out biases that are not there', () => {
    withoutLeak(() => {
      const zero = (values: number[]) => values.map(() => 0);
      const unbiased: MultiHeadPlain = {
        ...weights,
        in_proj_bias: zero(weights.in_proj_bias),
        'out_proj.bias': zero(weights['out_proj.bias']),
      };
      const state = { ...asTensors(weights), in_proj_bias: null, 'out_proj.bias': null };
      const { output } = tril.multiHeadAttention(tril.tensor(x), state, { heads: H, causal: true });
      expectClose(output.read(), multiHead(x, x, unbiased, H, true).output.flat(), tolerance);
    });
  });

  it('refuses weights that are unknown, missing or of another shape', () => {
    withoutLeak(() => {
      const [input, state] = [tril.tensor([x]), asTensors(weights)];
      const out = tril.tensor([1, T, C], x.flat());
      const narrow = tril.zeros([3 * C, C - 1]);
      const flat = tril.zeros([C]);
      const call = 'multiHeadAttention';
      const refuse = (changed: object, argument: string, says: string | RegExp) => {
        const given = { ...state, ...changed } as MultiHeadWeights;
        const body = () => tril.multiHeadAttention(input, given, { heads: H, out });
        expectRefused(body, { call, argument, says, out });
      };
      refuse({ in_proj_wieght: flat }, 'in_proj_wieght', 'did you mean "in_proj_weight"?');
      refuse({ out_proj_weight: flat }, 'out_proj_weight', 'did you mean "out_proj.weight"?');
      refuse({ 'out_proj.weight': undefined }, 'out_proj.weight', 'no tensor given');
      refuse({ in_proj_weight: undefined }, 'q_proj_weight', 'no tensor given');
      refuse({ in_proj_weight: narrow }, 'in_proj_weight', 'shape must be [12, 12], is [12, 11]');
      refuse({ in_proj_weight: flat }, 'in_proj_weight', 'must have two axes; shape is [12]');
      refuse({ in_proj_bias: flat }, 'in_proj_bias', 'shape must be [36], is [12]');
      refuse({ 'out_proj.bias': narrow }, 'out_proj.bias', 'must have one axis');
      refuse({ in_proj_weight: [[1]] }, 'in_proj_weight', 'must be a tensor');
      const gone = tril.zeros([3 * C]);
      gone.dispose();
      refuse({ in_proj_bias: gone }, 'in_proj_bias', 'has been disposed; its shape was [36]');
    });
  });

  it('refuses inputs and options that do not fit', () => {
    withoutLeak(() => {
      const state = asTensors(weights);
      const input = tril.tensor([x]);
      const call = 'multiHeadAttention';
      const refuse = (options: object, argument: string, says: string | RegExp, given = input) =>
        expectRefused(() => tril.multiHeadAttention(given, state, options as { heads: number }), {
          call,
          argument,
          says,
        });
      refuse({}, 'heads', 'must be given');
      refuse({ heads: 5 }, 'in_proj_weight', /36 rows do not divide into 5 heads/);
      refuse({ heads: NaN }, 'heads', 'whole number');
      refuse({ heads: H, kvHeads: 2 }, 'kvHeads', '2 does not divide the 3 heads');
      refuse({ heads: H, past: 1 }, 'past', 'must be a cache');
      refuse({ heads: H, needWeights: 1 }, 'needWeights', 'must be true or false');
      refuse({ heads: H, scale: NaN }, 'scale', 'must be finite');
      refuse({ heads: H }, 'x', 'must be [B, T, C] or [T, C]', tril.zeros([C]));
      refuse({ heads: H, context: tril.zeros([4, C]) }, 'context', 'this is [4, 12]');
      refuse({ heads: H, context: tril.zeros([2, 4, C]) }, 'context', "must have x's batches");
      refuse({ heads: H, context: tril.zeros([1, 4, 5]) }, 'in_proj_weight', 'is [12, 12]');
      refuse({ heads: H, out: input }, 'out', 'shares memory');
      refuse({ heads: H, out: tril.zeros([T, C]) }, 'out', 'shape must be [1, 7, 12], is [7, 12]');
    });
  });
});

/** The weights of make_attention.py's multi_head, in PyTorch's order. */
function goldenModule(random: Random, width: number, biased: boolean, kdim = 0, vdim = 0) {
  const weight = (out: number, input: number, bound = Math.sqrt(6 / (input + out))) =>
    tril.tensor([out, input], random.uniform(out * input, bound));
  const bias = (size: number) => tril.tensor([size], random.uniform(size, 0.1));
  return {
    ...(kdim === 0
      ? { in_proj_weight: weight(3 * width, width) }
      : {
          q_proj_weight: weight(width, width),
          k_proj_weight: weight(width, kdim),
          v_proj_weight: weight(width, vdim),
        }),
    ...(biased && { in_proj_bias: bias(3 * width) }),
    'out_proj.weight': weight(width, width, width ** -0.5),
    ...(biased && { 'out_proj.bias': bias(width) }),
  };
}

type State = ReturnType<typeof goldenModule>;

/** The weights [B, 100, 100] of keys up to the query's own position, as in the golden files. */
const lowerTriangle = (weights: Tensor) =>
  weights.read().filter((_, i) => i % 100 <= Math.floor(i / 100) % 100);

// tests/core/precision_test.cc compares the error over many draws with plain loops in float.
describe('the classic check: nn.MultiheadAttention in float64, d = 64, T = 100, causal', () => {
  const compare = (folder: string, batch: number, heads: number, x: Float32Array, state: State) => {
    const { output, weights } = tril.multiHeadAttention(tril.tensor([batch, 100, 64], x), state, {
      ...({ heads, causal: true, needWeights: true } as const),
    });
    expect(output.shape).toEqual([batch, 100, 64]);
    const outputs = golden(`${folder}/output_h${heads}`).values.subarray(0, output.size);
    const averages = golden(`${folder}/average_h${heads}`).values.subarray(0, batch * 5050);
    expectPyTorchs(output.read(), outputs, 'output');
    expectPyTorchs(lowerTriangle(weights), averages, 'weights');
  };

  it.each([
    [1, 1],
    [1, 4],
    [10, 1],
    [10, 4],
  ])('batch %i, %i heads', (batch, heads) => {
    withoutLeak(() => {
      const random = new Random(7);
      const state = goldenModule(random, 64, false);
      const x = random.uniform(10 * 100 * 64).subarray(0, batch * 100 * 64);
      compare('multi_head', batch, heads, x, state);
    });
  });

  it.each([1, 4])('normal inputs, %i heads', (heads) => {
    withoutLeak(() => {
      const random = new Random(7);
      const state = goldenModule(random, 64, false);
      random.uniform(10 * 100 * 64);
      compare('multi_head/normal', 1, heads, random.normal(100 * 64), state);
    });
  });
});

describe('nn.MultiheadAttention in float64', () => {
  it('with its weights as they were saved', () => {
    withoutLeak(() => {
      const load = (name: string) => {
        const { shape, values } = golden(`multi_head/small/${name}`);
        return tril.tensor(shape, values);
      };
      const state = {
        in_proj_weight: load('in_proj_weight'),
        in_proj_bias: load('in_proj_bias'),
        'out_proj.weight': load('out_proj_weight'),
        'out_proj.bias': load('out_proj_bias'),
      };
      const { output, weights } = tril.multiHeadAttention(load('x'), state, {
        ...({ heads: 2, causal: true, needWeights: true, averageWeights: false } as const),
      });
      expectGolden(output, 'multi_head/small/output');
      expectGolden(weights, 'multi_head/small/weights');
    });
  });

  it('with widths of keys and values of their own', () => {
    withoutLeak(() => {
      const random = new Random(9);
      const state = goldenModule(random, 12, true, 5, 7);
      const draw = (...shape: [number, number, number]) =>
        tril.tensor(shape, random.normal(shape[0] * shape[1] * shape[2]));
      const [x, context, valueContext] = [draw(3, 7, 12), draw(3, 9, 5), draw(3, 9, 7)];
      const { output, weights } = tril.multiHeadAttention(x, state, {
        ...({ heads: 3, context, valueContext, needWeights: true } as const),
      });
      expectGolden(output, 'multi_head/cross');
      expectGolden(weights, 'multi_head/cross_average');
    });
  });
});

it('gives the same in all variants, within rounding', async () => {
  const [T, C, H] = [65, 32, 4];
  const x = randomMatrix(T, C, 3);
  const weights = plainWeights(C);
  // Sums of 32 products, twice: larger numbers than above.
  const expected = multiHead(x, x, weights, H, true).output.flat();
  const largest = Math.max(...expected.map(Math.abs));
  for (const variant of variants) {
    const module = await loadTril({ variant });
    module.scope(() => {
      const { output } = module.multiHeadAttention(module.tensor(x), asTensors(weights, module), {
        ...{ heads: H, causal: true },
      });
      expectClose(output.read(), expected, 4 * epsilon * C * largest);
    });
    expect(module.memory().tensors).toBe(0);
  }
});
