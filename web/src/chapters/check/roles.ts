// The roles of the tensors in a visitor's files: guessed by name, and changed by hand.
import type { MaskReading } from '../../compute/shared/lessons/file-mask';
import type { FoundTensor } from '../../compute/worker/lessons/files';
import type { TensorData } from '../../compute/shared/lessons/layouts';
import {
  attentionGradients,
  gradientNames,
  linearGradients,
  type GradientName,
} from '../../compute/shared/lessons/check-names';
import type { CheckState } from '../../state/check';

type Kind = CheckState['kind'];

/** "d_q", "dq", "grad_q", "q_grad", "q.grad"; for the output also "grad_output" and "d_out". */
function gradientOf(name: string, plain: readonly string[] = [name]): [string, string[]] {
  const ways = (one: string) => [
    `d_${one}`,
    `d${one}`,
    `grad_${one}`,
    `${one}_grad`,
    `${one}.grad`,
  ];
  return [`d_${name}`, plain.flatMap(ways)];
}
const gradientAliases = Object.fromEntries([
  gradientOf('output', ['output', 'out', 'o', 'y']),
  gradientOf('q', ['q', 'query']),
  gradientOf('k', ['k', 'key']),
  gradientOf('v', ['v', 'value']),
  gradientOf('x', ['x', 'input']),
  gradientOf('weight', ['weight', 'w']),
  gradientOf('bias', ['bias', 'b']),
]);

const aliases: Readonly<Record<string, readonly string[]>> = {
  q: ['q', 'query', 'queries'],
  k: ['k', 'key', 'keys'],
  v: ['v', 'value', 'values'],
  mask: ['mask', 'attn_mask', 'attention_mask', 'key_padding_mask', 'src_mask', 'padding_mask'],
  x: ['x', 'input', 'src'],
  expected: ['expected', 'output', 'out', 'y', 'target', 'result'],
  weight: ['weight', 'w'],
  ...gradientAliases,
};
const attentionWeights = [
  ...['in_proj_weight', 'in_proj_bias', 'out_proj.weight', 'out_proj.bias'],
  ...['q_proj_weight', 'k_proj_weight', 'v_proj_weight'],
];
const blockWeights = [
  ...attentionWeights.map((name) => `self_attn.${name}`),
  ...['linear1', 'linear2', 'norm1', 'norm2'].flatMap((name) => [`${name}.weight`, `${name}.bias`]),
];

export const roles: Readonly<Record<Kind, readonly string[]>> = {
  attention: ['q', 'k', 'v', 'mask', 'expected'],
  multiHead: ['x', 'expected', ...attentionWeights],
  block: ['x', 'expected', ...blockWeights],
  attentionBackward: ['q', 'k', 'v', 'mask', 'd_output', ...attentionGradients],
  linearBackward: ['x', 'weight', 'd_output', ...linearGradients],
};
const needed: Readonly<Record<Kind, readonly string[]>> = {
  attention: ['q', 'k', 'v'],
  multiHead: ['x', 'out_proj.weight'],
  block: ['x', 'self_attn.out_proj.weight', 'linear1.weight', 'linear2.weight'],
  attentionBackward: ['q', 'k', 'v', 'd_output'],
  linearBackward: ['x', 'weight', 'd_output'],
};

/** The role that a name suggests, or none: names of a larger model end in those of a layer. */
export function guess(kind: Kind, name: string): string {
  const plain = name.toLowerCase();
  const known = roles[kind];
  const exact = known.find((role) => (aliases[role] ?? [role]).includes(plain));
  return (
    exact ??
    known.filter((role) => role.includes('_')).find((role) => plain.endsWith(`.${role}`)) ??
    ''
  );
}

export interface Assigned {
  readonly tensors: Readonly<Record<string, TensorData>>;
  /** The targets of the comparison: one output, or gradients by their names. */
  readonly expected: readonly { readonly of?: GradientName; readonly data: TensorData }[];
  readonly missing: readonly string[];
}

/** `chosen` has a role for each index of `found`; if several have one role the last counts. */
export function assigned(
  kind: Kind,
  found: readonly FoundTensor[],
  chosen: readonly string[],
): Assigned {
  const byRole: Record<string, TensorData> = {};
  found.forEach(({ shape, data }, i) => {
    if (chosen[i]) byRole[chosen[i]] = { shape, data };
  });
  const compared = kind.endsWith('Backward') ? gradientNames : ['expected'];
  const isCompared = ([role]: [string, TensorData]) => compared.some((name) => name === role);
  const entries = Object.entries(byRole);
  const tensors = Object.fromEntries(entries.filter((entry) => !isCompared(entry)));
  return {
    tensors,
    expected: entries
      .filter(isCompared)
      .map(([role, data]) => (role === 'expected' ? { data } : { of: role as GradientName, data })),
    missing: needed[kind].filter((role) => !(role in tensors)),
  };
}

/**
 * Meaning of a mask's numbers, by type and name: PyTorch's attention looks where a mask is true, its layers hide where
 * a padding mask is true, and a mask with numbers other than 0 and 1 is added to the scores.
 */
export function readingOf({ name, data }: FoundTensor): MaskReading {
  if (!data.every((value) => value === 0 || value === 1)) return 'add';
  return /padding/iu.test(name) ? 'hide' : 'look';
}

/** Whether the keys would fit the queries if their last two axes were swapped. */
export function keysTurned({ q, k }: Assigned['tensors']): boolean {
  if (!q || !k || k.shape.length < 2) return false;
  const width = q.shape.at(-1);
  return k.shape.at(-1) !== width && k.shape.at(-2) === width;
}
