import type { AdditiveWeights, LowRankOptions, Tensor } from 'tril';
import { describe, expect, it } from 'vitest';
import { expectGolden, Random } from './golden.js';
import { expectRefused, tril, withoutLeak } from './helpers.js';
import { epsilon, expectClose, randomMatrix } from './reference.js';

const drawer =
  (random: Random) =>
  (...shape: number[]): Tensor =>
    tril.tensor(shape, random.normal(shape.reduce((a, b) => a * b, 1)));

describe('additiveAttention', () => {
  it('gives what PyTorch gives in float64, and shows its way there', () => {
    withoutLeak(() => {
      const draw = drawer(new Random(300));
      const [q, k, v] = [draw(2, 7, 5), draw(2, 9, 6), draw(2, 9, 4)];
      const weights = { w_q: draw(11, 5), w_k: draw(11, 6), v: draw(11) };
      const mask = tril.mask.window({ left: 2, right: 1 });
      const { output, trace } = tril.additiveAttention(q, k, v, weights, { mask, trace: true });
      expectGolden(output, 'efficient/additive');
      expectGolden(trace.weights, 'efficient/additive_weights');
      expect(trace.queries.shape).toEqual([2, 7, 11]);
      expectClose(trace.queries.read(), tril.linear(q, weights.w_q).read(), 0);
      expectClose(trace.keys.read(), tril.linear(k, weights.w_k).read(), 0);
      expectClose(tril.softmax(trace.masked).read(), trace.weights.read(), 8 * epsilon);
      expect(trace.scores.shape).toEqual([2, 7, 9]);
    });
  });

  it('does without a batch, and writes into out', () => {
    withoutLeak(() => {
      const draw = drawer(new Random(1));
      const [q, k, v] = [draw(3, 2), draw(4, 2), draw(4, 5)];
      const weights = { w_q: draw(6, 2), w_k: draw(6, 2), v: draw(6) };
      const out = tril.zeros([3, 5]);
      const got = tril.additiveAttention(q, k, v, weights, { out });
      expect(got.output).toBe(out);
      const batch = [q, k, v].map((x) => tril.tensor([1, ...x.shape], x.read()));
      const [bq, bk, bv] = batch as [Tensor, Tensor, Tensor];
      expect(tril.additiveAttention(bq, bk, bv, weights).output.read()).toEqual(out.read());
    });
  });

  it('refuses what does not fit', () => {
    withoutLeak(() => {
      const [q, k, v] = [tril.zeros([3, 2]), tril.zeros([4, 2]), tril.zeros([4, 5])];
      const good = { w_q: tril.zeros([6, 2]), w_k: tril.zeros([6, 2]), v: tril.zeros([6]) };
      const wide = tril.zeros([6, 3]);
      const out = tril.tensor([1, 5], [1, 2, 3, 4, 5]);
      const refuse = (
        changed: object,
        options: object,
        argument: string,
        says: string | RegExp,
      ) => {
        const weights = { ...good, ...changed } as AdditiveWeights;
        const body = () => tril.additiveAttention(q, k, v, weights, options);
        expectRefused(body, { call: 'additiveAttention', argument, says, out });
      };
      refuse({ w_q: wide }, {}, 'w_q', /\[6, 2\]/);
      refuse({ w_k: wide }, {}, 'w_k', /\[6, 2\]/);
      refuse({ v: wide }, {}, 'v', 'must have one axis');
      refuse({ w_q: undefined }, {}, 'w_q', 'no tensor given');
      refuse({ w_v: wide }, {}, 'w_v', 'unknown weight');
      refuse({}, { causal: true }, 'causal', 'unknown option');
      refuse({}, { mask: tril.mask.padding([9]) }, 'mask', /9/);
      refuse({}, { out }, 'out', 'shape must be [3, 5], is [1, 5]');
    });
  });
});

describe('linearAttention', () => {
  const inputs = () => {
    const draw = drawer(new Random(301));
    return [draw(2, 4, 13, 6), draw(2, 2, 13, 6), draw(2, 2, 13, 5)] as const;
  };

  it('gives what PyTorch gives in float64, in either order', () => {
    withoutLeak(() => {
      const [q, k, v] = inputs();
      for (const order of ['values_first', 'scores_first'] as const) {
        expectGolden(tril.linearAttention(q, k, v, { order }).output, 'efficient/linear');
        const causal = tril.linearAttention(q, k, v, { order, causal: true });
        expectGolden(causal.output, 'efficient/linear_causal');
        const plain = { order, featureMap: 'identity', normalise: false } as const;
        // Sums of 13 * 6 products of normal numbers, larger than in the other cases.
        const { output } = tril.linearAttention(q, k, v, plain);
        expectGolden(output, 'efficient/plain');
      }
    });
  });

  it('returns weights whose rows sum to 1, and nothing above the diagonal where causal', () => {
    withoutLeak(() => {
      const [q, k, v] = inputs();
      const { output, weights } = tril.linearAttention(q, k, v, {
        ...({ order: 'scores_first', causal: true, needWeights: true } as const),
      });
      expect(weights.shape).toEqual([2, 4, 13, 13]);
      expectClose(weights.read(), tril.triangular(weights).read(), 0);
      const ones = tril.tensor([13, 1], Array<number>(13).fill(1));
      expectClose(tril.matmul(weights, ones).read(), Array<number>(104).fill(1), 16 * epsilon);
      expect(output.shape).toEqual([2, 4, 13, 5]);
      expect(tril.linearAttention(q, k, v)).not.toHaveProperty('weights');
    });
  });

  it('takes heads side by side', () => {
    withoutLeak(() => {
      const x = tril.tensor(randomMatrix(5, 6, 1));
      const two = tril.linearAttention(x, x, x, { heads: 2 }).output;
      expect(two.shape).toEqual([5, 6]);
      const left = randomMatrix(5, 6, 1).map((row) => row.slice(0, 3));
      const half = tril.tensor(left);
      const one = tril.linearAttention(half, half, half).output.toArray<number[][]>();
      const columns = two.toArray<number[][]>().map((row) => row.slice(0, 3));
      expectClose(columns.flat(), one.flat(), 4 * epsilon);
    });
  });

  it('refuses what does not fit', () => {
    withoutLeak(() => {
      const [q, k, v] = inputs();
      const call = 'linearAttention';
      const refuse = (options: object, argument: string, says: string | RegExp) =>
        expectRefused(() => tril.linearAttention(q, k, v, options), { call, argument, says });
      refuse({ featureMap: 'elu' }, 'featureMap', 'unknown map "elu"; there are elu_plus_one');
      refuse({ order: 'first' }, 'order', 'unknown order "first"');
      refuse({ needWeights: true }, 'weights', /no weights to fill/);
      refuse({ mask: 1 }, 'mask', 'unknown option');
      refuse({ heads: 2 }, 'query', 'with heads it must be');
      const shapes = { query: [2, 4, 13, 6], key: [2, 2, 13, 5], value: [2, 2, 13, 5] };
      const body = () => tril.linearAttention(q, v, v);
      expectRefused(body, { call, argument: 'key', says: /wide/, shapes });
    });
  });
});

describe('lowRankAttention', () => {
  it('gives what PyTorch gives in float64', () => {
    withoutLeak(() => {
      const draw = drawer(new Random(302));
      const [q, k, v] = [draw(2, 4, 13, 6), draw(2, 2, 17, 6), draw(2, 2, 17, 5)];
      const [e, f] = [draw(5, 17), draw(5, 17)];
      const { output, trace } = tril.lowRankAttention(q, k, v, { e, f, scale: 0.25, trace: true });
      expectGolden(output, 'efficient/low_rank');
      expect(trace.weights.shape).toEqual([2, 4, 13, 5]);
      expectClose(tril.softmax(trace.scores).read(), trace.weights.read(), 8 * epsilon);
    });
  });

  it('is attention itself where nothing is left out', () => {
    withoutLeak(() => {
      const x = tril.tensor(randomMatrix(4, 3, 1));
      const e = tril.tensor([0, 1, 2, 3].map((i) => [0, 1, 2, 3].map((j) => (i === j ? 1 : 0))));
      const exact = tril.attention(x, x, x).output;
      expectClose(
        tril.lowRankAttention(x, x, x, { e, f: e }).output.read(),
        exact.read(),
        16 * epsilon,
      );
    });
  });

  it('refuses what does not fit', () => {
    withoutLeak(() => {
      const x = tril.zeros([4, 3]);
      const [e, wide, row] = [tril.zeros([2, 4]), tril.zeros([2, 5]), tril.zeros([4])];
      const call = 'lowRankAttention';
      const refuse = (options: object, argument: string, says: string | RegExp) => {
        const body = () => tril.lowRankAttention(x, x, x, options as LowRankOptions);
        expectRefused(body, { call, argument, says });
      };
      refuse({}, 'e', 'must be given');
      refuse({ e }, 'f', 'must be given');
      refuse({ e: wide, f: e }, 'e', /\[2, 5\]/);
      refuse({ e, f: wide }, 'f', /\[2, 5\]/);
      refuse({ e: row, f: e }, 'e', 'must have two axes');
      refuse({ e, f: e, scale: NaN }, 'scale', /finite/);
      refuse({ e, f: e, causal: true }, 'causal', 'unknown option');
    });
  });
});
