// The measured times as data, and as a program for the package that measures them again.
import { attentionSizes, type Measured } from '../../compute/shared/measure-protocol';

export function measuredData(all: readonly Measured<'attention'>[]): string {
  const lines = all.map(({ runner, n, median, least, most, bytes, wrong }) =>
    [runner, n, median, least, most, bytes, wrong].join(','),
  );
  return `method,T,milliseconds,least,most,bytes,distance\n${lines.join('\n')}\n`;
}

export function measuredProgram(sizes: readonly number[], causal: boolean): string {
  const { width, window, rank } = attentionSizes;
  return `// Ways of attending timed with the package tril: node measure.mjs
import { loadTril } from 'tril';

const tril = await loadTril();
const causal = ${causal};
const median = (call) => {
  call();
  const times = Array.from({ length: 5 }, () => {
    const begin = performance.now();
    call();
    return performance.now() - begin;
  });
  return times.sort((a, b) => a - b)[2];
};
console.log('method,T,milliseconds,distance');
for (const T of [${sizes.join(', ')}]) {
  tril.scope(() => {
    const [q, k, v] = [0, 1, 2].map((i) => tril.randomNormal([1, 1, T, ${width}], { seed: 3 * T + i }));
    const out = tril.zeros([1, 1, T, ${width}]);
    const near = tril.mask.window({ left: ${window}${causal ? '' : `, right: ${window}`} });
    const exact = tril.attention(q, k, v, { causal, method: 'blocked' }).output;
    const ways = {
      full: () => tril.attention(q, k, v, { causal, method: 'full', out }),
      blocked: () => tril.attention(q, k, v, { causal, method: 'blocked', out }),
      online: () => tril.attention(q, k, v, { causal, method: 'online', out }),
      window: () => tril.attention(q, k, v, { causal, mask: near, method: 'online', out }),
      linear: () => tril.linearAttention(q, k, v, { causal, out }),
      linearScores: () => tril.linearAttention(q, k, v, { causal, order: 'scores_first', out }),
${
  causal
    ? ''
    : `      lowRank: () => tril.lowRankAttention(q, k, v, { e, f: e, out }),
`
}    };
${
  causal
    ? ''
    : `    // ${rank} averages of neighbouring keys
    const few = Math.min(${rank}, T);
    const each = Math.ceil(T / few);
    const e = tril.tensor(
      Array.from({ length: few }, (_, r) =>
        Array.from({ length: T }, (_, t) =>
          Math.floor(t / each) === r ? 1 / (Math.min(T, (r + 1) * each) - r * each) : 0,
        ),
      ),
    );
`
}    for (const [name, call] of Object.entries(ways)) {
      const milliseconds = median(call);
      const { frobenius, expectedNorm } = tril.compare(exact, out);
      console.log([name, T, milliseconds, frobenius / expectedNorm].join(','));
    }
  });
}
`;
}
