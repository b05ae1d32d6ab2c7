// The figures as programs elsewhere: attention under a mask in NumPy, PyTorch and C++, and the blocks that a mask
// skips.
import { futureGraphs, maskGraphs } from '../../compute/shared/handmade/mask-graph';
import type { FutureAnswer } from '../../compute/worker/lessons/mask';
import type { BlocksAnswer, BlocksAsk } from '../../compute/worker/lessons/mask-blocks';
import { blockSize, type BlockPattern, type HideId } from '../../compute/shared/lessons/mask-rules';
import { programsOf } from '../../figures/graph';
import { programs, type Own } from '../../figures/program';
import type { Scene } from './scene';

export const maskCode = ({ answer: { values }, hide }: Scene) =>
  programsOf('Attention under a mask', { graph: maskGraphs[hide], values }, ['output']);

/** The outputs for the original input, and for the overwritten one if it is shown. */
export function futureCode({ values }: FutureAnswer, overwritten: boolean, hide: HideId) {
  const { X_before, before } = values;
  return programsOf(
    'Attention under a mask, before and after the tokens of the future were overwritten',
    {
      graph: futureGraphs[hide],
      values: overwritten ? values : { ...values, X_after: X_before, after: before },
    },
    ['before', 'after'],
  );
}

/** The visible share of the pairs of each block. */
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
