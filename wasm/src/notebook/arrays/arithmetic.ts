// Arithmetic on arrays: NumPy's broadcasting, types and words, computed by the graph's operations.
import { raise } from '../language/errors.js';
import { isNumber, numberIn, typeName, type Value } from '../language/values.js';
import { ArrayValue, placesOf, sizeOf, strideBack, type DtypeName, type Kind } from './array.js';
import { shapeText } from '../../error.js';
import { asType, category, floatOf, isFloat, resultKind } from './dtypes.js';
import type { Recorded, Recorder } from './record.js';

/** `(2, 3)`, as NumPy writes a shape; `(3,)` */
export const shapeWords = (shape: readonly number[], gap = ' '): string =>
  `(${shape.join(`,${gap}`)}${shape.length === 1 ? ',' : ''})`;

/** The shape that two shapes broadcast to; undefined where they do not. */
export function jointShape(a: readonly number[], b: readonly number[]): number[] | undefined {
  const rank = Math.max(a.length, b.length);
  const sizes = Array.from({ length: rank }, (_, i) => {
    const [x, y] = [a[i - rank + a.length] ?? 1, b[i - rank + b.length] ?? 1];
    if (x !== y && x !== 1 && y !== 1) return -1;
    return x === 1 ? y : x;
  });
  return sizes.includes(-1) ? undefined : sizes;
}

export function broadcastShapes(kind: Kind, ...shapes: readonly (readonly number[])[]): number[] {
  return shapes.slice(1).reduce<number[]>(
    (all, shape) => {
      const joint = jointShape(all, shape);
      if (joint) return joint;
      if (kind.library === 'numpy') {
        const words = shapes.map((each) => shapeWords(each, '')).join(' ');
        return raise(
          'ValueError',
          `operands could not be broadcast together with shapes ${words} `,
        );
      }
      const rank = Math.max(all.length, shape.length);
      const [a, b] = [all, shape].map((each) => [...Array(rank - each.length).fill(1), ...each]);
      let axis = rank - 1;
      while (a![axis] === b![axis] || a![axis] === 1 || b![axis] === 1) axis -= 1;
      const sizes = `The size of tensor a (${a![axis]}) must match the size of tensor b (${b![axis]})`;
      return raise('RuntimeError', `${sizes} at non-singleton dimension ${axis}`);
    },
    [...shapes[0]!],
  );
}

const bySign: Readonly<Record<string, string>> = {
  ...{ '+': 'add', '-': 'subtract', '*': 'multiply', '/': 'divide', '**': 'power' },
  ...{ '==': 'equal', '!=': 'notEqual', '<': 'less', '<=': 'lessEqual' },
  ...{ '>': 'greater', '>=': 'greaterEqual', '&': 'multiply', '|': 'maximum', '^': 'notEqual' },
};
const comparisons = ['equal', 'notEqual', 'less', 'lessEqual', 'greater', 'greaterEqual'];

export const recorderOf = (values: readonly Value[]): Recorder =>
  (values.find((value) => value instanceof ArrayValue) as ArrayValue).recorder;

export const shapeOf = (value: Value): readonly number[] =>
  value instanceof ArrayValue ? value.shape : [];

/** The recorded value of an array or a number. */
export function recordedOf(recorder: Recorder, value: Value): Recorded {
  if (value instanceof ArrayValue) return value.recorded;
  if (isNumber(value)) return recorder.number(numberIn(value));
  return raise('TypeError', `must be an array or a number, not ${typeName(value)}`);
}

/** A value reshaped to a shape that broadcasts to another; `()` becomes `(1,)`. */
export function reshaped(recorder: Recorder, value: Recorded, shape: readonly number[]): Recorded {
  const sizes = shape.length === 0 ? [1] : [...shape];
  if (value.tensor.shape.join() === sizes.join()) return value;
  return recorder.make('reshape', [value], { shape: sizes });
}

/** A value repeated to a shape. */
export function repeatedTo(
  recorder: Recorder,
  value: Recorded,
  shape: readonly number[],
): Recorded {
  const sizes = shape.length === 0 ? [1] : [...shape];
  if (value.tensor.shape.join() === sizes.join()) return value;
  if (sizeOf(value.tensor.shape) === sizeOf(sizes)) return reshaped(recorder, value, sizes);
  recorder.check(sizes);
  let made = reshaped(recorder, value, [
    ...Array<number>(sizes.length - Math.min(sizes.length, value.tensor.shape.length)).fill(1),
    ...value.tensor.shape,
  ]);
  for (const [axis, size] of sizes.entries()) {
    if (made.tensor.shape[axis] === size) continue;
    const indices = Array<number>(size).fill(0);
    made = recorder.make('take', [made], { axis, indices });
  }
  return made;
}

/** A function from positions in a broadcast shape to the numbers of a value. */
function reader(value: Value, shape: readonly number[]): (place: number) => number {
  if (!(value instanceof ArrayValue)) {
    const number = Math.fround(numberIn(value as number));
    return () => number;
  }
  const numbers = value.numbers();
  if (numbers.length === sizeOf(shape)) return (place) => numbers[place]!;
  if (numbers.length === 1) return () => numbers[0]!;
  const places = placesOf(shape, strideBack(value.shape, shape));
  return (place) => numbers[places[place]!]!;
}

/**
 * Computes a function of one or two values in JavaScript that the graph has no operation for; `why` ends at its
 * result.
 */
export function apart(
  values: readonly Value[],
  compute: (a: number, b: number) => number,
  dtype?: DtypeName,
): ArrayValue {
  const recorder = recorderOf(values);
  const kind = resultKind(values);
  const shape = broadcastShapes(kind, ...values.map(shapeOf));
  recorder.check(shape);
  const [a, b] = [values[0]!, values[1] ?? 0].map((value) => reader(value, shape));
  const made = recorder.constant(shape, (i) => compute(a!(i), b!(i)));
  return new ArrayValue(recorder, made, shape, dtype ?? kind.dtype, kind.library);
}

const floorModulo = (x: number, y: number): number => x - y * Math.floor(x / y);

/** `x sign y`, where at least one is an array. */
export function arithmetic(sign: string, x: Value, y: Value): ArrayValue {
  const values = [x, y];
  const kind = resultKind(values);
  if (sign === '//') return apart(values, (a, b) => Math.floor(a / b), kind.dtype);
  if (sign === '%') return apart(values, floorModulo, kind.dtype);
  const call = bySign[sign];
  if (!call) raise('TypeError', `unsupported operand type(s) for ${sign}`);
  const isBitwise = ['&', '|', '^'].includes(sign);
  if (isBitwise && isFloat(kind.dtype)) {
    const name = { '&': 'bitwise_and', '|': 'bitwise_or', '^': 'bitwise_xor' }[sign]!;
    raise('TypeError', `ufunc '${name}' not supported for the input types`);
  }
  if (isBitwise && kind.dtype === 'int64') {
    const bits = { '&': (a: number, b: number) => a & b, '|': (a: number, b: number) => a | b };
    return apart(values, bits[sign as '&'] ?? ((a: number, b: number) => a ^ b));
  }
  if (sign === '-' && kind.dtype === 'bool') {
    const kindOf = kind.library === 'numpy' ? 'TypeError' : 'RuntimeError';
    raise(kindOf, 'boolean subtract, the `-` operator, is not supported, use ^ or != instead');
  }
  if (sign === '**' && kind.dtype === 'int64' && isNumber(y) && numberIn(y) < 0) {
    const kindOf = kind.library === 'numpy' ? 'ValueError' : 'RuntimeError';
    raise(kindOf, 'Integers to negative integer powers are not allowed.');
  }
  return elementwise(call, x, y);
}

/** An operation of the graph on two, with broadcasting. */
export function elementwise(call: string, x: Value, y: Value): ArrayValue {
  const values = [x, y];
  const recorder = recorderOf(values);
  const kind = resultKind(values);
  const shape = broadcastShapes(kind, shapeOf(x), shapeOf(y));
  const inputs = values.map((value) => recordedOf(recorder, value));
  let { dtype } = kind;
  if (comparisons.includes(call)) dtype = 'bool';
  else if (call === 'divide') dtype = floatOf(kind);
  else if (call === 'add' && dtype === 'bool') call = 'maximum';
  else if (call === 'power' && dtype === 'bool') dtype = 'int64';
  const made = recorder.make(call, inputs);
  return new ArrayValue(recorder, made, shape, dtype, kind.library);
}

/** An elementwise function with a floating-point result. */
export function unary(call: string, x: ArrayValue): ArrayValue {
  return x.like(x.recorder.make(call, [x.recorded]), x.shape, floatOf(x));
}

export function negative(x: ArrayValue): ArrayValue {
  if (x.dtype === 'bool') {
    const text =
      'The numpy boolean negative, the `-` operator, is not supported, use the `~` operator';
    raise('TypeError', text);
  }
  return arithmetic('*', x, -1);
}

/** `~x` */
export function inverted(x: ArrayValue): ArrayValue {
  if (isFloat(x.dtype)) raise('TypeError', "ufunc 'invert' not supported for the input types");
  if (x.dtype === 'int64') return arithmetic('-', -1, x);
  return elementwise('equal', x, false);
}

/** The same numbers as another type. */
export function converted(x: ArrayValue, dtype: DtypeName): ArrayValue {
  if (dtype === x.dtype || isFloat(dtype) || x.dtype === 'bool') {
    return x.like(x.recorded, x.shape, dtype);
  }
  if (dtype === 'bool') return elementwise('notEqual', x, 0);
  const numbers = x.numbers();
  const integer = asType(numbers, dtype);
  // Integers keep the node of their source.
  if (integer.every((value, i) => value === numbers[i])) return x.like(x.recorded, x.shape, dtype);
  return x.like(x.recorder.constant(x.shape, integer), x.shape, dtype);
}

/** `x sign= y`, whose result has been computed: arrays keep their shape and type. */
export function assignInPlace(sign: string, x: ArrayValue, result: ArrayValue): ArrayValue {
  const isTorch = x.library === 'torch';
  if ((x.isScalar && !isTorch) || (sign === '@' && isTorch)) return result;
  if (sign === '@') {
    const text = "Inplace matrix multiplication is not (yet) supported. Use 'a = a @ b'";
    raise('TypeError', `${text} instead of 'a @= b'.`);
  }
  if (result.shape.join() !== x.shape.join()) {
    if (isTorch) {
      broadcastShapes(x, x.shape, result.shape);
      const shapes = `${shapeText(x.shape)} doesn't match the broadcast shape ${shapeText(result.shape)}`;
      raise('RuntimeError', `output with shape ${shapes}`);
    }
    const shapes = `${shapeWords(x.shape, '')} doesn't match the broadcast shape ${shapeWords(result.shape, '')}`;
    raise('ValueError', `non-broadcastable output operand with shape ${shapes}`);
  }
  if (category(result.dtype) > category(x.dtype)) {
    const [from, to] = [result, x].map(({ dtype }) => torchTypes[dtype]);
    if (isTorch)
      raise('RuntimeError', `result type ${from} can't be cast to the desired output type ${to}`);
    const types = `from dtype('${result.dtype}') to dtype('${x.dtype}')`;
    raise('UFuncTypeError', `Cannot cast ufunc result ${types} with casting rule 'same_kind'`);
  }
  x.become(result.recorded);
  return x;
}

/** PyTorch's names of types in messages. */
const torchTypes = { float64: 'Double', float32: 'Float', int64: 'Long', bool: 'Bool' } as const;
