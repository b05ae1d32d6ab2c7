// Attention between q, k and v as programs: NumPy and PyTorch step by step, C++ by Tril's. A mask from a file is written
// down with the other tensors, and read as it was chosen.
import { maskAxes, type MaskReading } from '../../compute/lessons/file-mask';
import type { TensorData } from '../../compute/lessons/layouts';
import type { MatrixData } from '../../compute/protocol';
import { asExpected, cppMatrix, type Language, type Named, type Steps } from './code-layers';

const sizes = (shape: readonly number[]) => shape.join(', ');

interface Attention {
  readonly causal: boolean;
  readonly window?: { readonly left: number; readonly right: number };
  /** How many lie side by side in the last axis; 0 where heads have an axis of their own. */
  readonly heads: number;
  readonly linear?: boolean;
  /** What the numbers of a mask mean, where there is one. */
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

function pythonAttention(
  np: boolean,
  given: Named,
  { causal, window, heads, linear, reading = 'look' }: Attention,
  expected: MatrixData,
): Steps {
  const { q, k, v } = given;
  const masked = 'mask' in given;
  const turned = np ? '.transpose(0, 2, 1, 3)' : '.transpose(1, 2)';
  const turn = heads > 0 ? turned : '';
  const reshaped = Object.entries({ q, k, v }).map(
    ([name, { shape }]) => `${name} = ${name}.reshape(${sizes(four(shape, heads))})${turn}`,
  );
  const ownMask = masked ? [`mask = mask.reshape(${maskSizes(given, heads)})`] : [];
  const repeat = np
    ? 'k, v = (np.repeat(m, q.shape[1] // m.shape[1], axis=1) for m in (k, v))'
    : 'k, v = (m.repeat_interleave(q.shape[1] // m.shape[1], dim=1) for m in (k, v))';
  const keys = np ? 'k.swapaxes(2, 3)' : 'k.transpose(2, 3)';
  const tri = np
    ? 'np.tri(q.shape[2], k.shape[2], dtype=bool)'
    : 'torch.ones(q.shape[2], k.shape[2]).tril().bool()';
  const apart = np
    ? 'np.arange(k.shape[2]) - np.arange(q.shape[2])[:, None]'
    : 'torch.arange(k.shape[2]) - torch.arange(q.shape[2])[:, None]';
  const own = { look: 'mask != 0', hide: 'mask == 0', add: 'mask != -inf' }[reading];
  const both = masked && causal ? `(${own}) & ${tri}` : masked ? own : tri;
  const sees = window
    ? [`apart = ${apart}`, `sees = (apart >= -${window.left}) & (apart <= ${window.right})`]
    : masked || causal
      ? [`sees = ${both}`]
      : [];
  const hide = np ? 'np.where(sees, scores, np.float32(-inf))' : 'scores.masked_fill(~sees, -inf)';
  const positive = np ? 'np.where(m > 0, m + 1, np.exp(m))' : 'torch.where(m > 0, m + 1, m.exp())';
  // Causal, and within a window, every query sees itself; a mask may hide all from one.
  const blind = '# A query that sees nothing gets zeros.';
  const softmax = np
    ? masked
      ? [
          'largest = scores.max(3, keepdims=True)',
          'powers = np.exp(scores - np.where(largest == -inf, np.float32(0), largest))',
          blind,
          'sums = powers.sum(3, keepdims=True)',
          'output = powers / np.where(sums == 0, np.float32(1), sums) @ v',
        ]
      : [
          'powers = np.exp(scores - scores.max(3, keepdims=True))',
          'output = powers / powers.sum(3, keepdims=True) @ v',
        ]
    : masked
      ? [blind, 'output = scores.softmax(dim=3).masked_fill(~sees.any(dim=3, keepdim=True), 0) @ v']
      : ['output = scores.softmax(dim=3) @ v'];
  const lines = linear
    ? [
        `q, k = (${positive} for m in (q, k))  # elu + 1`,
        `scores = q @ ${keys}`,
        `output = scores / scores.sum(3, ${np ? 'keepdims' : 'keepdim'}=True) @ v`,
      ]
    : [
        `scores = q @ ${keys} / q.shape[3] ** 0.5`,
        ...(masked && reading === 'add' ? ['scores = scores + mask'] : []),
        ...sees,
        ...(sees.length > 0 ? [`scores = ${hide}`] : []),
        ...softmax,
      ];
  return {
    steps: [...reshaped, ...ownMask, repeat, ...lines].join('\n'),
    result: `output${turn}.${asExpected(expected)}`,
  };
}

function cppAttention(
  given: Named,
  { causal, window, linear, reading = 'look' }: Attention,
  expected: MatrixData,
): Steps {
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
  const own = added
    ? `tril::Mask::additive({mask_numbers, {${axes}}})`
    : `tril::Mask::boolean({sees.data(), {${axes}}})`;
  const options = [
    ...(causal ? ['.causal = true'] : []),
    ...(window ? [`.mask = tril::Mask::window(${window.left}, ${window.right})`] : []),
    ...(masked ? [`.mask = ${own}`] : []),
  ].join(', ');
  return {
    steps: `${Object.entries({ q, k, v }).map(view).join('\n')}
${looks}tril::Buffer<float, 4> output({${sizes([...queries.slice(0, 3), values[3]])}});
tril::${linear ? 'linear_attention' : 'attention'}(q_heads, k_heads, v_heads, {${options}}, output.view(), scratch, parallel);`,
    result: cppMatrix('output', expected),
    uses: [linear ? 'attention/linear_attention' : 'attention/attention'],
  };
}

export function attentionSteps(
  language: Language,
  given: Named,
  how: Attention,
  expected: MatrixData,
) {
  return language === 'cpp'
    ? cppAttention(given, how, expected)
    : pythonAttention(language === 'numpy', given, how, expected);
}
