// Attention with dropout and its backward pass, against the definition in double precision. The dropped weights follow
// the core's rule (core/tril/layers/dropout.h), implemented again here.
import { attentionMethods } from 'tril';
import { loadTril } from 'tril/worker';
import { describe, expect, it } from 'vitest';
import { expectGradient, gradient, rows } from './differences.js';
import { expectRefused as refusedByBase, tril as base } from './helpers.js';
import { attention, attentionTolerance, expectClose } from './reference.js';
import { matmul, randomNumbers, type Matrix } from './reference.js';
import { expectRefused, tril, withoutLeak } from './trained.js';

const [H, T, S, D] = [2, 5, 7, 4] as const;
const dropout = { probability: 0.3, seed: 2 ** 40 + 3 } as const;

const mask64 = (1n << 64n) - 1n;
/** SplitMix64 of a seed and a row, as two 32-bit keys. */
function keysOf(seed: number, row: number): [number, number] {
  let x = (BigInt(seed) + 0x9e3779b97f4a7c15n * BigInt(row + 1)) & mask64;
  x = ((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n) & mask64;
  x = ((x ^ (x >> 27n)) * 0x94d049bb133111ebn) & mask64;
  x ^= x >> 31n;
  return [Number(x & 0xffffffffn), Number(x >> 32n)];
}

/** Whether a weight is kept: the hash of its column and its row's keys is at least p 2^32. */
function isKept(row: number, column: number): boolean {
  const [first, second] = keysOf(dropout.seed, row);
  let x = Math.imul(column, 0x9e3779b1) + first;
  x ^= x >>> 16;
  x = Math.imul(x, 0x7feb352d);
  x ^= x >>> 15;
  x ^= second;
  x = Math.imul(x, 0x846ca68b);
  x = (x ^ (x >>> 16)) >>> 0;
  return x >= Math.floor(dropout.probability * 2 ** 32);
}

const dropped = (weights: Matrix, head: number): Matrix =>
  weights.map((row, t) =>
    row.map((w, s) => (isKept(head * T + t, s) ? w / (1 - dropout.probability) : 0)),
  );

const [q, k, v, d] = [H * T * D, H * S * D, H * S * D, H * T * D].map((count, n) =>
  randomNumbers(count, n + 1),
) as [number[], number[], number[], number[]];
const head = (values: readonly number[], h: number) => {
  const size = values.length / H;
  return rows(values.slice(h * size, (h + 1) * size), D);
};

/** All outputs, concatenated. */
function outputs(of: { q?: readonly number[]; k?: readonly number[]; v?: readonly number[] }) {
  return Array.from({ length: H }, (_, h) => {
    const value = head(of.v ?? v, h);
    const { weights } = attention(head(of.q ?? q, h), head(of.k ?? k, h), value, (t, s) => s <= t);
    return matmul(dropped(weights, h), value);
  }).flat(2);
}

const tensors = () => ({
  q: tril.tensor([H, T, D], q),
  k: tril.tensor([H, S, D], k),
  v: tril.tensor([H, S, D], v),
  dOutput: tril.tensor([H, T, D], d),
});

describe('dropout of attention', () => {
  it('leaves out the weights that the core leaves out, by every method', () => {
    withoutLeak(() => {
      const x = tensors();
      for (const method of attentionMethods) {
        const { output } = tril.attention(x.q, x.k, x.v, { causal: true, method, dropout });
        expectClose(output.read(), outputs({}), attentionTolerance / (1 - dropout.probability));
      }
      const whole = tril.attention(x.q, x.k, x.v, { causal: true }).output.read();
      const none = { probability: 0, seed: 1 };
      const { output, trace } = tril.attention(x.q, x.k, x.v, {
        causal: true,
        dropout: none,
        trace: true,
      });
      expectClose(output.read(), [...whole], attentionTolerance);
      const traced = tril.attention(x.q, x.k, x.v, { causal: true, dropout, trace: true });
      expect(traced.trace.weights.read()).toEqual(trace.weights.read()); // before dropout
    });
  });

  it('leaves out the same in the backward pass', () => {
    withoutLeak(() => {
      const { dOutput, ...x } = tensors();
      const { output, logSumExp } = tril.attention(x.q, x.k, x.v, {
        ...{ causal: true, dropout, logSumExp: true },
      });
      const options = { output, logSumExp, causal: true, dropout, maskGradient: true } as const;
      const found = tril.attentionBackward(dOutput, x.q, x.k, x.v, options);
      expectGradient(
        found.dQuery,
        gradient((moved) => outputs({ q: moved }), q, d),
      );
      expectGradient(
        found.dKey,
        gradient((moved) => outputs({ k: moved }), k, d),
      );
      expectGradient(
        found.dValue,
        gradient((moved) => outputs({ v: moved }), v, d),
      );
      expect(found.dMask.shape).toEqual([H, T, S]);
    });
  });

  it('is the same in a Worker', async () => {
    const remote = await loadTril({ variant: 'simd', training: true });
    const [a, b] = [
      await remote.tensor([T, D], q.slice(0, T * D)),
      tril.tensor([T, D], q.slice(0, T * D)),
    ];
    const there = await remote.attention(a, a, a, { dropout });
    const here = tril.attention(b, b, b, { dropout });
    expect(await there.output.read()).toEqual(here.output.read());
    here.output.dispose();
    b.dispose();
    remote.close();
  });

  it('is refused where it does not fit', () => {
    withoutLeak(() => {
      const { dOutput, ...x } = tensors();
      const out = tril.zeros([H, T, D]);
      const { output, logSumExp } = tril.attention(x.q, x.k, x.v, { logSumExp: true });
      const both = (given: unknown, argument: string, says: string) => {
        const wrong = { dropout: given as typeof dropout };
        const { q: a, k: b, v: c } = x;
        const forward = () => tril.attention(a, b, c, { ...wrong, out });
        const back = () =>
          tril.attentionBackward(dOutput, a, b, c, { ...wrong, output, logSumExp });
        expectRefused(forward, { call: 'attention', argument, says, out });
        expectRefused(back, { call: 'attentionBackward', argument, says });
      };
      both({ probability: 1, seed: 1 }, 'probability', 'at least 0 and below 1, is 1');
      both({ probability: -0.1, seed: 1 }, 'probability', 'at least 0 and below 1, is -0.1');
      both({ seed: 1 }, 'probability', 'is nan');
      both({ probability: '1', seed: 1 }, 'probability', 'must be a number');
      both({ probability: 0.1 }, 'seed', 'must be a whole number');
      both({ probability: 0.1, seed: -1 }, 'seed', 'must be a whole number');
      both({ rate: 0.1, seed: 1 }, 'rate', 'unknown option');
      both(0.1, 'dropout', 'must be an object');
    });
    base.scope(() => {
      const x = base.zeros([T, D]);
      const says = 'is not in the module that was loaded';
      refusedByBase(() => base.attention(x, x, x, { dropout } as object), {
        ...{ call: 'attention', argument: 'training', says },
      });
      const forward = base.attention(x, x, x, { logSumExp: true });
      refusedByBase(
        () => base.attentionBackward(x, x, x, x, { ...forward, ...({ dropout } as object) }),
        {
          ...{ call: 'attentionBackward', argument: 'training', says },
        },
      );
    });
  });
});
