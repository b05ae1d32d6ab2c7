// Helpers of several operations: axes, broadcasting, and brackets around parts of expressions.
import type { Tril } from '../../load.js';
import type { Tensor } from '../../tensor.js';
import { equal, numberOf, shapeText, type Sum } from '../sizes.js';
import type { Fail, Index, Shape } from '../operation.js';

/** Returns an axis counted from the front; throws if it does not exist. */
export function axisOf(axis: number, rank: number, fail: Fail): number {
  if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis;
  throw fail('axis', `there is no axis ${axis}`);
}

/** Returns an axis counted from the front, for an axis that exists. */
export const fromFront = (axis: number, rank: number): number => (axis < 0 ? axis + rank : axis);

/** The broadcast shape of two shapes, aligned at the last axis. */
export function broadcast(a: Shape, b: Shape, argument: string, fail: Fail): Shape {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, i): Sum => {
    const [x, y] = [a[a.length - rank + i], b[b.length - rank + i]];
    if (!x || !y) return (x ?? y)!;
    if (equal(x, y) || numberOf(y) === 1) return x;
    if (numberOf(x) === 1) return y;
    throw fail(argument, `${shapeText(a)} and ${shapeText(b)} do not broadcast`);
  });
}

/** The position in an input of `shape` of cell `index` of a broadcast result. */
export const back = (shape: readonly number[], index: Index): number[] =>
  shape.map((size, i) => (size === 1 ? 0 : index[index.length - shape.length + i]!));

/** The integers `[0, 1, ..., n - 1]`. */
export const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** A copy of `index` with `value` at an axis. */
export const put = (index: Index, axis: number, value: number): number[] =>
  index.map((old, i) => (i === axis ? value : old));

/** Whether text has one of `signs` outside all brackets. */
function isOpen(text: string, signs: RegExp): boolean {
  let depth = 0;
  for (const [i, letter] of [...text].entries()) {
    if ('([{'.includes(letter)) depth += 1;
    else if (')]}'.includes(letter)) depth -= 1;
    else if (depth === 0 && signs.test(letter) && i > 0) return true;
  }
  return false;
}

/**
 * An expression of a program as part of another: in brackets if it has a sign or a blank outside of its own brackets.
 */
export const atom = (code: string): string =>
  isOpen(code, /[ */]/) || code.startsWith('-') ? `(${code})` : code;
/** A formula as a factor: a sum gets brackets. */
export const factor = (tex: string): string =>
  isOpen(tex, /[+-]/) || tex.startsWith('-') ? `\\left(${tex}\\right)` : tex;
/** A number after a sign in a sentence: a negative one gets brackets. */
export const signed = (number: string): string => (number.startsWith('-') ? `(${number})` : number);

export const python = (value: boolean): string => (value ? 'True' : 'False');
/** A C++ list: `{2, 3}`. */
export const braces = (values: readonly (number | string)[]): string => `{${values.join(', ')}}`;
/** A C++ array of integers, as an argument. */
export const indices = (values: readonly number[]): string =>
  `std::array<Index, ${values.length}>${braces(values)}`;
/** A C++ view of a buffer in another shape, without gaps. */
export const viewed = (name: string, shape: readonly number[]): string =>
  `{${name}.data(), ${braces(shape)}}`;
/** The product of sizes. */
export const product = (sizes: readonly number[]): number => sizes.reduce((a, b) => a * b, 1);
/** The index of element `n` of a row-major tensor. */
export const unravel = (shape: readonly number[], n: number): number[] =>
  shape.map((length, i) => Math.floor(n / product(shape.slice(i + 1))) % length);
/** The row-major position of an index. */
export const ravel = (shape: readonly number[], index: Index): number =>
  shape.reduce((n, length, i) => n * length + index[i]!, 0);
/** A tensor of this shape with 1 on and below the diagonal, else 0. */
export const triangle = (tril: Tril, shape: readonly number[]): Tensor =>
  tril.exp(tril.mask.toTensor(tril.mask.causal(), [...shape]));
/** The number of rows and the width of a tensor whose last axis is a row. */
export const rowsOf = (shape: readonly number[]): number[] => [
  product(shape.slice(0, -1)),
  shape.at(-1)!,
];
