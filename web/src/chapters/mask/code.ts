// The figures as programs elsewhere: attention under a mask in NumPy, PyTorch and C++, and which blocks a mask skips.
import type { FutureAnswer, MaskAnswer } from '../../compute/lessons/mask';
import type { BlocksAnswer, BlocksAsk } from '../../compute/lessons/mask-blocks';
import { blockSize, type BlockPattern, type HideId } from '../../compute/lessons/mask-rules';
import { below } from '../../figures/code';
import { programs, type Dialect, type Own } from '../../figures/program';
import type { Cpp } from '../../figures/program-cpp';
import type { Scene } from './scene';

/** From `scores` and `M` to `weights`. */
function masking(say: Dialect, hide: HideId, size: number): string {
  /** 1 where a query may look, 0 where not. */
  const seen = 'M[i][j] == 0 ? 1.0f : 0.0f';
  const square = { masked: [size, size] } as const;
  const steps: Readonly<Record<HideId, Own>> = {
    infinity: {
      python: (p) => `masked = ${p.lib}.where(M < 0, M, scores)`,
      cpp: (c) => c.each('masked', `M[i][j] < 0 ? M[i][j] : ${c.at('scores')}`),
    },
    large: {
      python: 'masked = scores + M.clip(-1e9)',
      cpp: (c) => c.each('masked', `${c.at('scores')} + std::max(M[i][j], -1e9f)`),
    },
    zero: {
      python: 'masked = scores * (M == 0)',
      cpp: (c) => c.each('masked', `${c.at('scores')} * (${seen})`),
    },
    after: {},
  };
  const late = {
    python: 'weights = weights * (M == 0)',
    cpp: (c: Cpp) => c.each('weights', `${c.at('weights')} * (${seen})`),
  };
  const masked = hide === 'after' ? 'scores' : 'masked';
  return [
    hide !== 'after' && say.by({ cpp: (c) => c.matrices(square) }),
    say.by(steps[hide]),
    say.softmax('weights', masked, hide === 'infinity'),
    hide === 'after' && say.by(late),
  ]
    .filter(Boolean)
    .join('\n');
}

export function programsOf({ answer, hide }: Pick<Scene, 'hide'> & { answer: MaskAnswer }) {
  const given = {
    about: 'Attention under a mask',
    inputs: { scores: answer.scores, M: answer.mask, V: answer.values },
    expected: answer.output,
  };
  return programs(given, (say) => ({
    steps: [masking(say, hide, answer.scores.rows), say.product('output', 'weights', 'V')],
    result: 'output',
  }));
}

/** The outputs of the input as it was, and below them those of the overwritten one. */
export function futureCode(
  { given, outputs, shown }: FutureAnswer & { shown: number },
  hide: HideId,
) {
  const { x, overwritten, weights, mask } = given;
  const named = { X_before: x, X_after: shown === 1 ? overwritten : x };
  const projections = { W_Q: weights.wq, W_K: weights.wk, W_V: weights.wv };
  const common = {
    about: 'Attention under a mask, before and after the tokens of the future were overwritten',
    inputs: { ...named, ...projections, M: mask },
    expected: below(outputs[0], outputs[shown]),
  };
  const attention = (say: Dialect) => () =>
    [
      say.linear('X', { Q: 'W_Q', K: 'W_K', V: 'W_V' }),
      say.scores('scores', 'Q', 'K'),
      masking(say, hide, x.rows),
      say.product('output', 'weights', 'V'),
    ].join('\n');
  return programs(common, (say) => ({
    steps: [
      say.function('attention', 'X', 'X_before', 'output', attention(say)),
      say.call({ before: ['attention', 'X_before'], after: ['attention', 'X_after'] }),
      say.below('both', ['before', 'after']),
    ],
    result: 'both',
  }));
}

/** Which share of the pairs of a block may be seen. */
export function blocksCode({ seen }: BlocksAnswer, { pattern, tokens }: BlocksAsk) {
  const { queries, keys } = blockSize;
  const [down, across] = [tokens / queries, tokens / keys];
  const patterns: Record<BlockPattern, readonly [python: string, cpp: string]> = {
    full: ['j >= 0', 'tril::Mask()'],
    causal: ['j <= i', 'tril::Mask::causal()'],
    window: ['(j <= i) & (i - j <= 255)', 'tril::Mask::causal() & tril::Mask::window(255, {})'],
    strided: [
      '(j <= i) & ((i - j < 64) | ((i - j) % 64 == 0))',
      'tril::Mask::causal() & tril::Mask::strided(64, 64)',
    ],
    padding: [`j < ${tokens / 2}`, `tril::Mask::padding({${tokens / 2}})`],
  };
  const [python, cpp] = patterns[pattern];
  const given = {
    about: `Which share of its pairs may be seen, for blocks of ${queries} queries by ${keys} keys, ${tokens} tokens`,
    inputs: {},
    expected: seen,
  };
  const lines: Own = {
    python: ({
      lib,
      either,
    }) => `i, j = ${lib}.arange(${tokens})[:, None], ${lib}.arange(${tokens})[None, :]
visible = (${python}) & (i >= 0)
seen = visible.reshape(${down}, ${queries}, ${across}, ${keys})${either('.mean(axis=(1, 3))', '.float().mean(dim=(1, 3))')}
print("blocks that nothing is seen of:", int((seen == 0).sum()))`,
    cpp: `tril::Buffer<float, 4> hides({1, 1, ${tokens}, ${tokens}});
tril::mask_values(${cpp}, 0, hides);
tril::Buffer<float, 2> seen({${down}, ${across}});
for (tril::Index i = 0; i < ${tokens}; ++i) {
  for (tril::Index j = 0; j < ${tokens}; ++j) {
    if (hides.view()[0][0][i][j] == 0) seen.view()[i / ${queries}][j / ${keys}] += 1.0f / ${queries * keys};
  }
}`,
  };
  return programs(given, (say) => ({ steps: [say.by(lines)], result: 'seen' }));
}
