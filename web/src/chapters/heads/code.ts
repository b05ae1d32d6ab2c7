// The figures as programs elsewhere: multi-head attention of the shown sequence in NumPy, PyTorch and C++.
import type { HeadsAnswer } from '../../compute/lessons/heads';
import { below } from '../../figures/code';
import { programs } from '../../figures/program';
import { indented } from '../../figures/program-operations';
import type { Python } from '../../figures/program-python';
import {
  divisions,
  headWidth,
  heads,
  inputs,
  layers,
  stacked,
} from '../../compute/handmade/heads-circuit';
import type { Scene } from './scene';

/** Queries, keys and values of so many heads, and their maps. */
const maps = (p: Python) => `def split(X, W, count):  # queries, keys, values: [heads, T, D] each
    return [part.reshape(len(X), count, -1).swapaxes(0, 1) for part in ${p.thirdsOf('X @ W.T')}]
def maps(Q, K):
    scores = Q @ K.swapaxes(1, 2) / Q.shape[2] ** 0.5
    masked = ${p.causalOf('scores')}
    return ${p.softmaxOf('masked')}
def side_by_side(heads):
    return heads.swapaxes(0, 1).reshape(heads.shape[1], -1)
`;

/** A layer of C++; the trace, behind a context that is left out, says where its maps go. */
const cppLayer = (x: string, weights: string, count: number | string, trace?: string) =>
  `tril::multi_head_attention({${x}.data(), {1, T, ${inputs}}}, {.in_proj_weight = ${weights}, .out_proj_weight = W_O},
                           {.heads = ${count}, .attention = {.causal = true}}, output.view()${
                             trace
                               ? `,
                           {}, {.attention = {.weights = ${trace}}}`
                               : ''
                           });`;
const cppOutput = `const tril::Index T = X.size(0);
tril::Buffer<float, 3> output({1, T, ${inputs}});`;

export function programsOf({ layer, outputWeight }: Scene) {
  const given = {
    about: `Multi-head attention, ${heads} heads of ${headWidth}, causal`,
    inputs: { X: layer.x, W_in: stacked(layers[0]), W_O: outputWeight },
    expected: layer.output,
  };
  return programs(given, (say) => ({
    steps: [
      say.by({
        python: (p) => `${maps(p)}
Q, K, V = split(X, W_in, ${heads})
heads = side_by_side(maps(Q, K) @ V)`,
        cpp: `${cppOutput}\n${cppLayer('X', 'W_in', heads)}`,
      }),
    ],
    result: { python: 'heads @ W_O.T', cpp: 'output.view()[0]' },
  }));
}

/** The maps of all divisions, one below the other. */
export function dividedCode({ layers: [{ x }], divided, outputWeight }: HeadsAnswer) {
  const given = {
    about: `The weights of attention by the same matrices, divided into ${divisions.join(', ')} heads`,
    inputs: { X: x, W_in: stacked(layers[0]), W_O: outputWeight },
    expected: below(...divided.flatMap(({ weights }) => weights)),
  };
  return programs(given, (say) => ({
    steps: [
      say.by({
        python: (p) => `${maps(p)}
all_maps = [maps(*split(X, W_in, count)[:2]) for count in (${divisions.join(', ')})]
all = ${p.joinOf('[one for several in all_maps for one in several]')}`,
        cpp: `${cppOutput}
tril::Buffer<float, 2> all({${given.expected.rows}, T});
float* next = all.data();
for (const tril::Index count : {${divisions.join(', ')}}) {
  const tril::TensorView<float, 4> weights(next, {1, count, T, T});
${indented(cppLayer('X', 'W_in', 'count', 'weights'), 2)}
  next += weights.count();
}`,
      }),
    ],
    result: 'all',
  }));
}

/** The map of one head of one of the two layers. */
export function circuitCode(
  { layers: [first, second], outputWeight }: HeadsAnswer,
  layer: number,
  head: number,
) {
  const given = {
    about: `Two layers of ${heads} heads each: the weights of layer ${layer}, head ${head}`,
    inputs: { X: first.x, W_1: stacked(layers[0]), W_O: outputWeight, W_2: stacked(layers[1]) },
    expected: [first, second][layer - 1].weights[head - 1],
  };
  const shown = layer === 1 ? 'first' : 'second';
  return programs(given, (say) => ({
    steps: [
      say.by({
        python: (p) => `${maps(p)}
Q, K, V = split(X, W_1, ${heads})
first = maps(Q, K)
Y = X + side_by_side(first @ V) @ W_O.T  # the residual: what the heads write comes on top
Q, K, V = split(Y, W_2, ${heads})
second = maps(Q, K)`,
        cpp: `${cppOutput}
tril::Buffer<float, 4> first({1, ${heads}, T, T}), second(first.shape());
${cppLayer('X', 'W_1', heads, 'first.view()')}
tril::Buffer<float, 2> Y(X.shape());
tril::add(X, output.view()[0], Y);  // the residual: what the heads write comes on top
${cppLayer('Y', 'W_2', heads, 'second.view()')}`,
      }),
    ],
    result: { python: `${shown}[${head - 1}]`, cpp: `${shown}.view()[0][${head - 1}]` },
  }));
}
