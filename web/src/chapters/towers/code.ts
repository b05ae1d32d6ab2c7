// The figures of this chapter as programs elsewhere: both towers with all their weights, cross-attention alone, and
// additive attention.
import type {
  AdditiveAnswer,
  AttentionMaps,
  Embedded,
  TowersAsk,
} from '../../compute/lessons/towers';
import { additiveWeights, generator, handMade } from '../../compute/handmade/towers-weights';
import type { MatrixData } from '../../compute/protocol';
import { cppProgram, numpyProgram, torchProgram, type Program } from '../../figures/code';
import { hiding } from './model';

type Language = 'numpy' | 'pytorch' | 'cpp';
type Steps = Pick<Program, 'steps' | 'result' | 'uses'>;

const softmax = {
  numpy: `def softmax(scores):  # a row that sees nothing gets zeros
    largest = scores.max(1, keepdims=True)
    powers = np.exp(scores - np.where(largest == -inf, np.float32(0), largest))
    sums = powers.sum(1, keepdims=True)
    return powers / np.where(sums == 0, np.float32(1), sums)`,
  pytorch: `def softmax(scores):  # a row that sees nothing gets zeros
    return scores.softmax(dim=1).nan_to_num()`,
} as const;

const norms = {
  numpy: 'return (m - m.mean(1, keepdims=True)) / np.sqrt(m.var(1, keepdims=True) + 1e-5)',
  pytorch: 'return torch.nn.functional.layer_norm(m, (m.shape[1],))',
} as const;

const towers = (language: 'numpy' | 'pytorch') => `${softmax[language]}

def norm(m):
    ${norms[language]}

def attend(x, context, q, k, v, o, mask):
    scores = (x @ q.T) @ (context @ k.T).T / len(q) ** 0.5 + mask
    return softmax(scores) @ (context @ v.T) @ o.T

def feed_forward(m):
    return (m @ W_1.T).clip(0) @ W_2.T

def encoder(x):
    y = norm(x + attend(x, x, W_Q, W_K, W_V, W_O, M_source))
    return norm(y + feed_forward(y))

def decoder(x, memory):
    T = len(x)
    y = norm(x + attend(x, x, W_Q, W_K, W_V, W_O, M_target[:T, :T]))
    z = norm(y + attend(y, memory, X_Q, X_K, X_V, X_O, M_memory[:T]))
    return norm(z + feed_forward(z))

memory = encoder(source)`;

/** `inside` is what comes between the weights and the call. */
const cppTowers = `const auto mask = [](tril::MatrixView<const float> m) {
  return tril::Mask::additive({m.data(), {1, 1, m.size(0), m.size(1)}});
};
const auto batch = [](tril::MatrixView<const float> m, tril::Index rows) {
  return tril::TensorView<const float, 3>(m.data(), {1, rows, m.size(1)});
};
tril::MultiHeadWeights self, cross;
self.q_proj_weight = W_Q;
self.k_proj_weight = W_K;
self.v_proj_weight = W_V;
self.out_proj_weight = W_O;
cross.q_proj_weight = X_Q;
cross.k_proj_weight = X_K;
cross.v_proj_weight = X_V;
cross.out_proj_weight = X_O;
tril::TransformerWeights weights;
weights.encoder.layers.resize(1);
weights.encoder.layers[0].self_attn = self;
weights.encoder.layers[0].linear1.weight = W_1;
weights.encoder.layers[0].linear2.weight = W_2;
weights.decoder.layers.resize(1);
weights.decoder.layers[0].self_attn = self;
weights.decoder.layers[0].multihead_attn = cross;
weights.decoder.layers[0].linear1.weight = W_1;
weights.decoder.layers[0].linear2.weight = W_2;
tril::TransformerOptions options;
options.source_attention.mask = mask(M_source);
`;

const cppAtOnce = `${cppTowers}options.target_attention.mask = mask(M_target);
options.memory_attention.mask = mask(M_memory);
const tril::Index T = target.size(0);
tril::Buffer<float, 3> output({1, T, target.size(1)});
tril::transformer(batch(source, source.size(0)), batch(target, T), weights, options,
                  output.view(), scratch, parallel);`;

const whole: Readonly<Record<'output' | 'chances' | 'byStep', Readonly<Record<Language, Steps>>>> =
  {
    output: {
      numpy: { steps: towers('numpy'), result: 'decoder(target, memory)' },
      pytorch: { steps: towers('pytorch'), result: 'decoder(target, memory)' },
      cpp: { steps: cppAtOnce, result: 'output.view()[0]', uses: ['block/transformer'] },
    },
    chances: {
      numpy: { steps: towers('numpy'), result: 'softmax(decoder(target, memory) @ G.T)' },
      pytorch: { steps: towers('pytorch'), result: 'softmax(decoder(target, memory) @ G.T)' },
      cpp: {
        steps: `${cppAtOnce}
tril::Buffer<float, 2> scores({T, G.size(0)}), chances({T, G.size(0)});
tril::linear(output.view()[0], G, {}, scores.view(), scratch, parallel);
tril::softmax(tril::MatrixView<const float>(scores.view()), {}, chances.view(), parallel);`,
        result: 'chances.view()',
        uses: ['layers/softmax', 'block/transformer', 'layers/linear'],
      },
    },
    // Each step reads what came before it, and nothing after.
    byStep: {
      numpy: {
        steps: towers('numpy'),
        result: 'np.stack([decoder(target[: t + 1], memory)[-1] for t in range(len(target))])',
      },
      pytorch: {
        steps: towers('pytorch'),
        result: 'torch.stack([decoder(target[: t + 1], memory)[-1] for t in range(len(target))])',
      },
      cpp: {
        steps: `${cppTowers}const tril::Index T = target.size(0), C = target.size(1);
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
                    output.view(), scratch, parallel);
  for (tril::Index i = 0; i < C; ++i) written.view()[t - 1][i] = output.view()[0][t - 1][i];
}`,
        result: 'written.view()',
        uses: ['block/transformer'],
      },
    },
  };

function programs(
  about: string,
  inputs: Program['inputs'],
  expected: MatrixData,
  steps: Readonly<Record<Language, Steps>>,
) {
  const program = (language: Language): Program => ({
    ...{ about, inputs, expected },
    ...steps[language],
  });
  return {
    numpy: () => numpyProgram(program('numpy')),
    pytorch: () => torchProgram(program('pytorch')),
    cpp: () => cppProgram(program('cpp')),
  };
}

export function towersCode(
  { words, mode, source, masks }: TowersAsk,
  embedded: Embedded,
  what: keyof typeof whole,
  expected: MatrixData,
) {
  const { weights } = handMade(words, mode, source.length);
  const own = (name: string) => weights[`decoder.layers.0.${name}`];
  const inputs = {
    ...embedded,
    W_Q: own('self_attn.q_proj_weight'),
    W_K: own('self_attn.k_proj_weight'),
    W_V: own('self_attn.v_proj_weight'),
    W_O: own('self_attn.out_proj.weight'),
    X_Q: own('multihead_attn.q_proj_weight'),
    X_K: own('multihead_attn.k_proj_weight'),
    X_V: own('multihead_attn.v_proj_weight'),
    X_O: own('multihead_attn.out_proj.weight'),
    W_1: own('linear1.weight'),
    W_2: own('linear2.weight'),
    ...(what === 'chances' && { G: generator(words) }),
    M_source: hiding(masks.source),
    M_target: hiding(masks.target),
    M_memory: hiding(masks.memory),
  };
  const about = 'Encoder and decoder of one block each, post-norm, by weights written by hand';
  return programs(about, inputs, expected, whole[what]);
}

const product = (language: 'numpy' | 'pytorch'): Steps => ({
  steps: `${softmax[language]}

A = softmax(Q @ K.T / Q.shape[1] ** 0.5 + M)`,
  result: 'A @ V',
});

export function crossCode(about: string, { q, k, v, heads }: AttentionMaps, mask: MatrixData) {
  return programs(about, { Q: q, K: k, V: v, M: hiding(mask) }, heads, {
    numpy: product('numpy'),
    pytorch: product('pytorch'),
    cpp: {
      steps: `const auto head = [](tril::MatrixView<const float> m) {
  return tril::TensorView<const float, 4>(m.data(), {1, 1, m.size(0), m.size(1)});
};
tril::Buffer<float, 4> output({1, 1, Q.size(0), V.size(1)});
tril::AttentionOptions options;
options.mask = tril::Mask::additive(head(M));
tril::attention(head(Q), head(K), head(V), options, output.view(), scratch, parallel);`,
      result: 'output.view()[0][0]',
      uses: ['attention/attention'],
    },
  });
}

const network = (language: 'numpy' | 'pytorch'): Steps => ({
  steps: `${softmax[language]}

H = ${language === 'numpy' ? 'np' : 'torch'}.tanh((Q @ W_q.T)[:, None] + (K @ W_k.T)[None])  # T x S x A`,
  result: 'softmax(H @ v[0] + M)',
});

export function additiveCode(
  { words, mode, source, masks }: TowersAsk,
  { q, k, additiveWeights: expected }: AdditiveAnswer,
) {
  const { width, gain } = handMade(words, mode, source.length);
  const { w_q, w_k, v } = additiveWeights(width, gain);
  const inputs = {
    ...{ Q: q, K: k, W_q: w_q, W_k: w_k },
    v: { rows: 1, cols: v.length, data: v },
    M: hiding(masks.memory),
  };
  return programs('Additive attention: its weights', inputs, expected, {
    numpy: network('numpy'),
    pytorch: network('pytorch'),
    cpp: {
      steps: `const auto batch = [](tril::MatrixView<const float> m) {
  return tril::TensorView<const float, 3>(m.data(), {1, m.size(0), m.size(1)});
};
const tril::Mask mask = tril::Mask::additive({M.data(), {1, 1, M.size(0), M.size(1)}});
tril::Buffer<float, 3> output({1, Q.size(0), K.size(1)}), weights({1, Q.size(0), K.size(0)});
tril::additive_attention(batch(Q), batch(K), batch(K), {W_q, W_k, v[0]}, mask, output.view(),
                         scratch, parallel, {.weights = weights.view()});`,
      result: 'weights.view()[0]',
      uses: ['attention/additive_attention'],
    },
  });
}
