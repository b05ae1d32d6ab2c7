// nn.MultiheadAttention and nn.TransformerEncoderLayer as programs: PyTorch by its own layers, NumPy step by step, C++
// by Tril's.
import type { TensorData } from '../../compute/shared/lessons/layouts';
import type { MatrixData } from '../../compute/page/protocol';
import type { Dialect, Own, Steps } from '../../figures/program';
import {
  attentionFunction,
  blockFunctions,
  encoderLayer,
  torchCall,
  torchLayer,
  type BlockForm,
} from '../../figures/program-block';

export type Named = Readonly<Record<string, TensorData>>;

/** Converts a name such as "self_attn.in_proj_weight" to a valid variable name. */
export const variable = (name: string) => name.replaceAll('.', '_');

/** A tensor with any axes, as a matrix. */
export const asExpected = (name: string, { rows, cols }: MatrixData): Own => ({
  python: `${name}.reshape(${rows}, ${cols})`,
  cpp: `{${name}.data(), {${rows}, ${cols}}}`,
});

export type LayerChoices = Pick<BlockForm, 'heads' | 'causal' | 'norm' | 'activation'>;
type Layer = 'multiHead' | 'block';

const three = (shape: readonly number[]) => (shape.length === 2 ? [1, ...shape] : shape);
/** Weights and biases by their names in the state_dict. */
const weightsOf = (given: Named) => Object.entries(given).filter(([name]) => name !== 'x');

/** Variables of these names. `ofRow` is appended to those of tensors with one axis, which the program holds as rows. */
const namesOf = (given: Named, ofRow: string) =>
  Object.fromEntries(
    weightsOf(given).map(([name, { shape }]) => [
      name,
      `${variable(name)}${shape.length === 1 ? ofRow : ''}`,
    ]),
  );

function torchSteps(layer: Layer, given: Named, how: LayerChoices): string {
  const [, tokens, width] = three(given.x.shape);
  const made =
    layer === 'multiHead'
      ? `MultiheadAttention(${width}, ${how.heads}, batch_first=True)`
      : encoderLayer(width, given['linear1.weight'].shape[0], how);
  const call =
    layer === 'multiHead' ? 'layer(x, x, x, attn_mask=mask)[0]' : 'layer(x, src_mask=mask)';
  return `${torchLayer(made, namesOf(given, '[0]'))}${torchCall(call, how.causal, tokens)}`;
}

function cppLayer(layer: Layer, given: Named, how: LayerChoices): string {
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
  return `const tril::TensorView<const float, 3> batch(x_numbers, {${shape}});
${type} weights;
${set.join('\n')}
tril::Buffer<float, 3> out({${shape}});
${call}(batch, weights, ${options},
    out.view());`;
}

export function layerSteps(
  say: Dialect,
  layer: Layer,
  given: Named,
  how: LayerChoices,
  expected: MatrixData,
): Steps {
  const x = `x = x.reshape(${three(given.x.shape).join(', ')})\n`;
  const lines = say.by({
    python: (p) => {
      if (p.language === 'pytorch') return x + torchSteps(layer, given, how);
      const names = namesOf(given, '');
      if (layer === 'multiHead')
        return `${x}${attentionFunction(p, how, names)}\nout = attention(x)`;
      const { functions, body } = blockFunctions(p, how, names);
      return `${x}${functions}\n${body}`;
    },
    cpp: () => cppLayer(layer, given, how),
  });
  return { steps: [lines], result: asExpected('out', expected) };
}
