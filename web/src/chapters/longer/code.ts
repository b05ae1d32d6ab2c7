// The figures of this chapter as programs elsewhere.
import type { LinearOrders, OnlineSteps, RankResult } from '../../compute/worker/lessons/longer';
import type { MatrixData } from '../../compute/page/protocol';
import { programsOf } from '../../figures/graph';
import { programs } from '../../figures/program';
import type { Sizes } from './scene-online';

/** 0 where a query may look, -inf elsewhere: the additive mask, for every kind. */
function hiding({ rows, cols, data }: MatrixData): MatrixData {
  return { rows, cols, data: data.map((score) => (score === -Infinity ? -Infinity : 0)) };
}

export function codeOf(run: OnlineSteps, { queries, keys }: Sizes) {
  const given = {
    about: 'Attention by online softmax: a block of keys at a time, with a running maximum and sum',
    inputs: { q: run.q, k: run.k, v: run.v, mask: hiding(run.masked) },
    expected: run.output,
  };
  return programs(given, (say) => ({
    steps: [
      say.by({
        python: ({
          lib,
          kept,
          either,
        }) => `maximum = ${lib}.full((len(q), 1), -inf${either(', np.float32', '')})
total = ${lib}.zeros_like(maximum)
output = ${either('np.zeros((len(q), v.shape[1]), np.float32)', 'torch.zeros(len(q), v.shape[1])')}
for first in range(0, len(k), ${keys}):
    block = slice(first, first + ${keys})
    scores = q @ k[block].T / q.shape[1] ** 0.5 + mask[:, block]
    larger = ${lib}.maximum(maximum, scores.${either('max', 'amax')}(${kept}))
    shift = ${lib}.where(larger == -inf, 0, larger)  # rows that have seen nothing yet
    factor = ${lib}.exp(maximum - shift)
    powers = ${lib}.exp(scores - shift)
    total = total * factor + powers.sum(${kept})
    output = output * factor + powers @ v[block]
    maximum = larger
output = output / total`,
        cpp: (c) => `// One batch of one head: [1, 1, T, D] is [T, D].
${c.matrices({ output: [run.q.rows, run.v.cols] })}
tril::AttentionOptions options;
options.mask = tril::Mask::additive(${c.head('mask')});
tril::online_attention(${c.head('q')}, ${c.head('k')}, ${c.head('v')}, options,
                       {.queries = ${queries}, .keys = ${keys}}, ${c.head('output')});`,
      }),
    ],
    result: 'output',
  }));
}

export const linearCode = (orders: LinearOrders) =>
  programsOf(
    'The product Q K^T V without softmax, values first: K^T V is D x D, whatever T is',
    orders,
    ['pairs', 'right'],
  );

/** Softmax of the scores, its singular values, and the cumulative shares of their sum. */
export function rankCode(head: string, { q, k, sums }: RankResult) {
  const given = {
    about: `The singular values of the weights of head “${head}”, added up as shares of their sum`,
    inputs: { q, k },
    expected: sums,
  };
  return programs(given, (say) => ({
    steps: [
      say.scores('scores', 'q', 'k'),
      say.softmax('weights', 'scores'),
      say.singularValues('values', 'weights'),
      say.by({
        python: (p) => `shares = (values / values.sum()).cumsum(${p.either('axis', 'dim')}=1)`,
        cpp: (c) => `${c.matrices({ shares: c.size('values') })}
double all = 0, so_far = 0;
for (tril::Index i = 0; i < ${sums.cols}; ++i) all += values.view()[0][i];
for (tril::Index i = 0; i < ${sums.cols}; ++i) {
  so_far += values.view()[0][i];
  shares.view()[0][i] = static_cast<float>(so_far / all);
}`,
      }),
    ],
    result: 'shares',
  }));
}
