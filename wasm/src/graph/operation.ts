// The definition of an operation: one entry of the table, with everything that the readers of a graph need.
import { booleanOption, checkName, integerOption, numberOption } from '../names.js';
import type { Tensor } from '../tensor.js';
import type { Tril } from '../load.js';
import type { Calls, Value } from './calls.js';
import { parseSize, type Size, type Sizes, type Sum } from './sizes.js';

/** The sizes of a value's axes, as formulas of names. */
export type Shape = readonly Sum[];
/** The position of a cell in its tensor: an integer for each axis. */
export type Index = readonly number[];
/** A cell of an input: the index of the input, and the position in it. */
export type Place = readonly [input: number, index: Index];
/** Cells that are combined, such as the factors of a product. */
export type Term = readonly Place[];

/** A node's options and shapes, as formulas of names. */
export interface Named<Options> {
  readonly options: Options;
  readonly inputs: readonly Shape[];
  readonly output: Shape;
}

/** A node's options and shapes in numbers; `sizes` has the number of each name. */
export interface Sized<Options> {
  readonly options: Options;
  readonly inputs: readonly (readonly number[])[];
  readonly output: readonly number[];
  readonly sizes: Sizes;
}

/** A node with its computed tensors. */
export interface Computed<Options> extends Sized<Options> {
  readonly tensors: readonly Tensor[];
  readonly result: Tensor;
}

/** Makes an error about an argument, with the shapes of all inputs. */
export type Fail = (argument: string, problem: string) => Error;
type Check<Value> = (call: string, argument: string, value: unknown) => Value;

interface Entry<Options> {
  /** The inputs' names; one with `?` is optional, and `...` is any number of inputs. */
  readonly takes: readonly string[];
  /** The reader of each option, with its default. */
  readonly options: { readonly [Name in keyof Options]: Check<Options[Name]> };
  /** The option that a call takes without its name, after the inputs. */
  readonly then?: keyof Options & string;
  shape(inputs: readonly Shape[], options: Options, fail: Fail): Shape;
  run(tril: Tril, inputs: readonly Tensor[], node: Sized<Options>): Tensor;
  tex(args: readonly string[], node: Named<Options>): string;
}

/** An elementary operation: one entry of the table. Texts of arguments are the inputs, written out. */
export interface Operation<Options = object> extends Entry<Options> {
  /** Returns the cells from which cell `index` is computed; `read` returns numbers on which the choice depends. */
  cells(index: Index, node: Sized<Options>, read: (place: Place) => number): readonly Term[];
  /** Returns the text that combines the numbers of these cells into cell `index`. */
  why(terms: readonly (readonly string[])[], node: Sized<Options>, index: Index): string;
  /** Returns the gradient of each input from the gradient of the output; undefined for an input without a gradient. */
  gradient(tril: Tril, dOutput: Tensor, node: Computed<Options>): readonly (Tensor | undefined)[];
  numpy(args: readonly string[], node: Sized<Options>): string;
  /** The definition of a function for `numpy` that NumPy lacks. */
  readonly helper?: string;
  pytorch(args: readonly string[], node: Sized<Options>): string;
  /** Returns a statement that fills the buffer `out`. */
  cpp(args: readonly string[], node: Sized<Options>, out: string): string;
  /** Returns the number of floating-point operations, counted as in `tril.cost`. */
  flops(node: Named<Options>): Sum;
}

/**
 * An operation that the core computes in one call. It unfolds into elementary operations, which all other readers use.
 */
export interface Fused<Options = object> extends Entry<Options> {
  unfold(
    inputs: readonly Value[],
    node: Named<Options>,
    calls: Calls,
  ): Readonly<Record<string, Value>>;
}

/** Returns an entry in the table's type; the entry itself is checked with its own types. */
export const define = <Options extends object>(entry: Operation<Options>): Operation =>
  entry as unknown as Operation;
/** Returns a fused entry in the table's type. */
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
/** Reads a value with `check`, or null if none is given. */
export const optional =
  <Item>(check: Check<Item>): Check<Item | null> =>
  (call, argument, value) =>
    value === undefined || value === null ? null : check(call, argument, value);
/** Reads one of `names`; the first is the default. */
export const choice =
  <Name extends string>(names: readonly [Name, ...Name[]]): Check<Name> =>
  (call, argument, value = names[0]) => {
    checkName(call, argument, argument.split('.').at(-1)!, value, names);
    return value as Name;
  };
/** Reads a size, checked but unchanged. */
export const size =
  (fallback?: Size): Check<Size> =>
  (call, argument, value) => {
    parseSize(call, argument, value ?? fallback);
    return (value ?? fallback) as Size;
  };
/** Reads an array with `each` for its elements; null if none is given, unless `needed`. */
export const list =
  <Item>(each: Check<Item>, needed = false): Check<readonly Item[] | null> =>
  (call, argument, value) => {
    if (!needed && (value === undefined || value === null)) return null;
    if (!Array.isArray(value)) return [each(call, argument, value ?? null)];
    return Object.freeze(Array.from(value, (item) => each(call, argument, item ?? null)));
  };
