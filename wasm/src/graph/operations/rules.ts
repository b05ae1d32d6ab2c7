// Rules for the keys that a query sees, by position: the masks of `tril.mask`, as options of `mask` and `attention`.
import { checkKeys, integerOption } from '../../names.js';
import type { Tensor } from '../../tensor.js';
import type { Tril } from '../../load.js';
import type { RuleOptions } from '../calls.js';
import { boolean, list, optional, type Fail, type Index, type Shape } from '../operation.js';
import { numberOf } from '../sizes.js';
import { product } from './common.js';

/** The rules after reading: null for a rule that is not given. */
export type Rules = {
  readonly [Name in keyof RuleOptions]-?: NonNullable<RuleOptions[Name]> | null;
};

/** Reads an object of integers, each at least `min`. */
const integers =
  (names: readonly string[], min: number, required: boolean) =>
  (call: string, argument: string, value: unknown) => {
    checkKeys(call, argument, 'option', value, names);
    const given = value as Readonly<Record<string, unknown>>;
    const wanted = names.filter((name) => required || given[name] !== undefined);
    const read = wanted.map((name) => {
      const number = given[name] ?? Number.NaN;
      return [name, integerOption(call, `${argument}.${name}`, number, Number.NaN, min)] as const;
    });
    return Object.freeze(Object.fromEntries(read)) as never;
  };

/** The readers of the rules' options. */
export const ruleOptions = {
  causal: boolean(false),
  window: optional<NonNullable<RuleOptions['window']>>(integers(['left', 'right'], 0, false)),
  strided: optional<NonNullable<RuleOptions['strided']>>(integers(['local', 'stride'], 1, true)),
  padding: list((call, argument, value) => integerOption(call, argument, value, Number.NaN, 0)),
};

/** Throws unless there is one length for each batch of scores. */
export function checkPadding({ padding }: Rules, scores: Shape, fail: Fail): void {
  const batches = scores.length < 4 ? 1 : numberOf(scores[0]!);
  if (!padding || batches === undefined || padding.length === batches) return;
  throw fail('padding', `has ${padding.length} lengths for ${batches} batches`);
}

/** The core's mask; none if no rule is given. */
export function maskOf({ mask }: Tril, { causal, window, strided, padding }: Rules) {
  const masks = [
    ...(causal ? [mask.causal()] : []),
    ...(window ? [mask.window(window)] : []),
    ...(strided ? [mask.strided(strided)] : []),
    ...(padding ? [mask.padding(padding)] : []),
  ];
  return masks.length > 0 ? mask.and(...masks) : undefined;
}

/** 1 where a query sees the key, else 0, for scores of this shape; all heads share one matrix. */
export function shown(tril: Tril, rules: Rules, shape: readonly number[]): Tensor {
  const batches = shape.length === 4 ? [shape[0]!, 1] : [];
  return tril.exp(tril.mask.toTensor(maskOf(tril, rules)!, [...batches, ...shape.slice(-2)]));
}

/** Whether the query of a score sees its key. */
export function sees({ causal, window, strided, padding }: Rules, index: Index): boolean {
  const [t, s] = [index.at(-2)!, index.at(-1)!];
  const { left = Infinity, right = Infinity } = window ?? {};
  const far = Math.abs(t - s);
  const near = !strided || far < strided.local || far % strided.stride === 0;
  const batch = index.length < 4 ? 0 : index[0]!;
  const inside = !padding || s < padding[batch]!;
  return (!causal || s <= t) && t - s <= left && s - t <= right && near && inside;
}

/**
 * The conditions of a program for seeing a key, from its expressions for the query's position, the key's position, and
 * the batch.
 */
function conditions(
  { causal, window, strided, padding }: Rules,
  [t, s, b]: readonly [string, string, string?],
  array: (numbers: string) => string,
): string[] {
  const [or, far] = [b ? '||' : '|', `${b ? 'std::' : ''}abs(${t} - ${s})`];
  const length = padding && (padding.length === 1 ? padding[0] : array(padding.join(', ')));
  return [
    ...(causal ? [`${s} <= ${t}`] : []),
    ...(window?.left === undefined ? [] : [`${t} - ${s} <= ${window.left}`]),
    ...(window?.right === undefined ? [] : [`${s} - ${t} <= ${window.right}`]),
    ...(strided ? [`(${far} < ${strided.local}) ${or} (${far} % ${strided.stride} == 0)`] : []),
    ...(padding ? [`${s} < ${length}`] : []),
  ];
}

/** A Python expression that is true where a query sees the key, for scores of this shape. */
export function pythonRules(rules: Rules, library: 'np' | 'torch', shape: readonly number[]) {
  const [rows, columns] = shape.slice(-2);
  const isCausal = rules.causal && !rules.window && !rules.strided && !rules.padding;
  if (isCausal && library === 'np') return `np.tri(${rows}, ${columns})`;
  if (isCausal) return `torch.ones(${rows}, ${columns}).tril()`;
  const make = library === 'np' ? 'np.array' : 'torch.tensor';
  const array = (numbers: string) => `${make}([${numbers}]).reshape(-1, 1, 1, 1)`;
  const all = conditions(rules, ['t', 's'], array).map((each) => `(${each})`);
  const [queries, keys] = [rows, columns].map((size) => `${library}.arange(${size})`);
  return `(lambda t, s: ${all.join(' & ') || 's >= 0'})(${queries}[:, None], ${keys})`;
}

/** A C++ condition that is true where a query sees the key, for element `n` of scores of this shape. */
export function cppRules(rules: Rules, shape: readonly number[]): string {
  const [rows, columns] = shape.slice(-2);
  const batch = `n / ${product(shape.slice(1))}`;
  const array = (numbers: string) => `std::vector<Index>{${numbers}}[${batch}]`;
  const places = [`n / ${columns} % ${rows}`, `n % ${columns}`, batch] as const;
  const all = conditions(rules, places, array).map((each) => `(${each})`);
  return all.join(' && ') || 'true';
}

/** The names of the given rules, as an index in a formula. */
export function rulesTex({ causal, window, strided, padding }: Rules): string {
  const names = Object.entries({ causal, window, strided, padding }).filter(([, rule]) => rule);
  const text = names.map(([name]) => name).join(',\\,');
  return text && `_{\\mathrm{${text}}}`;
}
