// Elementwise functions that NumPy and PyTorch both have.
import { apart, arithmetic, converted, elementwise } from '../arrays/arithmetic.js';
import type { ArrayValue } from '../arrays/array.js';
import { floatOf } from '../arrays/dtypes.js';
import { type Args, number } from '../language/signature.js';
import type { Value } from '../language/values.js';
import { mostFloat32 } from './make-arrays.js';

type Function = (x: ArrayValue) => ArrayValue;
type Functions<Call = Function> = Readonly<Record<string, Call>>;

const { sin, cos, tan, atan: arctan, floor, ceil, sign, log2, log10, log1p, expm1, cbrt } = Math;
const plain = {
  ...{ sin, cos, tan, arctan, floor, ceil, sign, log2, log10, log1p, expm1, cbrt },
};
/** The functions that `Math` has. */
export const plainFunctions: Functions = Object.fromEntries(
  Object.entries(plain).map(([name, call]): [string, Function] => [
    name,
    (x) => apart([x], call, name === 'sign' ? x.dtype : floatOf(x)),
  ]),
);

/** Tests for NaN, for infinities, and for neither. */
export const kinds: Functions = {
  isnan: (x) => elementwise('notEqual', x, x),
  isinf: (x) => apart([x], (value) => Number(Math.abs(value) === Infinity), 'bool'),
  isfinite: (x) => apart([x], (value) => Number(Number.isFinite(value)), 'bool'),
};

/** Functions of truth values. */
export const logical: Functions<(x: ArrayValue, y: ArrayValue) => ArrayValue> = Object.fromEntries(
  Object.entries({ logical_and: '&', logical_or: '|', logical_xor: '^' }).map(([name, by]) => [
    name,
    (x, y) => arithmetic(by, converted(x, 'bool'), converted(y, 'bool')),
  ]),
);

export const finiteSignature = 'nan=0.0, posinf=None, neginf=None';
/** Replaces NaN and infinities by finite numbers; all numbers are float32. */
export function finite(x: ArrayValue, { nan, posinf, neginf }: Args): ArrayValue {
  const or = (value: Value, fallback: number) =>
    value === null ? fallback : number(value, 'nan_to_num');
  const [none, high, low] = [or(nan!, 0), or(posinf!, mostFloat32), or(neginf!, -mostFloat32)];
  const replaced = (value: number) =>
    Number.isNaN(value) ? none : value === Infinity ? high : value === -Infinity ? low : value;
  return apart([x], replaced, x.dtype);
}
