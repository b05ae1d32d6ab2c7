// The measurements: products of n x n matrices, and kinds of attention from n tokens to n tokens.
import type { AttentionOptions, Cost, LinearAttentionOptions } from 'tril';
import type { LessonsTril as Tril } from 'tril/lessons';
import type { Contest } from './benchmark';
import { pooling } from './lessons/longer';
import { attentionSizes, type AttentionRunner } from '../shared/measure-protocol';

/** A subject of the comparison, not part of the page's computations: loops as anyone would write them. */
function multiplyInJavaScript(
  a: Float32Array,
  b: Float32Array,
  out: Float32Array,
  n: number,
): void {
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < n; ++j) {
      let sum = 0;
      for (let k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      out[i * n + j] = sum;
    }
  }
}

export const products: Contest<'products'> = {
  growth: () => 3,

  prepare(tril, runners, n) {
    const sizes = { rows: n, depth: n, cols: n };
    const { flops } = tril.cost.matmul(sizes);
    const seven = tril.cost.matmul({ ...sizes, method: 'strassen' });
    const a = tril.randomNormal([n, n], { seed: n });
    const b = tril.randomNormal([n, n], { seed: n + 1 });
    const out = tril.zeros([n, n]);
    const [plainA, plainB, plainOut] = [a.read(), b.read(), out.read()];
    const contenders = runners.map((runner) => ({
      runner,
      call:
        runner === 'javascript'
          ? () => multiplyInJavaScript(plainA, plainB, plainOut, n)
          : () => void tril.matmul(a, b, { method: runner, out }),
      facts: (milliseconds: number) => ({
        gigaflops: tril.cost.gigaflops(flops, milliseconds),
        own: tril.cost.gigaflops(runner === 'strassen' ? seven.flops : flops, milliseconds),
      }),
    }));
    return { contenders, tensors: [a, b, out] };
  },
};

/** Kinds of attention from `n` random queries to `n` keys, each with its cost. */
function ways(tril: Tril, n: number, causal: boolean) {
  const { width, window, rank } = attentionSizes;
  const [q, k, v] = [0, 1, 2].map((one) =>
    tril.randomNormal([1, 1, n, width], { seed: 3 * n + one }),
  );
  const out = tril.zeros([1, 1, n, width]);
  const few = Math.min(rank, n);
  const e = pooling(tril, few, n);
  const near = tril.mask.window({ left: window, ...(!causal && { right: window }) });
  const sizes = { queries: n, keys: n, width };
  const { cost } = tril;
  const exactly = (options: Pick<AttentionOptions, 'causal' | 'mask' | 'method'>) => ({
    call: () => void tril.attention(q, k, v, { ...options, out }),
    cost: cost.attention({ ...sizes, ...options }),
  });
  const linearly = (options: LinearAttentionOptions) => ({
    call: () => void tril.linearAttention(q, k, v, { ...options, out }),
    cost: cost.linearAttention({ ...sizes, ...options }),
  });
  const all: Record<AttentionRunner, { readonly call: () => void; readonly cost: Cost }> = {
    full: exactly({ causal, method: 'full' }),
    blocked: exactly({ causal, method: 'blocked' }),
    online: exactly({ causal, method: 'online' }),
    window: exactly({ causal, mask: near, method: 'online' }),
    linear: linearly({ causal }),
    linearScores: linearly({ causal, order: 'scores_first' }),
    lowRank: {
      call: () => void tril.lowRankAttention(q, k, v, { e, f: e, out }),
      cost: cost.lowRankAttention({ ...sizes, rank: few }),
    },
  };
  const exact = tril.attention(q, k, v, { causal, method: 'blocked' }).output;
  const tensors = [q, k, v, out, e, exact];
  return { all, tensors, wrong: () => tril.compare(exact, out).relative };
}

export const attention = (causal: boolean): Contest<'attention'> => ({
  growth: (runner) => (runner === 'window' || runner === 'linear' || runner === 'lowRank' ? 1 : 2),

  prepare(tril, runners, n) {
    const { all, tensors, wrong } = ways(tril, n, causal);
    const contenders = runners.map((runner) => {
      const { call, cost } = all[runner];
      return {
        runner,
        call,
        facts(milliseconds: number) {
          call();
          const { flops, bytes: touched, heldBytes: bytes } = cost;
          const intensity = tril.cost.intensity(flops, touched);
          const gigaflops = tril.cost.gigaflops(flops, milliseconds);
          return { flops, gigaflops, touched, intensity, bytes, wrong: wrong() };
        },
      };
    });
    return { contenders, tensors };
  },
});
