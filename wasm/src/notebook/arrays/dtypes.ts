// NumPy's and PyTorch's type promotion: for two arrays, and for an array and a Python number.
import { Float, isNumber, type Value } from '../language/values.js';
import { ArrayValue, type DtypeName, type Kind, type Library } from './array.js';

const order: readonly DtypeName[] = ['bool', 'int64', 'float32', 'float64'];

export const isFloat = (dtype: DtypeName): boolean => dtype.startsWith('float');
/** The default floating-point type. */
export const defaultFloat = (library: Library): DtypeName =>
  library === 'torch' ? 'float32' : 'float64';

/** The type of an elementwise function's floating-point result. */
export const floatOf = (x: Kind): DtypeName =>
  isFloat(x.dtype) ? x.dtype : defaultFloat(x.library);

/** The type of a Python number on its own. */
export function plainDtype(value: Value, library: Library): DtypeName {
  if (typeof value === 'boolean') return 'bool';
  return value instanceof Float ? defaultFloat(library) : 'int64';
}

const higher = (a: DtypeName, b: DtypeName): DtypeName =>
  order.indexOf(a) >= order.indexOf(b) ? a : b;

function joined(a: DtypeName, b: DtypeName, library: Library): DtypeName {
  const both = [a, b];
  // NumPy: int64 does not fit into float32.
  const isMixed = both.includes('int64') && both.includes('float32');
  return isMixed && library === 'numpy' ? 'float64' : higher(a, b);
}

/** 0 for bool, 1 for integers, 2 for floats. */
export const category = (dtype: DtypeName): number =>
  isFloat(dtype) ? 2 : dtype === 'int64' ? 1 : 0;

/** The common type of values, and the library of `of`. Numbers, and arrays without axes, change an array's type only to another category. */
export function resultKind(values: readonly Value[], of: readonly Value[] = values): Kind {
  const isArray = (value: Value): value is ArrayValue => value instanceof ArrayValue;
  const arrays = values.filter(isArray);
  const library = of.some((each) => isArray(each) && each.library === 'torch') ? 'torch' : 'numpy';
  const join = (dtypes: readonly DtypeName[]) => dtypes.reduce((a, b) => joined(a, b, library));
  const strong = arrays.filter(({ isScalar }) => !isScalar).map(({ dtype }) => dtype);
  const weak = arrays.filter(({ isScalar }) => isScalar).map(({ dtype }) => dtype);
  const plain = values
    .filter((value) => isNumber(value))
    .map((value) => plainDtype(value, library));
  let dtype: DtypeName | undefined;
  for (const level of [strong, weak, plain].filter((each) => each.length > 0)) {
    const next = join(level);
    if (!dtype) dtype = next;
    else if (category(next) > category(dtype)) {
      const isPlain = level === plain;
      dtype = isPlain && isFloat(next) ? defaultFloat(library) : joined(dtype, next, library);
    }
  }
  return { dtype: dtype ?? defaultFloat(library), library };
}

/** Numbers converted to a type. */
export function asType(numbers: ArrayLike<number>, dtype: DtypeName): Float32Array {
  const convert = { bool: (x: number) => (x === 0 ? 0 : 1), int64: Math.trunc }[dtype as 'bool'];
  return Float32Array.from(numbers, convert ?? ((x) => x));
}
