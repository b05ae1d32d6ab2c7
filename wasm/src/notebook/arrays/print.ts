// Arrays as NumPy and PyTorch print them: the digits of float32, aligned columns, and long axes without their middle.
import { upTo } from '../../graph/operations/common.js';
import { checkTextLength } from '../language/errors.js';
import { worked } from '../language/work.js';
import { ArrayValue, shortest, sizeOf, type DtypeName } from './array.js';
import type { PrintOptions } from './print-options.js';

/** An exponent of two digits. */
export const twoDigits = (text: string): string => text.replace(/e([+-])(\d)$/, 'e$10$2');

/** Work of a number that is read and, most likely, not printed. */
const readingWork = 1 / 16;
/** Work of a number that is printed: it is formatted once for itself and once for the common width. */
const writingWork = 8;

const largest = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.max(a, b), 0);
const longest = (texts: readonly string[]): number => largest(texts.map(({ length }) => length));

/** The positions along an axis that are printed; -1 stands for the omitted ones. */
function shown(size: number, isShort: boolean): number[] {
  const isCut = isShort && size > 6;
  worked(isCut ? 7 : size);
  return isCut ? [0, 1, 2, -1, size - 3, size - 2, size - 1] : upTo(size);
}

function shownNumbers(x: ArrayValue, numbers: Float32Array, isShort: boolean): number[] {
  const visit = (axis: number, place: number): number[] => {
    if (axis === x.rank) return [numbers[place]!];
    const below = sizeOf(x.shape.slice(axis + 1));
    return shown(x.shape[axis]!, isShort)
      .filter((i) => i >= 0)
      .flatMap((i) => visit(axis + 1, place + i * below));
  };
  const all = visit(0, 0);
  checkTextLength(2 * all.length);
  worked(writingWork * all.length);
  return all;
}

type Write = (value: number) => string;

const special = (value: number): string =>
  Number.isNaN(value) ? 'nan' : value < 0 ? '-inf' : 'inf';

/** The text of a number, finite or not. */
const written = (value: number, of: Write): string =>
  Number.isFinite(value) ? of(value) : special(value);

/** The shortest float32 digits of a number, at most `most` after the point, without trailing zeros. */
function shortDecimal(value: number, most: number): string {
  const fixed = shortest(Math.abs(value)).toFixed(most);
  const text = fixed.includes('.') ? fixed.replace(/0+$/, '') : `${fixed}.`;
  return value < 0 || Object.is(value, -0) ? `-${text}` : text;
}

function exponential(value: number, most: number): string {
  const short = shortest(value);
  const isLong = short.toExponential().replace(/e.*|[-.]/g, '').length > most + 1;
  return twoDigits(short.toExponential(isLong ? most : undefined).replace(/^(-?\d)e/, '$1.e'));
}

/** NumPy's format for the floats of one array: a common width and number of decimals. */
function numpyFloats(values: readonly number[], { precision, exponents }: PrintOptions): Write {
  const finite = values.filter(Number.isFinite);
  const sizes = finite.filter((value) => value !== 0).map(Math.abs);
  const [max, min] = [largest(sizes), sizes.reduce((a, b) => Math.min(a, b), Infinity)];
  const isWide = exponents !== false && (min < 1e-4 || max / min > 1000);
  const isExponential = sizes.length > 0 && (max >= 1e8 || isWide);
  const others = values.filter((value) => !Number.isFinite(value)).map(special);
  if (isExponential) {
    const short = (value: number) => exponential(value, precision);
    const digits = largest(finite.map((value) => /\.(\d*)e/.exec(short(value))![1]!.length));
    const write: Write = (value) =>
      short(value).replace(/\.(\d*)e/, (_, after: string) => `.${after.padEnd(digits, '0')}e`);
    const width = longest([...finite.map(write), ...others]);
    return (value) => written(value, write).padStart(width);
  }
  const texts = finite.map((value) => shortDecimal(value, precision).split('.'));
  const after = longest(texts.map(([, digits = '']) => digits));
  const before = longest(texts.map(([digits = '']) => digits));
  const width = Math.max(before + after + (finite.length > 0 ? 1 : 0), longest(others));
  const write: Write = (value) => {
    const [digits = '', decimals = ''] = shortDecimal(value, precision).split('.');
    return `${digits}.${decimals.padEnd(after)}`;
  };
  return (value) => written(value, write).padStart(width);
}

function numpyWriter(dtype: DtypeName, values: readonly number[], options: PrintOptions): Write {
  if (dtype === 'bool') {
    const width = values.some((value) => value === 0) ? 5 : 4;
    return (value) => (value === 0 ? 'False' : 'True').padStart(width);
  }
  if (dtype === 'int64') {
    const width = longest(values.map(String));
    return (value) => String(value).padStart(width);
  }
  return numpyFloats(values, options);
}

/** Brackets around lines, which are broken where they get too wide. */
function nested(
  x: ArrayValue,
  numbers: Float32Array,
  write: Write,
  style: {
    gap: string;
    width: number;
    isShort: boolean;
    prefix: number;
    dots: string;
    perLine?: number;
  },
): string {
  const { gap, isShort } = style;
  const visit = (axis: number, place: number): string => {
    const indent = ' '.repeat(style.prefix + axis + 1);
    const below = sizeOf(x.shape.slice(axis + 1));
    const places = shown(x.shape[axis]!, isShort);
    const isRow = axis === x.rank - 1;
    const textOf = (i: number) => {
      if (i < 0) return isRow ? style.dots : '...';
      return isRow ? write(numbers[place + i]!) : visit(axis + 1, place + i * below);
    };
    if (!isRow) {
      const lines = `${gap.trimEnd()}${'\n'.repeat(x.rank - 1 - axis)}${indent}`;
      return `[${places.map(textOf).join(lines)}]`;
    }
    const rows: string[] = [];
    let line = '';
    let count = 0;
    // The last number is followed by as many brackets as there are axes.
    for (const [n, i] of places.entries()) {
      const text = textOf(i);
      const isLast = n === places.length - 1;
      const room = style.width - (isLast ? x.rank - 1 : 0) - 1;
      const next = line === '' ? text : `${line}${gap}${text}`;
      const isFull =
        style.perLine === undefined
          ? indent.length + next.length + (isLast ? 0 : gap.trimEnd().length) > room
          : count >= style.perLine;
      if (line !== '' && isFull) {
        rows.push((line + gap.trimEnd()).trimEnd());
        line = text;
        count = 1;
      } else {
        line = next;
        count += 1;
      }
    }
    rows.push(line);
    return `[${rows.join(`\n${indent}`)}]`;
  };
  return visit(0, 0);
}

/** `str(x)`, or `repr(x)`. */
export function printNumpy(x: ArrayValue, isRepr: boolean): string {
  const numbers = x.numbers(readingWork);
  const options = x.recorder.printing.numpy;
  const isShort = x.size > options.threshold;
  const write = numpyWriter(x.dtype, shownNumbers(x, numbers, isShort), options);
  const start = isRepr ? 'array(' : '';
  const gap = isRepr ? ', ' : ' ';
  const body =
    x.size === 0
      ? '[]'
      : nested(x, numbers, write, {
          ...{ gap, width: options.linewidth, isShort, prefix: start.length, dots: '...' },
        });
  if (!isRepr) return body;
  const hasType = x.dtype === 'float32' || x.size === 0;
  const shape = x.size === 0 && x.shape.length > 1 ? `, shape=(${x.shape.join(', ')})` : '';
  const type = hasType ? `, dtype=${x.dtype}` : '';
  return `array(${body}${shape}${type})`;
}

/** PyTorch's format for the numbers of one tensor. */
function torchWriter(
  dtype: DtypeName,
  values: readonly number[],
  { precision, exponents }: PrintOptions,
): { write: Write; width: number } {
  const padded = (write: Write, width = Math.max(1, longest(values.map(write)))) => ({
    width,
    write: (value: number) => write(value).padStart(width),
  });
  if (dtype === 'bool') return padded((value) => (value === 0 ? 'False' : 'True'));
  if (dtype === 'int64') return padded(String);
  // Zeros and numbers that are not finite do not widen columns.
  const counted = values.filter((value) => Number.isFinite(value) && value !== 0);
  const sizes = counted.map(Math.abs);
  const [max, min] = [largest(sizes), sizes.reduce((a, b) => Math.min(a, b), Infinity)];
  const areIntegers = sizes.every(Number.isInteger);
  const isWide = max / min > 1000 || max > 1e8 || (!areIntegers && min < 1e-4);
  const decimal: Write = (value) =>
    (Object.is(value, -0) ? '-' : '') +
    (areIntegers ? `${value.toFixed(0)}.` : value.toFixed(precision));
  const scientific: Write = (value) => twoDigits(value.toExponential(precision));
  const fitting = sizes.length > 0 && isWide ? scientific : decimal;
  const of = exponents === null ? fitting : exponents ? scientific : decimal;
  // Columns are as wide as in the fitting format, whichever format is chosen.
  return padded((value) => written(value, of), Math.max(1, longest(counted.map(fitting))));
}

/** The text of a PyTorch tensor. */
export function printTorch(x: ArrayValue): string {
  const numbers = x.numbers(readingWork);
  const options = x.recorder.printing.torch;
  const isShort = x.size > options.threshold;
  const values = shownNumbers(x, numbers, isShort);
  const { write, width } = torchWriter(x.dtype, values, options);
  if (x.rank === 0) return `tensor(${write(numbers[0]!).trim()}${suffix(x)})`;
  const perLine = Math.max(1, Math.floor((options.linewidth - 7 - x.rank + 1) / (width + 2)));
  const body =
    x.size === 0
      ? '[]'
      : nested(x, numbers, write, {
          gap: ', ',
          width: options.linewidth,
          isShort,
          prefix: 7,
          dots: ' ...',
          perLine,
        });
  return `tensor(${body}${x.size === 0 && x.rank > 1 ? `, size=(${x.shape.join(', ')})` : ''}${suffix(x)})`;
}

const suffix = (x: ArrayValue): string => {
  if (x.dtype === 'float64') return ', dtype=torch.float64';
  return x.size === 0 && x.dtype === 'int64' ? ', dtype=torch.int64' : '';
};
