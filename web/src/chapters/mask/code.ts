// The figure as programs elsewhere: masked attention in NumPy, PyTorch and C++, from the scores on.
import type { MaskAnswer } from '../../compute/lessons/mask';
import { cppProgram, numpyProgram, torchProgram, type Program } from '../../figures/code';
import type { HideId } from '../../compute/lessons/mask-rules';
import type { Scene } from './scene';

const masked = {
  infinity: 'masked = scores + M',
  large: 'masked = scores + {lib}.where(M < 0, {float}, M)',
  zero: 'masked = {lib}.where(M < 0, {zero}, scores)',
  after: 'masked = scores',
} satisfies Record<HideId, string>;

function maskedLine(hide: HideId, lib: 'np' | 'torch'): string {
  const number = (value: string) =>
    lib === 'np' ? `np.float32(${value})` : `torch.tensor(${value}, dtype=torch.float32)`;
  return masked[hide]
    .replace('{lib}', lib)
    .replace('{float}', number('-1e9'))
    .replace('{zero}', number('0'));
}

const numpySoftmax = `largest = masked.max(axis=1, keepdims=True)
# A row that sees nothing has no largest score; its powers are zeros, and so are its weights.
powers = np.exp(masked - np.where(largest == -inf, np.float32(0), largest))
sums = powers.sum(axis=1, keepdims=True)
weights = powers / np.where(sums == 0, np.float32(1), sums)`;

const after = (lib: 'np' | 'torch') =>
  `\nweights = ${lib}.where(M < 0, ${lib === 'np' ? 'np.float32(0)' : 'torch.tensor(0.0)'}, weights)`;

// In C++ the scores go in as queries, with the unit matrix for keys and a scale of 1.
const cppSteps = (
  size: number,
) => `tril::Buffer<float, 4> unit({1, 1, ${size}, ${size}}), attended({1, 1, ${size}, V.size(1)});
for (tril::Index i = 0; i < ${size}; ++i) {
  for (tril::Index j = 0; j < ${size}; ++j) unit.view()[0][0][i][j] = i == j ? 1.0f : 0.0f;
}
const tril::TensorView<const float, 4> queries(scores.data(), {1, 1, ${size}, ${size}});
const tril::TensorView<const float, 4> values(V.data(), {1, 1, ${size}, V.size(1)});
const tril::TensorView<const float, 4> added(M.data(), {1, 1, ${size}, ${size}});
tril::attention(queries, unit.view(), values, {.mask = tril::Mask::additive(added), .scale = 1.0f},
                attended.view(), scratch, parallel);`;

export function programsOf({ answer, hide }: Pick<Scene, 'hide'> & { answer: MaskAnswer }) {
  const program = (uses: Pick<Program, 'steps' | 'uses'>, result: string): Program => ({
    about: 'Attention under a mask',
    inputs: { scores: answer.scores, M: answer.mask, V: answer.values },
    result,
    expected: answer.output,
    ...uses,
  });
  const late = hide === 'after';
  const numpy = [maskedLine(hide, 'np'), numpySoftmax + (late ? after('np') : '')];
  const torch = [
    maskedLine(hide, 'torch'),
    `weights = masked.softmax(dim=1).nan_to_num()${late ? after('torch') : ''}`,
  ];
  return {
    numpy: () => numpyProgram(program({ steps: numpy.join('\n') }, 'weights @ V')),
    pytorch: () => torchProgram(program({ steps: torch.join('\n') }, 'weights @ V')),
    ...(hide === 'infinity' && {
      cpp: () =>
        cppProgram(
          program(
            { steps: cppSteps(answer.scores.rows), uses: ['attention/attention'] },
            'attended.view()[0][0]',
          ),
        ),
    }),
  };
}
