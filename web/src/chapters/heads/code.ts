// The figures as programs elsewhere: multi-head attention of the shown sequence in NumPy, PyTorch and C++.
import type { HeadsAnswer } from '../../compute/lessons/heads';
import { below, cppProgram, numpyProgram, torchProgram, type Program } from '../../figures/code';
import {
  divisions,
  headWidth,
  heads,
  inputs,
  layers,
  stacked,
} from '../../compute/handmade/heads-circuit';
import type { Scene } from './scene';

const both = (about: string, given: Program['inputs'], expected: Program['expected']) => ({
  /** The same lines for both but for the names of a few calls. */
  python: (steps: string, result: string) => {
    const program: Program = { about, inputs: given, steps, result, expected };
    return {
      numpy: () => numpyProgram({ ...program, steps: `${numpyMaps}\n${steps}` }),
      pytorch: () => torchProgram({ ...program, steps: `${torchMaps}\n${steps}` }),
    };
  },
  cpp: (steps: string, result: string) => () =>
    cppProgram({
      ...{ about, inputs: given, steps, result, expected },
      uses: ['attention/multi_head_attention', 'layers/elementwise'],
    }),
});

/** Queries, keys and values of so many heads, and their maps. */
const numpyMaps = `join = np.concatenate
def split(X, W, count):
    return [(X @ part.T).reshape(len(X), count, -1).transpose(1, 0, 2) for part in np.split(W, 3)]
def maps(Q, K):
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(np.float32(Q.shape[2]))
    masked = np.where(np.tri(Q.shape[1], dtype=bool), scores, np.float32(-inf))
    powers = np.exp(masked - masked.max(axis=2, keepdims=True))
    return powers / powers.sum(axis=2, keepdims=True)
def side_by_side(heads):
    return heads.transpose(1, 0, 2).reshape(heads.shape[1], -1)`;
const torchMaps = `join = torch.cat
def split(X, W, count):
    return [(X @ part.T).view(len(X), count, -1).transpose(0, 1) for part in W.chunk(3)]
def maps(Q, K):
    scores = Q @ K.transpose(1, 2) / Q.shape[2] ** 0.5
    return scores.masked_fill(torch.ones_like(scores[0]).triu(1).bool(), -inf).softmax(dim=2)
def side_by_side(heads):
    return heads.transpose(0, 1).reshape(heads.shape[1], -1)`;

const cppLayer = (x: string, weights: string, count: string, result: string, trace: string) =>
  `tril::multi_head_attention({${x}, {1, T, ${inputs}}}, {.in_proj_weight = ${weights}, .out_proj_weight = W_O},
                           {.heads = ${count}, .attention = {.causal = true}}, ${result}, scratch, parallel,
                           {.attention = {.weights = ${trace}}});`;

export function programsOf({ layer, outputWeight }: Scene) {
  const { python, cpp } = both(
    `Multi-head attention, ${heads} heads of ${headWidth}, causal`,
    { X: layer.x, W_in: stacked(layers[0]), W_O: outputWeight },
    layer.output,
  );
  return {
    ...python(
      `Q, K, V = split(X, W_in, ${heads})
heads = side_by_side(maps(Q, K) @ V)`,
      'heads @ W_O.T',
    ),
    cpp: cpp(
      `tril::Buffer<float, 3> output({1, X.size(0), ${inputs}});
tril::multi_head_attention({X.data(), {1, X.size(0), ${inputs}}},
                           {.in_proj_weight = W_in, .out_proj_weight = W_O},
                           {.heads = ${heads}, .attention = {.causal = true}}, output.view(), scratch, parallel);`,
      'output.view()[0]',
    ),
  };
}

/** The maps of all divisions, one below the other. */
export function dividedCode({ layers: [{ x }], divided, outputWeight }: HeadsAnswer) {
  const expected = below(...divided.flatMap(({ weights }) => weights));
  const { python, cpp } = both(
    `The weights of attention by the same matrices, divided into ${divisions.join(', ')} heads`,
    { X: x, W_in: stacked(layers[0]), W_O: outputWeight },
    expected,
  );
  return {
    ...python(
      `all_maps = [maps(*split(X, W_in, count)[:2]) for count in (${divisions.join(', ')})]`,
      'join([one for several in all_maps for one in several])',
    ),
    cpp: cpp(
      `const tril::Index T = X.size(0);
tril::Buffer<float, 3> output({1, T, ${inputs}});
tril::Buffer<float, 2> all({${expected.rows}, T});
float* next = all.data();
for (const tril::Index count : {${divisions.join(', ')}}) {
  const tril::TensorView<float, 4> weights(next, {1, count, T, T});
  ${cppLayer('X.data()', 'W_in', 'count', 'output.view()', 'weights').replaceAll('\n', '\n  ')}
  next += weights.count();
}`,
      'all.view()',
    ),
  };
}

/** The map of one head of one of the two layers. */
export function circuitCode(
  { layers: [first, second], outputWeight }: HeadsAnswer,
  layer: number,
  head: number,
) {
  const expected = [first, second][layer - 1].weights[head - 1];
  const { python, cpp } = both(
    `Two layers of ${heads} heads each: the weights of layer ${layer}, head ${head}`,
    { X: first.x, W_1: stacked(layers[0]), W_O: outputWeight, W_2: stacked(layers[1]) },
    expected,
  );
  return {
    ...python(
      `Q, K, V = split(X, W_1, ${heads})
first = maps(Q, K)
Y = X + side_by_side(first @ V) @ W_O.T  # the residual: what the heads write comes on top
Q, K, V = split(Y, W_2, ${heads})
second = maps(Q, K)`,
      `${layer === 1 ? 'first' : 'second'}[${head - 1}]`,
    ),
    cpp: cpp(
      `const tril::Index T = X.size(0);
tril::Buffer<float, 3> output({1, T, ${inputs}});
tril::Buffer<float, 4> first({1, ${heads}, T, T}), second(first.shape());
${cppLayer('X.data()', 'W_1', String(heads), 'output.view()', 'first.view()')}
tril::Buffer<float, 2> y(X.shape());
tril::add(X, output.view()[0], y, parallel);
${cppLayer('y.data()', 'W_2', String(heads), 'output.view()', 'second.view()')}`,
      `${layer === 1 ? 'first' : 'second'}.view()[0][${head - 1}]`,
    ),
  };
}
