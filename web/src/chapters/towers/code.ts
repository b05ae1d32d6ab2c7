// The figures of this chapter as programs elsewhere: both towers with all their weights, cross-attention alone, and
// additive attention.
import type { AdditiveAnswer, Embedded, TowersAsk } from '../../compute/worker/lessons/towers';
import { generator, handMade } from '../../compute/shared/handmade/towers-weights';
import type { MatrixData } from '../../compute/page/protocol';
import { matrixOf, type Found } from '../../figures/graph-values';
import { programs, type Own } from '../../figures/program';
import type { Python } from '../../figures/program-python';
import { hiding } from '../../entered/towers';
import type { Scene } from './scene';
import text from '$texts/towers.yaml';

const towers = (p: Python) => `def attend(x, context, q, k, v, o, mask):
    scores = (x @ q.T) @ (context @ k.T).T / len(q) ** 0.5 + mask
    return ${p.softmaxOf('scores', true)} @ (context @ v.T) @ o.T

def feed_forward(m):
    return (m @ W_1.T).clip(0) @ W_2.T

def encoder(x):
    y = ${p.normOf('x + attend(x, x, W_Q, W_K, W_V, W_O, M_source)')}
    return norm(y + feed_forward(y))

def decoder(x, memory):
    T = len(x)
    y = norm(x + attend(x, x, W_Q, W_K, W_V, W_O, M_target[:T, :T]))
    z = norm(y + attend(y, memory, X_Q, X_K, X_V, X_O, M_memory[:T]))
    return norm(z + feed_forward(z))

memory = encoder(source)
`;

const attentionWeights = (name: string, letter: string) => `tril::MultiHeadWeights ${name};
${['q', 'k', 'v', 'out']
  .map((part) => `${name}.${part}_proj_weight = ${letter}_${part[0].toUpperCase()};`)
  .join('\n')}`;

const layerWeights = (tower: string) => `weights.${tower}.layers.resize(1);
weights.${tower}.layers[0].self_attn = self;
weights.${tower}.layers[0].linear1.weight = W_1;
weights.${tower}.layers[0].linear2.weight = W_2;`;

const cppTowers = `const auto mask = [](tril::MatrixView<const float> m) {
  return tril::Mask::additive({m.data(), {1, 1, m.size(0), m.size(1)}});
};
const auto batch = [](tril::MatrixView<const float> m, tril::Index rows) {
  return tril::TensorView<const float, 3>(m.data(), {1, rows, m.size(1)});
};
${attentionWeights('self', 'W')}
${attentionWeights('cross', 'X')}
tril::TransformerWeights weights;
${layerWeights('encoder')}
${layerWeights('decoder')}
weights.decoder.layers[0].multihead_attn = cross;
tril::TransformerOptions options;
options.source_attention.mask = mask(M_source);
`;

const cppAtOnce = `${cppTowers}options.target_attention.mask = mask(M_target);
options.memory_attention.mask = mask(M_memory);
const tril::Index T = target.size(0);
tril::Buffer<float, 3> output({1, T, target.size(1)});
tril::transformer(batch(source, source.size(0)), batch(target, T), weights, options,
                  output.view());`;

/** Of all that the figures show: what the decoder says, the chances of words, and the same step by step. */
const whole = {
  output: {
    python: (p) => `${towers(p)}output = decoder(target, memory)`,
    cpp: cppAtOnce,
  },
  chances: {
    python: (p) => `${towers(p)}chances = ${p.softmaxOf('decoder(target, memory) @ G.T', true)}`,
    cpp: `${cppAtOnce}
tril::Buffer<float, 2> scores({T, G.size(0)}), chances({T, G.size(0)});
tril::linear(output.view()[0], G, {}, scores);
tril::softmax(scores, {}, chances);`,
  },
  byStep: {
    python: (p) => `${towers(p)}# Each step reads what came before it, and nothing after.
written = ${p.lib}.stack([decoder(target[: t + 1], memory)[-1] for t in range(len(target))])`,
    cpp: `${cppTowers}const tril::Index T = target.size(0), C = target.size(1);
tril::Buffer<float, 2> written({T, C});
for (tril::Index t = 1; t <= T; ++t) {  // each step reads what came before it, and nothing after
  tril::Buffer<float, 4> seen({1, 1, t, t});
  for (tril::Index i = 0; i < t; ++i) {
    for (tril::Index j = 0; j < t; ++j) seen.view()[0][0][i][j] = M_target[i][j];
  }
  options.target_attention.mask = tril::Mask::additive(seen.view());
  options.memory_attention.mask =
      tril::Mask::additive({M_memory.data(), {1, 1, t, M_memory.size(1)}});
  tril::Buffer<float, 3> output({1, t, C});
  tril::transformer(batch(source, source.size(0)), batch(target, t), weights, options,
                    output.view());
  for (tril::Index i = 0; i < C; ++i) written.view()[t - 1][i] = output.view()[0][t - 1][i];
}`,
  },
} as const satisfies Record<string, Own>;

export function towersCode<What extends 'output' | 'chances' | 'byStep'>(
  { words, mode, source, masks }: TowersAsk,
  answer: Readonly<Record<What, MatrixData>> & { readonly embedded: Embedded },
  what: What,
) {
  const { weights } = handMade(words, mode, source.length);
  const ofLayer = (name: string) => weights[`decoder.layers.0.${name}`];
  const attention = (letter: string, name: string) => ({
    [`${letter}_Q`]: ofLayer(`${name}.q_proj_weight`),
    [`${letter}_K`]: ofLayer(`${name}.k_proj_weight`),
    [`${letter}_V`]: ofLayer(`${name}.v_proj_weight`),
    [`${letter}_O`]: ofLayer(`${name}.out_proj.weight`),
  });
  const inputs = {
    ...answer.embedded,
    ...attention('W', 'self_attn'),
    ...attention('X', 'multihead_attn'),
    W_1: ofLayer('linear1.weight'),
    W_2: ofLayer('linear2.weight'),
    ...(what === 'chances' && { G: generator(words) }),
    M_source: hiding(masks.source),
    M_target: hiding(masks.target),
    M_memory: hiding(masks.memory),
  };
  const about = 'Encoder and decoder of one block each, post-norm, by weights written by hand';
  const made = what === 'byStep' ? 'written' : what;
  return programs({ about, inputs, expected: answer[what] }, (say) => ({
    steps: [say.by(whole[what])],
    result: { python: made, cpp: what === 'output' ? 'output.view()[0]' : made },
  }));
}

/** The numbers of a graph's values as a program's inputs. */
const inputsOf = ({ values }: Found, named: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(named).map(([name, node]) => [name, matrixOf(values, node)]));

export function crossCode({ answer: { memory }, texts }: Scene) {
  const about = text.cross.program({
    target: texts.inputs.join(' '),
    source: texts.source.join(' '),
  });
  const inputs = inputsOf(memory, { Q: 'Q', K: 'K', V: 'V', M: 'M' });
  const expected = matrixOf(memory.values, 'heads');
  return programs({ about, inputs, expected }, (say) => ({
    steps: [say.attention('output', { added: 'M' })],
    result: 'output',
  }));
}

export function additiveCode({ dot, additive }: AdditiveAnswer) {
  const inputs = {
    ...inputsOf(additive, { Q: 'Q', K: 'K', W_q: 'w_q', W_k: 'w_k', v: 'v' }),
    ...inputsOf(dot, { M: 'M' }),
  };
  const expected = matrixOf(additive.values, 'weights');
  const steps: Own = {
    python: (p) => `H = ${p.lib}.tanh((Q @ W_q.T)[:, None] + (K @ W_k.T)[None])  # T x S x A
weights = ${p.softmaxOf('H @ v[0] + M', true)}`,
    cpp: (c) => `const auto batch = [](tril::MatrixView<const float> m) {
  return tril::TensorView<const float, 3>(m.data(), {1, m.size(0), m.size(1)});
};
const tril::Mask mask = tril::Mask::additive(${c.head('M')});
tril::Buffer<float, 3> output({1, Q.size(0), K.size(1)}), weights({1, Q.size(0), K.size(0)});
tril::additive_attention(batch(Q), batch(K), batch(K), {W_q, W_k, v[0]}, mask, output.view(),
                         {}, {.weights = weights.view()});`,
  };
  return programs({ about: 'Additive attention: its weights', inputs, expected }, (say) => ({
    steps: [say.by(steps)],
    result: { python: 'weights', cpp: 'weights.view()[0]' },
  }));
}
