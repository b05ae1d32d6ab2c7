// What an operation is: one entry of the table, with all that the readers need of it side by side.
import { booleanOption, checkName, integerOption, numberOption } from '../names.js';
import type { Tensor } from '../tensor.js';
import type { Tril } from '../load.js';
import type { Calls, Value } from './calls.js';
import { parseSize, type Size, type Sizes, type Sum } from './sizes.js';

/** The sizes of a value's axes, in names. */
export type Shape = readonly Sum[];
/** Where a cell is in its tensor: a whole number for each axis. */
export type Index = readonly number[];
/** A cell of an input: the number of the input, and where in it. */
export type Place = readonly [input: number, index: Index];
/** Cells that are taken together: the factors of a product, say. */
export type Term = readonly Place[];

/** A node's options and shapes, in names. */
export interface Named<Options> {
  readonly options: Options;
  readonly inputs: readonly Shape[];
  readonly output: Shape;
}

/** The same in numbers, which stand for names by `sizes`. */
export interface Sized<Options> {
  readonly options: Options;
  readonly inputs: readonly (readonly number[])[];
  readonly output: readonly number[];
  readonly sizes: Sizes;
}

/** A node once it is computed. */
export interface Computed<Options> extends Sized<Options> {
  readonly tensors: readonly Tensor[];
  readonly result: Tensor;
}

/** Throws an error about an argument, with the shapes of all. */
export type Fail = (argument: string, problem: string) => Error;
type Check<Value> = (call: string, argument: string, value: unknown) => Value;

interface Entry<Options> {
  /** The inputs' names; one with `?` may be left out, `...` is any number of them. */
  readonly takes: readonly string[];
  /** What each option is read by, with its default. */
  readonly options: { readonly [Name in keyof Options]: Check<Options[Name]> };
  /** The option that a call takes after its inputs, without its name. */
  readonly then?: keyof Options & string;
  shape(inputs: readonly Shape[], options: Options, fail: Fail): Shape;
  run(tril: Tril, inputs: readonly Tensor[], node: Sized<Options>): Tensor;
  tex(args: readonly string[], node: Named<Options>): string;
}

/** A small operation: one entry of the table. Arguments of text are its inputs, written out. */
export interface Operation<Options = object> extends Entry<Options> {
  /** The cells that cell `index` is made of; `read` gives numbers that decide which they are. */
  cells(index: Index, node: Sized<Options>, read: (place: Place) => number): readonly Term[];
  /** How the numbers of these cells are joined in cell `index`. */
  why(terms: readonly (readonly string[])[], node: Sized<Options>, index: Index): string;
  /** The gradient of each input from that of the output; none of what is not differentiable. */
  gradient(tril: Tril, dOutput: Tensor, node: Computed<Options>): readonly (Tensor | undefined)[];
  numpy(args: readonly string[], node: Sized<Options>): string;
  /** A function that NumPy does not have, and `numpy` calls. */
  readonly helper?: string;
  pytorch(args: readonly string[], node: Sized<Options>): string;
  /** A statement that fills the buffer `out`. */
  cpp(args: readonly string[], node: Sized<Options>, out: string): string;
  /** Floating-point operations, counted as `tril.cost` does. */
  flops(node: Named<Options>): Sum;
}

/** An operation that the core computes at once, and that is made of small ones, by which all else is read. */
export interface Fused<Options = object> extends Entry<Options> {
  unfold(
    inputs: readonly Value[],
    node: Named<Options>,
    calls: Calls,
  ): Readonly<Record<string, Value>>;
}

/** Keeps an entry's own types while it is written, and gives it as the table holds it. */
export const define = <Options extends object>(entry: Operation<Options>): Operation =>
  entry as unknown as Operation;
/** The same for a fused one. */
export const fuse = <Options extends object>(entry: Fused<Options>): Fused =>
  entry as unknown as Fused;

export const integer =
  (fallback: number): Check<number> =>
  (call, argument, value) =>
    integerOption(call, argument, value, fallback);
export const boolean =
  (fallback: boolean): Check<boolean> =>
  (call, argument, value) =>
    booleanOption(call, argument, value, fallback);
export const number =
  (fallback: number): Check<number> =>
  (call, argument, value) =>
    numberOption(call, argument, value, fallback);
/** What `check` reads, or null where nothing is given. */
export const optional =
  <Item>(check: Check<Item>): Check<Item | null> =>
  (call, argument, value) =>
    value === undefined || value === null ? null : check(call, argument, value);
/** One of `names`, of which the first is the default. */
export const choice =
  <Name extends string>(names: readonly [Name, ...Name[]]): Check<Name> =>
  (call, argument, value = names[0]) => {
    checkName(call, argument, argument.split('.').at(-1)!, value, names);
    return value as Name;
  };
/** A size, checked and left as it was written. */
export const size =
  (fallback?: Size): Check<Size> =>
  (call, argument, value) => {
    parseSize(call, argument, value ?? fallback);
    return (value ?? fallback) as Size;
  };
/** An array of what `each` reads, or null where there is none and `needed` does not say that there must be. */
export const list =
  <Item>(each: Check<Item>, needed = false): Check<readonly Item[] | null> =>
  (call, argument, value) => {
    if (!needed && (value === undefined || value === null)) return null;
    if (!Array.isArray(value)) return [each(call, argument, value ?? null)];
    return Object.freeze(Array.from(value, (item) => each(call, argument, item ?? null)));
  };
