// Axes of length 0, as in NumPy and PyTorch.
import type { Tensor } from 'tril';
import { describe, expect, it } from 'vitest';
import { expectRefused, tril, withoutLeak } from './explained.js';

describe('tensors without elements', () => {
  it('are made, read and written', () => {
    withoutLeak(() => {
      expect(tril.tensor([]).shape).toEqual([0]);
      expect(tril.tensor([[], []]).shape).toEqual([2, 0]);
      expect(tril.zeros([2, 0]).toArray()).toEqual([[], []]);
      expect(tril.zeros([0, 2]).toArray()).toEqual([]);
      expect(tril.randomNormal([0], { seed: 1 }).read()).toEqual(new Float32Array());
      expect(tril.tensor([2, 0], []).write([[], []]).size).toBe(0);
      expect(tril.zeros([0]).view((values) => values.length)).toBe(0);
      expect(String(tril.zeros([3, 0]))).toBe('Tensor [3, 0]');
    });
  });

  it('make sums of no terms 0', () => {
    withoutLeak(() => {
      const product = tril.matmul(tril.zeros([2, 0]), tril.zeros([0, 3]));
      expect(product.toArray()).toEqual([
        [0, 0, 0],
        [0, 0, 0],
      ]);
      expect(tril.matmul(tril.zeros([0]), tril.zeros([0])).toArray()).toEqual([0]);
      expect(tril.matmul(tril.zeros([0, 4]), tril.zeros([4, 3])).shape).toEqual([0, 3]);
      expect(tril.matmul(tril.zeros([5, 0, 4]), tril.zeros([4, 3])).shape).toEqual([5, 0, 3]);
      const bias = tril.tensor([1, 2, 3]);
      expect(tril.linear(tril.zeros([2, 0]), tril.zeros([3, 0]), bias).toArray()).toEqual([
        [1, 2, 3],
        [1, 2, 3],
      ]);
    });
  });

  it('go through what works on rows and elements', () => {
    withoutLeak(() => {
      for (const shape of [[0], [3, 0], [0, 4], [2, 0, 4]]) {
        const x = tril.zeros(shape);
        const rows = ['softmax', 'logSoftmax', 'layerNorm', 'rmsNorm', 'relu', 'gelu'] as const;
        for (const call of rows) {
          expect(tril[call](x).shape).toEqual(shape);
          expect(tril[call](x, { out: x })).toBe(x);
        }
        expect(tril.softmax(x, { axis: 0 }).shape).toEqual(shape);
        expect(tril.multiply(x, 2).shape).toEqual(shape);
        if (shape.length > 1) expect(tril.triangular(x).shape).toEqual(shape);
        const none = { count: 0, beyond: 0, frobenius: 0, relative: 0 };
        expect(tril.compare(x, x)).toMatchObject(none);
      }
      expect(tril.embedding([], tril.zeros([5, 3])).shape).toEqual([0, 3]);
      expect(tril.embedding([[], []], tril.zeros([5, 3])).shape).toEqual([2, 0, 3]);
      expect(tril.sinusoidalPositions(0, 4).shape).toEqual([0, 4]);
      expect(tril.rotaryPositions(tril.zeros([2, 0, 4])).shape).toEqual([2, 0, 4]);
    });
  });

  it('may be what attention attends from and to', () => {
    const of = (shape: number[], keys: number, options = {}) => {
      const [query, key, value] = [4, 4, 5].map((width, n) =>
        tril.zeros([...shape.slice(0, -1), n === 0 ? shape.at(-1)! : keys, width]),
      );
      return tril.attention(query!, key!, value!, options).output;
    };
    withoutLeak(() => {
      for (const method of ['auto', 'full', 'blocked', 'online'] as const) {
        expect(of([0], 3, { method }).shape).toEqual([0, 5]);
        expect(of([0], 0, { method }).shape).toEqual([0, 5]);
        expect(of([2, 3, 0], 4, { method }).shape).toEqual([2, 3, 0, 5]);
        expect(of([0, 3, 2], 4, { method }).shape).toEqual([0, 3, 2, 5]);
        expect(of([0, 2], 4, { method }).shape).toEqual([0, 2, 5]);
        // Queries without keys get zeros, as under a mask that hides all keys.
        for (const options of [{}, { causal: true }, { logSumExp: true }, { trace: true }]) {
          if (method === 'online' && 'trace' in options) continue;
          const output = of([2, 3], 0, { method, ...options });
          expect(output.shape).toEqual([2, 3, 5]);
          expect(output.read()).toEqual(new Float32Array(30));
        }
      }
      const out = tril.tensor([[1, 2]]);
      tril.attention(tril.zeros([1, 2]), tril.zeros([0, 2]), tril.zeros([0, 2]), { out });
      expect(out.toArray()).toEqual([[0, 0]]);
      const [none, two, keys] = [tril.zeros([3, 0]), tril.zeros([2, 4]), tril.zeros([0, 4])];
      const says = 'every axis must be at least 1; shape is [3, 0]';
      expectRefused(() => tril.attention(none, none, none), {
        ...{ call: 'attention', argument: 'query', says },
      });
      expectRefused(() => tril.attention(two, keys, two), {
        ...{ call: 'attention', argument: 'value', says: 'length of key' },
      });
    });
  });

  it('may be what every other attention attends from and to, forward and backward', () => {
    const zerosOf = (...shapes: number[][]) => shapes.map((shape) => tril.zeros(shape));
    withoutLeak(() => {
      for (const [queries, keys] of [
        [0, 3],
        [3, 0],
        [0, 0],
      ] as const) {
        const [q, k, v] = zerosOf([2, queries, 4], [2, keys, 4], [2, keys, 5]);
        const seen = { shape: [2, queries, 5], values: new Float32Array(10 * queries) };
        const expectZeros = (output: Tensor) => {
          expect(output.shape).toEqual(seen.shape);
          expect(output.read()).toEqual(seen.values);
        };
        expectZeros(tril.onlineAttention(q!, k!, v!, { trace: true }).output);
        for (const order of ['values_first', 'scores_first'] as const) {
          expectZeros(tril.linearAttention(q!, k!, v!, { order, causal: true }).output);
        }
        const [e] = zerosOf([6, keys]);
        expectZeros(tril.lowRankAttention(q!, k!, v!, { e: e!, f: e! }).output);
        const [wq, wk, score] = zerosOf([7, 4], [7, 4], [7]);
        const additive = { w_q: wq!, w_k: wk!, v: score! };
        expectZeros(tril.additiveAttention(q!, k!, v!, additive).output);

        const { output, logSumExp } = tril.attention(q!, k!, v!, { logSumExp: true });
        const back = tril.attentionBackward(tril.zeros(seen.shape), q!, k!, v!, {
          ...{ output, logSumExp },
        });
        for (const [gradient, of] of [
          [back.dQuery, q!],
          [back.dKey, k!],
          [back.dValue, v!],
        ] as const) {
          expect(gradient.shape).toEqual(of.shape);
          expect(gradient.read()).toEqual(new Float32Array(of.size));
        }

        const weights = {
          in_proj_weight: tril.zeros([12, 4]),
          'out_proj.weight': tril.zeros([4, 4]),
          'out_proj.bias': tril.tensor([1, 2, 3, 4]),
        };
        const heads = tril.multiHeadAttention(q!, weights, { heads: 2, context: k! }).output;
        // Attention gives 0: only the bias remains.
        expect(heads.toArray()).toEqual(
          Array.from({ length: 2 }, () => Array.from({ length: queries }, () => [1, 2, 3, 4])),
        );
      }
    });
  });

  it('may have masks', () => {
    withoutLeak(() => {
      const { mask } = tril;
      expect(mask.toTensor(mask.causal(), [0, 3]).shape).toEqual([0, 3]);
      expect(mask.toTensor(mask.window({ left: 1 }), [3, 0]).toArray()).toEqual([[], [], []]);
      expect(mask.toTensor(mask.strided({ local: 1, stride: 2 }), [2, 0, 4]).size).toBe(0);
      expect(mask.toTensor(mask.padding([]), [0, 1, 2, 3]).shape).toEqual([0, 1, 2, 3]);
      for (const kind of ['additive', 'boolean'] as const) {
        const dense = mask.dense(tril.zeros([2, 0]), { kind });
        expect(mask.toTensor(dense, [2, 0]).shape).toEqual([2, 0]);
        // The error names the mask that does not fit, not the tensor to be made.
        const says = 'does not broadcast to the scores';
        expectRefused(() => mask.toTensor(dense, [2, 3]), {
          ...{ call: 'mask.toTensor', argument: 'mask', says },
        });
        const short = mask.dense(tril.zeros([2, 0]), { kind, allowFewerKeys: true });
        expect(mask.toTensor(short, [2, 1]).toArray()).toEqual([[-Infinity], [-Infinity]]);
      }
    });
  });

  it('are refused where nothing can be said of nothing', () => {
    withoutLeak(() => {
      const none = tril.zeros([0]);
      const says = 'every axis must be at least 1; shape is [0]';
      expectRefused(() => tril.statistics(none), { call: 'statistics', argument: 'x', says });
    });
  });
});
