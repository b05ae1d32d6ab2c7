// nn.MultiheadAttention and nn.TransformerEncoderLayer as programs: PyTorch by its own layers, NumPy step by step,
// C++ by Tril's.
import type { TensorData } from '../../compute/lessons/layouts';
import type { MatrixData } from '../../compute/protocol';
import type { Program } from '../../figures/code';

export type Named = Readonly<Record<string, TensorData>>;
export type Language = 'numpy' | 'pytorch' | 'cpp';
/** The lines of one language, and what to import for them. */
export type Steps = Pick<Program, 'steps' | 'result' | 'uses'>;

/** "self_attn.in_proj_weight" is no name in a program. */
export const variable = (name: string) => name.replaceAll('.', '_');

export const asExpected = ({ rows, cols }: MatrixData) => `reshape(${rows}, ${cols})`;
export const cppMatrix = (of: string, { rows, cols }: MatrixData) =>
  `tril::MatrixView<const float>(${of}.view().data(), {${rows}, ${cols}})`;

export interface LayerChoices {
  readonly causal: boolean;
  readonly heads: number;
  readonly norm: 'post' | 'pre';
  readonly activation: 'relu' | 'gelu' | 'gelu_tanh' | 'silu';
}
type Layer = 'multiHead' | 'block';

const three = (shape: readonly number[]) => (shape.length === 2 ? [1, ...shape] : shape);
/** Weights and biases by their names in the state_dict. */
const weightsOf = (given: Named) => Object.entries(given).filter(([name]) => name !== 'x');

function torchLayer(layer: Layer, given: Named, how: LayerChoices, expected: MatrixData): Steps {
  const { heads, causal, norm, activation } = how;
  const shape = three(given.x.shape);
  const state = weightsOf(given).map(
    ([name, one]) => `    "${name}": ${variable(name)}${one.shape.length === 1 ? '[0]' : ''},`,
  );
  const mask = causal ? `torch.ones(${shape[1]}, ${shape[1]}, dtype=torch.bool).triu(1)` : 'None';
  const functions = {
    ...{ relu: '"relu"', gelu: '"gelu"', silu: 'torch.nn.functional.silu' },
    gelu_tanh: 'lambda h: torch.nn.functional.gelu(h, approximate="tanh")',
  };
  const hidden = given['linear1.weight']?.shape[0];
  const made =
    layer === 'multiHead'
      ? `torch.nn.MultiheadAttention(${shape[2]}, ${heads}, batch_first=True)`
      : `torch.nn.TransformerEncoderLayer(${shape[2]}, ${heads}, ${hidden}, dropout=0.0, batch_first=True,
    activation=${functions[activation]}, norm_first=${norm === 'pre' ? 'True' : 'False'})`;
  const call =
    layer === 'multiHead' ? 'layer(x, x, x, attn_mask=mask)[0]' : 'layer(x, src_mask=mask)';
  return {
    steps: `x = x.reshape(${shape.join(', ')})
layer = ${made}
state = {name: 0 * one for name, one in layer.named_parameters() if name.endswith("bias")}
state.update({
${state.join('\n')}
})
layer.load_state_dict(state, strict=False)
mask = ${mask}
with torch.no_grad():
    output = ${call}`,
    result: `output.${asExpected(expected)}`,
  };
}

const numpyActivations = {
  relu: 'np.maximum(h, 0)',
  gelu: 'h * np.vectorize(lambda v: (1 + erf(v / sqrt(2))) / 2)(h)',
  gelu_tanh: 'h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h**3))) / 2',
  silu: 'h / (1 + np.exp(-h))',
} as const;

function numpyLayer(layer: Layer, given: Named, how: LayerChoices, expected: MatrixData): Steps {
  const { heads, causal, norm, activation } = how;
  const shape = three(given.x.shape);
  const bias = (name: string) => (name in given ? ` + ${variable(name)}` : '');
  const at = layer === 'block' ? 'self_attn.' : '';
  const [inward, outward] = [`${at}in_proj`, `${at}out_proj`];
  const attend = `def attend(m):
    q, k, v = (part.reshape(${shape[0]}, -1, ${heads}, ${shape[2] / heads}).transpose(0, 2, 1, 3)
               for part in np.split(m @ ${variable(inward)}_weight.T${bias(`${inward}_bias`)}, 3, axis=2))
    s = q @ k.swapaxes(2, 3) / np.sqrt(np.float32(${shape[2] / heads}))
${causal ? '    s = np.where(np.tri(s.shape[2], dtype=bool), s, np.float32(-inf))\n' : ''}    e = np.exp(s - s.max(3, keepdims=True))
    joined = (e / e.sum(3, keepdims=True) @ v).transpose(0, 2, 1, 3).reshape(m.shape)
    return joined @ ${variable(outward)}_weight.T${bias(`${outward}.bias`)}
`;
  const begin = `x = x.reshape(${shape.join(', ')})
${attend}`;
  if (layer === 'multiHead') {
    return { steps: begin, result: `attend(x).${asExpected(expected)}` };
  }
  const scale = (name: string) => (name in given ? ` * ${variable(name)}` : '');
  const normed = (n: number) => `def norm${n}(m):
    centred = m - m.mean(2, keepdims=True)
    return centred / np.sqrt(m.var(2, keepdims=True) + 1e-5)${scale(`norm${n}.weight`)}${bias(`norm${n}.bias`)}
`;
  const ends =
    norm === 'pre'
      ? 'y = x + attend(norm1(x))\nz = y + feed_forward(norm2(y))'
      : 'y = norm1(x + attend(x))\nz = norm2(y + feed_forward(y))';
  return {
    steps: `${begin}
${normed(1)}
${normed(2)}
def feed_forward(m):
    h = m @ linear1_weight.T${bias('linear1.bias')}
    return ${numpyActivations[activation]} @ linear2_weight.T${bias('linear2.bias')}

${ends}`,
    result: `z.${asExpected(expected)}`,
    uses: activation === 'gelu' ? ['from math import erf, sqrt'] : [],
  };
}

function cppLayer(layer: Layer, given: Named, how: LayerChoices, expected: MatrixData): Steps {
  const { heads, causal, norm, activation } = how;
  const shape = three(given.x.shape).join(', ');
  const set = weightsOf(given).map(([name, one]) => {
    const member = name.replace('out_proj.', 'out_proj_');
    const row = one.shape.length === 1 ? '[0]' : '';
    return `weights.${member} = ${variable(name)}${row};`;
  });
  const attends = `.attention = {.causal = ${causal}}`;
  const [type, call, options] =
    layer === 'block'
      ? [
          'tril::TransformerBlockWeights',
          'tril::transformer_block',
          `{.heads = ${heads}, .norm = tril::NormOrder::${norm}, .activation = tril::Activation::${activation}, ${attends}}`,
        ]
      : ['tril::MultiHeadWeights', 'tril::multi_head_attention', `{.heads = ${heads}, ${attends}}`];
  return {
    steps: `const tril::TensorView<const float, 3> batch(x_numbers, {${shape}});
${type} weights;
${set.join('\n')}
tril::Buffer<float, 3> output({${shape}});
${call}(batch, weights, ${options},
    output.view(), scratch, parallel);`,
    result: cppMatrix('output', expected),
    uses: [layer === 'block' ? 'block/transformer_block' : 'attention/multi_head_attention'],
  };
}

export function layerSteps(
  layer: Layer,
  language: Language,
  given: Named,
  how: LayerChoices,
  expected: MatrixData,
): Steps {
  const write = { numpy: numpyLayer, pytorch: torchLayer, cpp: cppLayer }[language];
  return write(layer, given, how, expected);
}
