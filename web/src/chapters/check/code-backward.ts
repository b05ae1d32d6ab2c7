// The gradients of a visitor's own case as programs: PyTorch's autograd, and NumPy step by step.
import type { GradientName } from '../../compute/shared/lessons/check-names';
import type { MatrixData } from '../../compute/page/protocol';
import type { Dialect, Steps } from '../../figures/program';
import type { MaskReading } from '../../compute/shared/lessons/file-mask';
import { pythonAttention } from './code-attention';
import { asExpected, type LayerChoices, type Named } from './code-layers';

type Choices = LayerChoices & { readonly reading?: MaskReading };

/** Name of the gradient's input: "q" for "d_q". */
const inputOf = (of: GradientName) => of.slice(2);

/** PyTorch's gradients of these inputs, by their names; `forward` computes `output`. */
const autograd = (names: readonly string[], forward: string, of: GradientName) =>
  `leaves = {${names.map((name) => `"${name}": ${name}.requires_grad_()`).join(', ')}}
${forward}
(output * d_output.reshape(output.shape)).sum().backward()
found = leaves["${inputOf(of)}"].grad`;

export function linearBackwardSteps(say: Dialect, of: GradientName, expected: MatrixData): Steps {
  const gradients: Readonly<Record<string, string>> = {
    d_x: 'd_output @ weight',
    d_weight: 'd_output.T @ x',
    d_bias: 'd_output.sum(0)',
  };
  const forward = 'output = F.linear(x, weight, bias)';
  const lines = say.by({
    numpy: `found = ${gradients[of]}`,
    pytorch: `bias = torch.zeros(len(weight))\n${autograd(['x', 'weight', 'bias'], forward, of)}`,
  });
  return { steps: [lines], result: asExpected('found', expected) };
}

export function attentionBackwardSteps(
  say: Dialect,
  given: Named,
  choices: Choices,
  of: GradientName,
  expected: MatrixData,
): Steps {
  const forward = say.by({ python: (p) => pythonAttention(p, given, { ...choices, heads: 0 }) });
  const { shape } = given[inputOf(of)];
  const [batches, heads, tokens, width] = [...Array<number>(4 - shape.length).fill(1), ...shape];
  const lines = say.by({
    pytorch: autograd(['q', 'k', 'v'], forward, of),
    numpy: `${forward}
d_output = d_output.reshape(output.shape)
d_weights = d_output @ v.swapaxes(2, 3)
d_scores = weights * (d_weights - (d_weights * weights).sum(3, keepdims=True)) / q.shape[3] ** 0.5
gradients = {
    "d_q": d_scores @ k,
    "d_k": d_scores.swapaxes(2, 3) @ q,
    "d_v": weights.swapaxes(2, 3) @ d_output,
}
# Heads that share keys and values add up what they send back.
found = gradients["${of}"].reshape(${batches}, ${heads}, -1, ${tokens}, ${width}).sum(2)`,
  });
  return { steps: [lines], result: asExpected('found', expected) };
}
