// The figure as programs elsewhere: multi-head attention of the shown sequence in NumPy, PyTorch and C++.
import { cppProgram, numpyProgram, torchProgram, type Program } from '../../figures/code';
import { headWidth, heads, inputs, layers, stacked } from '../../compute/handmade/heads-circuit';
import type { Scene } from './scene';

const width = heads * headWidth;

const numpy = `T = len(X)
split = lambda M: M.reshape(T, ${heads}, ${headWidth}).transpose(1, 0, 2)
Q, K, V = (split(X @ W.T) for W in np.split(W_in, 3))
scores = Q @ K.transpose(0, 2, 1) / np.sqrt(np.float32(${headWidth}))
masked = np.where(np.tri(T, dtype=bool), scores, np.float32(-inf))
powers = np.exp(masked - masked.max(axis=2, keepdims=True))
weights = powers / powers.sum(axis=2, keepdims=True)
heads = (weights @ V).transpose(1, 0, 2).reshape(T, ${width})`;

const torch = `T = len(X)
Q, K, V = ((X @ W.T).view(T, ${heads}, ${headWidth}).transpose(0, 1) for W in W_in.chunk(3))
scores = Q @ K.transpose(1, 2) / ${headWidth} ** 0.5
masked = scores.masked_fill(torch.ones(T, T).triu(1).bool(), -inf)
attended = masked.softmax(dim=2) @ V
heads = attended.transpose(0, 1).reshape(T, ${width})`;

const cpp = `tril::Buffer<float, 3> output({1, X.size(0), ${inputs}});
tril::multi_head_attention({X.data(), {1, X.size(0), ${inputs}}},
                           {.in_proj_weight = W_in, .out_proj_weight = W_O},
                           {.heads = ${heads}, .attention = {.causal = true}}, output.view(), scratch, parallel);`;

export function programsOf({ layer, outputWeight }: Scene) {
  const program = (steps: string, result: string, uses: readonly string[] = []): Program => ({
    about: `Multi-head attention, ${heads} heads of ${headWidth}, causal`,
    inputs: { X: layer.x, W_in: stacked(layers[0]), W_O: outputWeight },
    steps,
    result,
    expected: layer.output,
    uses,
  });
  return {
    numpy: () => numpyProgram(program(numpy, 'heads @ W_O.T')),
    pytorch: () => torchProgram(program(torch, 'heads @ W_O.T')),
    cpp: () => cppProgram(program(cpp, 'output.view()[0]', ['attention/multi_head_attention'])),
  };
}
