// Multi-head attention and a Transformer block in Python: step by step with both libraries, and by PyTorch's own
// layers.
import { indented, type Activation } from './program-operations';
import type { Python } from './program-python';

export interface BlockForm {
  readonly heads: number;
  readonly causal: boolean;
  readonly norm: 'post' | 'pre';
  readonly activation: Activation;
}

/** Variables by the names that their weights and biases have in a state_dict. Absent ones are omitted. */
export type Named = Readonly<Record<string, string>>;

const plus = (named: Named, bias: string) => (named[bias] ? ` + ${named[bias]}` : '');

/**
 * The function `attention` of tokens in rows and of other weights that it is given; `at` is the attention's own prefix.
 */
export function attentionFunction(
  p: Python,
  form: Pick<BlockForm, 'heads' | 'causal'>,
  named: Named,
  { at = '', given = '' } = {},
): string {
  const [inward, outward] = [`${at}in_proj`, `${at}out_proj`];
  const weight = named[`${inward}_weight`];
  const lines = [
    `parts = ${p.thirdsOf(`m @ ${weight}.T${plus(named, `${inward}_bias`)}`)}`,
    `# [..., T, H * D] to [..., H, T, D], and back`,
    `q, k, v = (part.reshape(*m.shape[:-1], ${form.heads}, -1).swapaxes(-3, -2) for part in parts)`,
    'scores = q @ k.swapaxes(-2, -1) / q.shape[-1] ** 0.5',
    form.causal && `scores = ${p.causalOf('scores')}`,
    `heads = ${p.softmaxOf('scores')} @ v`,
    `return heads.swapaxes(-3, -2).reshape(m.shape) @ ${named[`${outward}.weight`]}.T${plus(named, `${outward}.bias`)}`,
  ];
  const body = indented(lines.filter(Boolean).join('\n'));
  return `def attention(m${given}):\n${body}\n`;
}

/** The functions that a block calls, and the lines that compute `out` from `x` with them. */
export function blockFunctions(p: Python, form: BlockForm, named: Named) {
  const pre = form.norm === 'pre';
  const normed = (part: 'norm1' | 'norm2', name: string) => {
    const scale = named[`${part}.weight`] ? ` * ${named[`${part}.weight`]}` : '';
    return `${p.normOf(name)}${scale}${plus(named, `${part}.bias`)}`;
  };
  const branch = (call: string, n: 1 | 2, name: string) => {
    const sum = `${name} + ${call}(${pre ? normed(`norm${n}`, name) : name})`;
    return pre ? sum : normed(`norm${n}`, sum);
  };
  const body = `y = ${branch('attention', 1, 'x')}
out = ${branch('feed_forward', 2, 'y')}`;
  const functions = `${attentionFunction(p, form, named, { at: 'self_attn.' })}
def feed_forward(m):
    h = m @ ${named['linear1.weight']}.T${plus(named, 'linear1.bias')}
    a = ${p.activationOf(form.activation, 'h')}
    return a @ ${named['linear2.weight']}.T${plus(named, 'linear2.bias')}
`;
  return { functions, body };
}

/** PyTorch's layer as `layer`, with these weights; absent biases are zeros. */
export function torchLayer(made: string, named: Named): string {
  const state = Object.entries(named).map(([name, variable]) => `    "${name}": ${variable},`);
  return `layer = torch.nn.${made}
state = {name: 0 * one for name, one in layer.named_parameters() if name.endswith("bias")}
state.update({
${state.join('\n')}
})
layer.load_state_dict(state, strict=False)
`;
}

const torchActivations: Readonly<Record<Activation, string>> = {
  relu: '"relu"',
  gelu: '"gelu"',
  gelu_tanh: 'lambda h: F.gelu(h, approximate="tanh")',
  silu: 'F.silu',
};

/** The arguments of nn.TransformerEncoderLayer for a block without disabled parts. */
export const encoderLayer = (
  width: number,
  hidden: number,
  { heads, norm, activation }: BlockForm,
) => `TransformerEncoderLayer(${width}, ${heads}, ${hidden}, dropout=0.0, batch_first=True,
    activation=${torchActivations[activation]}, norm_first=${norm === 'pre' ? 'True' : 'False'})`;

/** Computes `out` by a call of that layer, with an optional causal mask over `tokens` tokens. */
export const torchCall = (call: string, causal: boolean, tokens: number) =>
  `mask = ${causal ? `torch.ones(${tokens}, ${tokens}, dtype=torch.bool).triu(1)` : 'None'}
with torch.no_grad():
    out = ${call}`;
