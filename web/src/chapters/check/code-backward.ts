// The gradients of a visitor's own case as programs: PyTorch's autograd, and NumPy step by step.
import type { GradientName } from '../../compute/lessons/check-names';
import type { MatrixData } from '../../compute/protocol';
import { attentionSteps } from './code-attention';
import {
  asExpected,
  type Language,
  type LayerChoices,
  type Named,
  type Steps,
} from './code-layers';
import type { MaskReading } from '../../compute/lessons/file-mask';

type Choices = LayerChoices & { readonly reading?: MaskReading };
type Python = Exclude<Language, 'cpp'>;

const sizes = (shape: readonly number[]) => shape.join(', ');
/** What the gradient is of: "q" of "d_q". */
const inputOf = (of: GradientName) => of.slice(2);

/** d_output, and all others, as rows of the last axis. */
const rowsOf = ({ shape }: Named[string]): MatrixData => {
  const cols = shape.at(-1) ?? 1;
  return {
    rows: shape.reduce((product, size) => product * size, 1) / cols,
    cols,
    data: new Float32Array(),
  };
};

/** Asks PyTorch for the gradient of one input: `forward` ends in an expression like d_output's rows. */
function autograd(
  names: readonly string[],
  forward: Steps,
  of: string,
  expected: MatrixData,
): Steps {
  return {
    ...forward,
    steps: `leaves = {${names.map((name) => `"${name}": ${name}.requires_grad_()`).join(', ')}}
${forward.steps}
(${forward.result} * d_output).sum().backward()`,
    result: `leaves["${of}"].grad.${asExpected(expected)}`,
  };
}

export function linearBackwardSteps(
  language: Python,
  of: GradientName,
  expected: MatrixData,
): Steps {
  if (language === 'pytorch') {
    const forward = {
      steps: 'bias = torch.zeros(len(weight), requires_grad=True)',
      result: 'torch.nn.functional.linear(x, weight, bias)',
    };
    const steps = autograd(['x', 'weight'], forward, of === 'd_bias' ? 'x' : inputOf(of), expected);
    return of === 'd_bias' ? { ...steps, result: `bias.grad.${asExpected(expected)}` } : steps;
  }
  const gradients = {
    d_x: 'd_output @ weight',
    d_weight: 'd_output.T @ x',
    d_bias: 'd_output.sum(0)',
  };
  const found = gradients[of as keyof typeof gradients];
  return { steps: '', result: `(${found}).${asExpected(expected)}` };
}

export function attentionBackwardSteps(
  language: Python,
  given: Named,
  choices: Choices,
  of: GradientName,
  expected: MatrixData,
): Steps {
  const forward = attentionSteps(language, given, { ...choices, heads: 0 }, rowsOf(given.d_output));
  if (language === 'pytorch') return autograd(['q', 'k', 'v'], forward, inputOf(of), expected);
  const { shape } = given[inputOf(of)];
  const four = [...Array<number>(4 - shape.length).fill(1), ...shape];
  const [batches, heads, tokens, width] = four;
  const sums = 'powers.sum(3, keepdims=True)';
  return {
    ...forward,
    steps: `${forward.steps}
sums = ${sums}
weights = powers / np.where(sums == 0, np.float32(1), sums)
d_output = d_output.reshape(output.shape)
d_weights = d_output @ v.swapaxes(2, 3)
d_scores = weights * (d_weights - (d_weights * weights).sum(3, keepdims=True)) / q.shape[3] ** 0.5
gradients = {
    "d_q": d_scores @ k,
    "d_k": d_scores.swapaxes(2, 3) @ q,
    "d_v": weights.swapaxes(2, 3) @ d_output,
}
# Heads that share keys and values add up what they send back.
found = gradients["${of}"].reshape(${sizes([batches, heads])}, -1, ${sizes([tokens, width])}).sum(2)`,
    result: `found.${asExpected(expected)}`,
  };
}
