// Attention of q, k and v as programs: NumPy and PyTorch step by step, C++ by Tril's call. A mask from a file is
// written down with the other tensors, and read as the visitor has chosen.
import { maskAxes, type MaskReading } from '../../compute/shared/lessons/file-mask';
import type { TensorData } from '../../compute/shared/lessons/layouts';
import type { MatrixData } from '../../compute/page/protocol';
import type { Dialect, Steps } from '../../figures/program';
import type { Python } from '../../figures/program-python';
import { asExpected, type Named } from './code-layers';

const sizes = (shape: readonly number[]) => shape.join(', ');

interface Attention {
  readonly causal: boolean;
  readonly window?: { readonly left: number; readonly right: number };
  /** Number of heads side by side in the last axis; 0 if heads have an axis of their own. */
  readonly heads: number;
  readonly linear?: boolean;
  /** Meaning of the numbers of a mask, if there is one. */
  readonly reading?: MaskReading;
}

function four(shape: readonly number[], heads: number): number[] {
  if (heads === 0) return [...Array<number>(4 - shape.length).fill(1), ...shape];
  const [batches, tokens, width] = shape.length === 2 ? [1, ...shape] : shape;
  return [batches, tokens, heads, width / heads];
}

function maskSizes({ q, k, mask }: Named, heads: number): string {
  const [batches, second, third] = four(q.shape, heads);
  const keys = k.shape[k.shape.length - 2];
  const scores = heads > 0 ? [batches, third, second, keys] : [batches, second, third, keys];
  return sizes(maskAxes(mask.shape, scores));
}

/** Computes `weights` and `output` from q, k and v, all with four axes. */
export function pythonAttention(
  p: Python,
  given: Named,
  { causal, window, heads, linear, reading = 'look' }: Attention,
): string {
  const masked = 'mask' in given;
  const turn = heads > 0 ? '.swapaxes(1, 2)' : '';
  const reshaped = Object.entries({ q: given.q, k: given.k, v: given.v }).map(
    ([name, { shape }]) => `${name} = ${name}.reshape(${sizes(four(shape, heads))})${turn}`,
  );
  const repeated = p.either(
    'np.repeat(m, q.shape[1] // m.shape[1], axis=1)',
    'm.repeat_interleave(q.shape[1] // m.shape[1], dim=1)',
  );
  const tri = p.either(
    'np.tri(q.shape[2], k.shape[2], dtype=bool)',
    'torch.ones(q.shape[2], k.shape[2]).tril().bool()',
  );
  const apart = `${p.lib}.arange(k.shape[2]) - ${p.lib}.arange(q.shape[2])[:, None]`;
  const allowed = { look: 'mask != 0', hide: 'mask == 0', add: 'mask != -inf' }[reading];
  const both = masked && causal ? `(${allowed}) & ${tri}` : masked ? allowed : tri;
  const sees = window
    ? [`apart = ${apart}`, `sees = (apart >= -${window.left}) & (apart <= ${window.right})`]
    : masked || causal
      ? [`sees = ${both}`]
      : [];
  const hide = p.either(
    'np.where(sees, scores, np.float32(-inf))',
    'scores.masked_fill(~sees, -inf)',
  );
  const lines = linear
    ? [
        `q, k = (${p.lib}.where(m > 0, m + 1, ${p.lib}.exp(m)) for m in (q, k))  # elu + 1`,
        'scores = q @ k.swapaxes(2, 3)',
        `weights = scores / scores.sum(${p.kept})`,
      ]
    : [
        'scores = q @ k.swapaxes(2, 3) / q.shape[3] ** 0.5',
        ...(masked && reading === 'add' ? ['scores = scores + mask'] : []),
        ...sees,
        ...(sees.length > 0 ? [`scores = ${hide}`] : []),
        // A causal query sees itself, also within a window; a mask may hide all keys from a query.
        p.softmax('weights', 'scores', masked),
      ];
  return [
    ...reshaped,
    ...(masked ? [`mask = mask.reshape(${maskSizes(given, heads)})`] : []),
    `k, v = (${repeated} for m in (k, v))`,
    ...lines,
    `output = weights @ v${turn && `\noutput = output${turn}`}`,
  ].join('\n');
}

function cppAttention(
  given: Named,
  { causal, window, linear, reading = 'look' }: Attention,
): string {
  const { q, k, v } = given;
  const [queries, , values] = [q, k, v].map(({ shape }) => four(shape, 0));
  const view = ([name, { shape }]: [string, TensorData]) =>
    `const tril::TensorView<const float, 4> ${name}_heads(${name}_numbers, {${sizes(four(shape, 0))}});`;
  const masked = 'mask' in given;
  const axes = masked ? maskSizes(given, 0) : '';
  const added = reading === 'add';
  const looks =
    masked && !added
      ? `std::vector<std::uint8_t> sees;
for (const float one : mask_numbers) sees.push_back(one ${reading === 'look' ? '!=' : '=='} 0);
`
      : '';
  const mask = added
    ? `tril::Mask::additive({mask_numbers, {${axes}}})`
    : `tril::Mask::boolean({sees.data(), {${axes}}})`;
  const options = [
    ...(causal ? ['.causal = true'] : []),
    ...(window ? [`.mask = tril::Mask::window(${window.left}, ${window.right})`] : []),
    ...(masked ? [`.mask = ${mask}`] : []),
  ].join(', ');
  const call = linear ? 'linear_attention' : 'attention';
  return `${Object.entries({ q, k, v }).map(view).join('\n')}
${looks}tril::Buffer<float, 4> output({${sizes([...queries.slice(0, 3), values[3]])}});
tril::${call}(q_heads, k_heads, v_heads, {${options}}, output.view());`;
}

export const attentionSteps = (
  say: Dialect,
  given: Named,
  how: Attention,
  expected: MatrixData,
): Steps => ({
  steps: [
    say.by({
      python: (p) => pythonAttention(p, given, how),
      cpp: () => cppAttention(given, how),
    }),
  ],
  result: asExpected('output', expected),
});
