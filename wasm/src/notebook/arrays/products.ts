// Matrix products, and einsum as transposes, reshapes and one product of two at a time.
import { shapeText } from '../../error.js';
import { upTo } from '../../graph/operations/common.js';
import { raise, raiseAs } from '../language/errors.js';
import { ArrayValue, sizeOf } from './array.js';
import { jointShape, reshaped, shapeWords } from './arithmetic.js';
import { resultKind } from './dtypes.js';
import { identity, transpose } from './moves.js';

/** The source code of both operands, for advice. */
export type Texts = readonly [string, string];

/** Raises the error of a product that does not fit, with the expression that would mend it. */
function mismatch(a: ArrayValue, b: ArrayValue, texts: Texts | undefined): never {
  const [inner, rows] = [a.shape.at(-1)!, b.shape.at(-2) ?? b.shape[0]!];
  const kind = a.library === 'torch' || b.library === 'torch' ? 'RuntimeError' : 'ValueError';
  const says = `${shapeText(a.shape)} @ ${shapeText(b.shape)}: ${inner} columns meet ${rows} rows.`;
  const simple = (text: string) => (/^[\w.[\]()]+$|^\(.*\)$/s.test(text) ? text : `(${text})`);
  const turned = (text: string, x: ArrayValue) =>
    x.rank === 2
      ? `${simple(text)}.T`
      : x.library === 'torch'
        ? `${simple(text)}.transpose(-2, -1)`
        : `${simple(text)}.swapaxes(-1, -2)`;
  const [first, second] = texts ?? ['the first', 'the second'];
  // `.T` of a batch reverses all axes, where only the last two were meant.
  const whole = b.rank > 2 ? /^(.*)\.T$/s.exec(second)?.[1] : undefined;
  if (whole !== undefined && b.shape[0] === inner)
    return raise(kind, `${says} Did you mean \`${turned(whole, b)}\`?`);
  const fits = (x: number | undefined, y: number | undefined) => x !== undefined && x === y;
  const mend =
    b.rank >= 2 && fits(b.shape.at(-1), inner)
      ? texts
        ? turned(second, b)
        : `${second} transposed`
      : a.rank >= 2 && fits(a.shape.at(-2), rows)
        ? texts
          ? turned(first, a)
          : `${first} transposed`
        : '';
  return raise(kind, mend ? `${says} Did you mean \`${mend}\`?` : says);
}

/** `a @ b` */
export function matmul(a: ArrayValue, b: ArrayValue, texts?: Texts): ArrayValue {
  const { recorder } = a;
  const kind = resultKind([a, b]);
  if (a.rank === 0 || b.rank === 0) {
    const text = 'matmul: Input operand does not have enough dimensions';
    raiseAs(kind.library, { numpy: ['ValueError', text], torch: ['RuntimeError', text] });
  }
  if (kind.library === 'torch' && a.dtype !== b.dtype) {
    raise('RuntimeError', 'expected scalar type Float but found Long');
  }
  const [left, right] = [
    a.rank === 1 ? [1, ...a.shape] : a.shape,
    b.rank === 1 ? [...b.shape, 1] : b.shape,
  ];
  if (left.at(-1) !== right.at(-2)) mismatch(a, b, texts);
  const lead = jointShape(left.slice(0, -2), right.slice(0, -2));
  if (!lead) {
    const shapes = `${shapeWords(a.shape, '')} ${shapeWords(b.shape, '')}`;
    const [x, y] = [left, right].map((shape) => shapeText(shape.slice(0, -2)));
    return raiseAs(kind.library, {
      numpy: ['ValueError', `operands could not be broadcast together with shapes ${shapes} `],
      torch: ['RuntimeError', `batches ${x} and ${y} do not fit`],
    });
  }
  const made = recorder.make('matmul', [
    reshaped(recorder, a.recorded, left),
    reshaped(recorder, b.recorded, right),
  ]);
  const shape = [
    ...lead,
    ...(a.rank === 1 ? [] : [left.at(-2)!]),
    ...(b.rank === 1 ? [] : [right.at(-1)!]),
  ];
  return new ArrayValue(recorder, reshaped(recorder, made, shape), shape, kind.dtype, kind.library);
}

/** NumPy's `dot`: the last axis of a with the last but one of b. */
export function dot(a: ArrayValue, b: ArrayValue): ArrayValue {
  if (b.rank <= 2 || a.rank <= 1) return matmul(a, b);
  const names = [...'abcdefghijklmnopqrstuvw'];
  const left = names.slice(0, a.rank - 1);
  const right = names.slice(a.rank, a.rank + b.rank - 2);
  const last = names[a.rank + b.rank]!;
  return einsum(
    `${left.join('')}z,${right.join('')}z${last}->${[...left, ...right, last].join('')}`,
    [a, b],
  );
}

interface Named {
  readonly value: ArrayValue;
  readonly axes: readonly string[];
}

const sum = (x: ArrayValue, axis: number): ArrayValue => {
  const shape = x.shape.filter((_, i) => i !== axis);
  return x.like(x.recorder.make('sum', [x.recorded], { axis }), shape);
};

/** Sums over axes that nothing else needs, and takes diagonals so that each name occurs once. */
function reduced({ value, axes }: Named, needed: readonly string[]): Named {
  let [left, names] = [value, [...axes]];
  for (const name of new Set(axes)) {
    while (names.indexOf(name) !== names.lastIndexOf(name)) {
      // The diagonal of two axes.
      const [first, second] = [names.indexOf(name), names.lastIndexOf(name)];
      const order = [...upTo(left.rank).filter((i) => i !== first && i !== second), first, second];
      const turned = transpose(left, order);
      const lead = turned.shape.slice(0, -2);
      const n = turned.shape.at(-1)!;
      const flat = reshaped(left.recorder, turned.recorded, [...lead, n * n]);
      const indices = upTo(n).map((i) => i * (n + 1));
      const made = left.recorder.make('take', [flat], { axis: lead.length, indices });
      left = left.like(made, [...lead, n]);
      names = [...order.slice(0, -2).map((i) => names[i]!), name];
    }
    if (!needed.includes(name)) {
      left = sum(left, names.indexOf(name));
      names = names.filter((each) => each !== name);
    }
  }
  return { value: left, axes: names };
}

/** The product of two, summed over the names that occur neither in the others nor in the result. */
function contract(
  a: Named,
  b: Named,
  needed: readonly string[],
  sizes: ReadonlyMap<string, number>,
): Named {
  const [left, right] = [reduced(a, [...needed, ...b.axes]), reduced(b, [...needed, ...a.axes])];
  const shared = left.axes.filter((name) => right.axes.includes(name));
  const stacked = shared.filter((name) => needed.includes(name));
  const inner = shared.filter((name) => !needed.includes(name));
  const rows = left.axes.filter((name) => !shared.includes(name));
  const columns = right.axes.filter((name) => !shared.includes(name));
  const sizeOfAll = (names: readonly string[]) => sizeOf(names.map((name) => sizes.get(name)!));
  const ordered = ({ value, axes }: Named, names: readonly string[]) =>
    transpose(
      value,
      names.map((name) => axes.indexOf(name)),
    );
  const { recorder } = a.value;
  const lead = stacked.map((name) => sizes.get(name)!);
  const x = reshaped(recorder, ordered(left, [...stacked, ...rows, ...inner]).recorded, [
    ...lead,
    sizeOfAll(rows),
    sizeOfAll(inner),
  ]);
  const y = reshaped(recorder, ordered(right, [...stacked, ...inner, ...columns]).recorded, [
    ...lead,
    sizeOfAll(inner),
    sizeOfAll(columns),
  ]);
  const axes = [...stacked, ...rows, ...columns];
  const shape = axes.map((name) => sizes.get(name)!);
  const kind = resultKind([a.value, b.value]);
  const made = reshaped(recorder, recorder.make('matmul', [x, y]), shape);
  return { value: new ArrayValue(recorder, made, shape, kind.dtype, kind.library), axes };
}

/** `einsum('ij,jk->ik', a, b)` */
export function einsum(equation: string, operands: readonly ArrayValue[]): ArrayValue {
  const isTorch = operands.some(({ library }) => library === 'torch');
  const fail = (text: string) => raise(isTorch ? 'RuntimeError' : 'ValueError', `einsum: ${text}`);
  const [from = '', to] = equation.replace(/\s/g, '').split('->');
  const parts = from.split(',');
  if (parts.length !== operands.length)
    fail(`${parts.length} terms for ${operands.length} operands`);
  // The axes of ... get names that are no letters, counted from the last.
  const dots = Math.max(
    0,
    ...parts.map((part, i) => (part.includes('...') ? operands[i]!.rank - part.length + 3 : 0)),
  );
  const open = (part: string, own: number): string[] => {
    const [before = '', after] = part.split('...');
    if (after === undefined) return [...before];
    return [...before, ...upTo(own).map((i) => `.${dots - own + i}`), ...after];
  };
  const sizes = new Map<string, number>();
  const named = operands.map((value, i): Named => {
    const part = parts[i]!;
    const axes = open(part, value.rank - part.length + 3);
    if (axes.length !== value.rank)
      fail(`"${part}" has ${axes.length} axes, its operand ${value.rank}`);
    for (const [axis, name] of axes.entries()) {
      if (!/^(?:[A-Za-z]|\.-?\d+)$/.test(name)) fail(`"${name}" cannot be an axis`);
      const [known, size] = [sizes.get(name), value.shape[axis]!];
      if (known !== undefined && known !== size) {
        fail(`axis ${name} is ${known} in one operand and ${size} in another`);
      }
      sizes.set(name, size);
    }
    return { value, axes };
  });
  const all = named.flatMap(({ axes }) => axes);
  const once = [...new Set(all)].filter((name) => all.indexOf(name) === all.lastIndexOf(name));
  const implied = [
    ...upTo(dots).map((i) => `.${i}`),
    ...once.filter((name) => !name.startsWith('.')).sort(),
  ];
  const result = to === undefined ? implied : open(to, dots);
  const unknown = result.find((name) => !sizes.has(name));
  if (unknown) fail(`axis ${unknown} of the result is in no operand`);
  let made = named[0]!;
  for (const [i, next] of named.slice(1).entries()) {
    const later = named.slice(i + 2).flatMap(({ axes }) => axes);
    made = contract(made, next, [...result, ...later], sizes);
  }
  const left = reduced(made, result);
  const value = transpose(
    left.value,
    result.map((name) => left.axes.indexOf(name)),
  );
  return value === named[0]!.value ? identity(value) : value.copy();
}
