// Gradients against central differences of the definitions in double precision.
import type { Tensor } from 'tril';
import { describe, expect, it } from 'vitest';
import { expectGradient, gradient, rows, tolerance } from './differences.js';
import { expectRefused, tril, withoutLeak } from './helpers.js';
import { attention, expectClose, randomNumbers, softmax } from './reference.js';

describe('softmaxBackward and logSoftmaxBackward', () => {
  it('go along any axis, at any temperature', () => {
    withoutLeak(() => {
      const [x, d] = [randomNumbers(24, 1), randomNumbers(24, 2)];
      const shape = [2, 3, 4];
      for (const [axis, temperature] of [
        [-1, 1],
        [1, 0.5],
        [0, 2],
      ] as const) {
        const stride = [12, 4, 1][axis < 0 ? 2 : axis]!;
        const size = shape[axis < 0 ? 2 : axis]!;
        const along = (f: (row: number[]) => number[]) => (values: readonly number[]) => {
          const out = [...values];
          for (let first = 0; first < 24; ++first) {
            if (Math.floor(first / stride) % size !== 0) continue;
            const places = Array.from({ length: size }, (_, i) => first + i * stride);
            f(places.map((place) => values[place]!)).forEach((value, i) => {
              out[places[i]!] = value;
            });
          }
          return out;
        };
        const weights = along((row) => softmax(row, temperature));
        const options = { axis, temperature };
        const [from, dOutput] = [tril.tensor(shape, x), tril.tensor(shape, d)];
        const output = tril.softmax(from, options);
        const expected = gradient(weights, x, d);
        expectGradient(tril.softmaxBackward(dOutput, output, options), expected);
        const logs = (values: readonly number[]) => weights(values).map(Math.log);
        const log = tril.logSoftmax(from, options);
        expectGradient(tril.logSoftmaxBackward(dOutput, log, options), gradient(logs, x, d));
        expect(tril.softmaxBackward(dOutput, output, { ...options, out: output })).toBe(output);
        expectGradient(output, expected);
      }
    });
  });

  it('refuse what does not fit', () => {
    withoutLeak(() => {
      const [x, other] = [tril.zeros([2, 3]), tril.zeros([3, 2])];
      for (const call of ['softmaxBackward', 'logSoftmaxBackward'] as const) {
        const says = 'must have the shape of output, [2, 3], is [3, 2]';
        expectRefused(() => tril[call](other, x), { call, argument: 'dOutput', says });
        expectRefused(() => tril[call](x, x, { axis: 2 }), { call, argument: 'axis', says: '2' });
        expectRefused(() => tril[call](x, x, { temperature: 0 }), {
          ...{ call, argument: 'temperature', says: 'above 0' },
        });
        expectRefused(() => tril[call](x, x, { out: other }), { call, argument: 'out', says: '' });
        expectRefused(() => tril[call](null as never, x), {
          ...{ call, argument: 'dOutput', says: 'must be a tensor' },
        });
      }
    });
  });
});

describe('linearBackward', () => {
  it('gives the gradients of input, weight and bias', () => {
    withoutLeak(() => {
      const [x, w, b, d] = [
        randomNumbers(12, 1),
        randomNumbers(20, 2),
        randomNumbers(5, 3),
        randomNumbers(15, 4),
      ];
      const linear = (xs: readonly number[], ws: readonly number[], bs: readonly number[]) =>
        rows(xs, 4).flatMap((row) =>
          rows(ws, 4).map((weights, o) => weights.reduce((sum, v, i) => sum + v * row[i]!, bs[o]!)),
        );
      const [from, weight] = [tril.tensor([1, 3, 4], x), tril.tensor([5, 4], w)];
      const { dX, dWeight, dBias } = tril.linearBackward(tril.tensor([1, 3, 5], d), from, weight);
      expect(dX.shape).toEqual([1, 3, 4]);
      expectGradient(
        dX,
        gradient((values) => linear(values, w, b), x, d),
      );
      expectGradient(
        dWeight,
        gradient((values) => linear(x, values, b), w, d),
      );
      expectGradient(
        dBias,
        gradient((values) => linear(x, w, values), b, d),
      );
      const call = 'linearBackward';
      const refused = (dOutput: Tensor, says: string) =>
        expectRefused(() => tril.linearBackward(dOutput, from, weight), {
          ...{ call, argument: 'dOutput', says },
        });
      refused(tril.zeros([3, 5]), 'must have the shape of the output, [1, 3, 5], is [3, 5]');
      const [narrow, flat] = [tril.zeros([1, 3, 3]), tril.zeros([4])];
      expectRefused(() => tril.linearBackward(from, narrow, weight), {
        ...{ call, argument: 'x', says: 'as wide as weight, [5, 4]; shape is [1, 3, 3]' },
      });
      expectRefused(() => tril.linearBackward(from, from, flat), {
        ...{ call, argument: 'weight', says: 'two axes' },
      });
    });
  });
});

describe('layerNormBackward and rmsNormBackward', () => {
  const eps = 0.1;
  const normed = (x: readonly number[], w: readonly number[], centred: boolean) =>
    rows(x, w.length).flatMap((row) => {
      const mean = centred ? row.reduce((a, b) => a + b, 0) / row.length : 0;
      const square = row.reduce((sum, v) => sum + (v - mean) ** 2, 0) / row.length;
      return row.map((v, i) => ((v - mean) / Math.sqrt(square + eps)) * w[i]!);
    });

  it('give the gradients of input, weight and bias', () => {
    withoutLeak(() => {
      const [x, w, d] = [randomNumbers(18, 1), randomNumbers(6, 2), randomNumbers(18, 3)];
      const [from, dOutput] = [tril.tensor([3, 2, 3], x), tril.tensor([3, 2, 3], d)];
      const ones = w.map(() => 1);
      for (const given of [w, ones]) {
        const options = {
          ...{ axes: 2, eps },
          ...(given === w && { weight: tril.tensor([2, 3], w) }),
        };
        const layer = tril.layerNormBackward(dOutput, from, options);
        expectGradient(
          layer.dX,
          gradient((values) => normed(values, given, true), x, d),
        );
        expectGradient(
          layer.dWeight,
          gradient((values) => normed(x, values, true), given, d),
        );
        expectGradient(
          layer.dBias,
          w.map((_, i) => d[i]! + d[i + 6]! + d[i + 12]!),
        );
        const rms = tril.rmsNormBackward(dOutput, from, options);
        expectGradient(
          rms.dX,
          gradient((values) => normed(values, given, false), x, d),
        );
        expectGradient(
          rms.dWeight,
          gradient((values) => normed(x, values, false), given, d),
        );
        expect(layer.dWeight.shape).toEqual([2, 3]);
      }
    });
  });

  it('refuse what does not fit', () => {
    withoutLeak(() => {
      const [x, square, pair] = [tril.zeros([2, 3]), tril.zeros([2, 2]), tril.zeros([2])];
      for (const call of ['layerNormBackward', 'rmsNormBackward'] as const) {
        const refuse = (body: () => unknown, argument: string, says: string) =>
          expectRefused(body, { call, argument, says });
        refuse(() => tril[call](square, x), 'dOutput', 'must have the shape of x');
        refuse(() => tril[call](x, x, { axes: 3 }), 'axes', 'from 1 to the 2 that x has');
        refuse(() => tril[call](x, x, { eps: -1 }), 'eps', 'at least 0');
        refuse(() => tril[call](x, x, { weight: pair }), 'weight', '[3], is [2]');
        refuse(() => tril[call](x, x, { bias: x } as never), 'bias', 'unknown option');
      }
    });
  });
});

describe('reluBackward, geluBackward and siluBackward', () => {
  it('multiply by the slope', () => {
    withoutLeak(() => {
      const [x, d] = [randomNumbers(23, 1), randomNumbers(23, 2)];
      const tanh = (v: number) =>
        0.5 * v * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (v + 0.044715 * v ** 3)));
      // Each gradient depends on one number, so errors do not add up.
      const expected = (f: (v: number) => number) => gradient((values) => values.map(f), x, d);
      const [from, dOutput] = [tril.tensor([23], x), tril.tensor([23], d)];
      expectGradient(
        tril.reluBackward(dOutput, from),
        expected((v) => Math.max(v, 0)),
      );
      expectGradient(
        tril.siluBackward(dOutput, from),
        expected((v) => v / (1 + Math.exp(-v))),
      );
      const options = { approximate: 'tanh' } as const;
      expectGradient(tril.geluBackward(dOutput, from, options), expected(tanh));
      // The exact form is Phi(v) + v phi(v), with Phi by its series.
      const phi = (v: number) => Math.exp((-v * v) / 2) / Math.sqrt(2 * Math.PI);
      const Phi = (v: number) => {
        let [term, sum] = [v, v];
        for (let n = 3; n < 60; n += 2) sum += term *= (v * v) / n;
        return 0.5 + sum * phi(v);
      };
      expectGradient(
        tril.geluBackward(dOutput, from),
        x.map((v, i) => d[i]! * (Phi(v) + v * phi(v))),
      );
      const says = 'must have the shape of x, [23], is [2]';
      const short = tril.zeros([2]);
      for (const call of ['reluBackward', 'geluBackward', 'siluBackward'] as const) {
        const refusal = { call, argument: 'dOutput', says };
        expectRefused(() => tril[call](short, from), refusal);
        expect(tril[call](dOutput, from, { out: from })).toBe(from);
        from.write(x);
      }
      expectRefused(() => tril.geluBackward(from, from, { approximate: 'no' as never }), {
        ...{ call: 'geluBackward', argument: 'approximate', says: '"none" or "tanh"' },
      });
    });
  });
});

describe('embeddingBackward', () => {
  it('adds rows up where an id repeats', () => {
    withoutLeak(() => {
      const d = randomNumbers(12, 1);
      const ids = [
        [1, 3],
        [1, 0],
      ];
      const table = tril.embeddingBackward(tril.tensor([2, 2, 3], d), ids, 5);
      const expected = rows(Array<number>(15).fill(0), 3);
      ids.flat().forEach((id, n) => {
        expected[id] = expected[id]!.map((sum, c) => sum + d[n * 3 + c]!);
      });
      expectGradient(table, expected.flat());
      const call = 'embeddingBackward';
      const dOutput = tril.zeros([2, 3]);
      expectRefused(() => tril.embeddingBackward(dOutput, [1, 5], 5), {
        ...{ call, argument: 'ids', says: 'id 5 at 1 is not a row' },
      });
      expectRefused(() => tril.embeddingBackward(dOutput, [1], 5), {
        ...{ call, argument: 'dOutput', says: '[1, 3], is [2, 3]' },
      });
      expectRefused(() => tril.embeddingBackward(dOutput, [0, 0], -1), {
        ...{ call, argument: 'rows', says: 'at least 0' },
      });
    });
  });
});

describe('attentionBackward', () => {
  const [T, S, D] = [5, 6, 4];
  const [q, k, v, d] = [
    randomNumbers(2 * T * D, 1),
    randomNumbers(S * D, 2),
    randomNumbers(S * D, 3),
    randomNumbers(2 * T * D, 4),
  ];
  const bias = randomNumbers(T * S, 5);
  /** Two heads of queries, one head of keys and values, an additive mask, causal from the second key on. */
  const forward = (
    qs: readonly number[],
    ks: readonly number[],
    vs: readonly number[],
    mask: readonly number[],
  ) =>
    [0, 1].flatMap((h) => {
      const query = rows(qs.slice(h * T * D, (h + 1) * T * D), D);
      const { scores } = attention(query, rows(ks, D), rows(vs, D));
      const weights = scores.map((row, t) =>
        softmax(row.map((x, s) => (s <= t ? x + mask[t * S + s]! : -Infinity))),
      );
      return weights.flatMap((row) =>
        Array.from({ length: D }, (_, c) =>
          row.reduce((sum, weight, s) => sum + weight * rows(vs, D)[s]![c]!, 0),
        ),
      );
    });

  it('gives the gradients of queries, shared keys and values, and of a mask', () => {
    withoutLeak(() => {
      const [query, key, value] = [
        tril.tensor([2, T, D], q),
        tril.tensor([1, S, D], k),
        tril.tensor([1, S, D], v),
      ];
      const mask = tril.mask.dense(tril.tensor([T, S], bias), { kind: 'additive' });
      const options = { causal: true, mask } as const;
      for (const method of ['full', 'online'] as const) {
        const { output, logSumExp } = tril.attention(query, key, value, {
          ...{ ...options, method, logSumExp: true },
        });
        const found = tril.attentionBackward(tril.tensor([2, T, D], d), query, key, value, {
          ...{ ...options, output, logSumExp, maskGradient: true },
        });
        expectGradient(
          found.dQuery,
          gradient((x) => forward(x, k, v, bias), q, d),
        );
        expectGradient(
          found.dKey,
          gradient((x) => forward(q, x, v, bias), k, d),
        );
        expectGradient(
          found.dValue,
          gradient((x) => forward(q, k, x, bias), v, d),
        );
        expect(found.dMask.shape).toEqual([2, T, S]);
        const both = found.dMask.read();
        const summed = bias.map((_, i) => both[i]! + both[i + T * S]!);
        expectClose(
          summed,
          gradient((x) => forward(q, k, v, x), bias, d),
          tolerance,
        );
      }
    });
  });

  it('takes heads side by side', () => {
    withoutLeak(() => {
      const x = tril.randomNormal([3, 7, 8], { seed: 1 });
      const dOutput = tril.randomNormal([3, 7, 8], { seed: 2 });
      const split = (packed: Tensor) => {
        const numbers = packed.read();
        const at = (b: number, h: number, t: number, c: number) =>
          numbers[(b * 7 + t) * 8 + h * 4 + c]!;
        const values = [0, 1, 2].flatMap((b) =>
          [0, 1].flatMap((h) =>
            Array.from({ length: 28 }, (_, i) => at(b, h, Math.floor(i / 4), i % 4)),
          ),
        );
        return tril.tensor([3, 2, 7, 4], values);
      };
      const packed = tril.attention(x, x, x, { heads: 2, logSumExp: true });
      const { dKey } = tril.attentionBackward(dOutput, x, x, x, { heads: 2, ...packed });
      const own = split(x);
      const apart = tril.attention(own, own, own, { logSumExp: true });
      const expected = tril.attentionBackward(split(dOutput), own, own, own, apart);
      expect(split(dKey).read()).toEqual(expected.dKey.read());
    });
  });

  it('refuses what does not fit', () => {
    withoutLeak(() => {
      const call = 'attentionBackward';
      const x = tril.randomNormal([2, 3, 4], { seed: 1 });
      const { output, logSumExp } = tril.attention(x, x, x, { logSumExp: true });
      const good = { output, logSumExp };
      const refuse = (options: object, argument: string, says: string | RegExp, dOutput = x) =>
        expectRefused(() => tril.attentionBackward(dOutput, x, x, x, options as typeof good), {
          ...{ call, argument, says },
        });
      refuse({}, 'output', 'must be a tensor');
      refuse({ output }, 'logSumExp', 'must be a tensor');
      refuse({ ...good, logSumExp: x }, 'logSumExp', '[2, 3], is [2, 3, 4]');
      refuse({ ...good, output: logSumExp }, 'output', '[2, 3, 4], is [2, 3]');
      refuse(good, 'dOutput', '[2, 3, 4], is [2, 3]', logSumExp);
      refuse({ ...good, causl: true }, 'causl', 'did you mean "causal"?');
      refuse({ ...good, method: 'fast' }, 'method', 'there are auto, full, blocked, online');
      refuse({ ...good, scale: NaN }, 'scale', 'must be finite');
      refuse({ ...good, maskGradient: 1 }, 'maskGradient', 'true or false');
    });
  });
});
