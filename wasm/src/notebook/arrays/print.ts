// Arrays as NumPy and PyTorch print them: the digits of float32, columns under each other, the middle of long axes left out.
import { ArrayValue, shortest, sizeOf, type DtypeName } from './array.js';

const padLeft = (text: string, width: number): string => text.padStart(width);

/** Places along an axis that are shown; -1 is what is left out. */
function shown(size: number, isShort: boolean): number[] {
  const all = Array.from({ length: size }, (_, i) => i);
  return isShort && size > 6 ? [...all.slice(0, 3), -1, ...all.slice(-3)] : all;
}

function shownNumbers(x: ArrayValue, numbers: Float32Array, isShort: boolean): number[] {
  const visit = (axis: number, place: number): number[] => {
    if (axis === x.rank) return [numbers[place]!];
    const below = sizeOf(x.shape.slice(axis + 1));
    return shown(x.shape[axis]!, isShort)
      .filter((i) => i >= 0)
      .flatMap((i) => visit(axis + 1, place + i * below));
  };
  return visit(0, 0);
}

type Write = (value: number) => string;

const special = (value: number): string =>
  Number.isNaN(value) ? 'nan' : value < 0 ? '-inf' : 'inf';

/** A number's shortest digits of float32, at most `max` after the point, without zeros at the end. */
function shortDecimal(value: number, max: number): string {
  const text = shortest(Math.abs(value));
  const exact = text.toFixed(Math.min(100, max));
  return `${value < 0 || Object.is(value, -0) ? '-' : ''}${exact.replace(/0+$/, '')}`;
}

const exponential = (value: number, digits: number | undefined): string => {
  const short = shortest(value);
  const plain = short.toExponential(
    digits !== undefined && short.toExponential().replace(/e.*|[-.]/g, '').length > digits + 1
      ? digits
      : undefined,
  );
  return plain.replace(/^(-?\d)e/, '$1.e').replace(/e([+-])(\d)$/, 'e$10$2');
};

/** How NumPy writes numbers with a point that stand together. */
function numpyFloats(values: readonly number[]): Write {
  const finite = values.filter(Number.isFinite);
  const sizes = finite.filter((value) => value !== 0).map(Math.abs);
  const [max, min] = [Math.max(...sizes, 0), Math.min(...sizes, Infinity)];
  const isExponential = sizes.length > 0 && (max >= 1e8 || min < 1e-4 || max / min > 1000);
  const others = values.filter((value) => !Number.isFinite(value)).map(special);
  if (isExponential) {
    const texts = finite.map((value) => exponential(value, 8));
    const digits = Math.max(...texts.map((text) => /\.(\d*)e/.exec(text)![1]!.length));
    const write: Write = (value) => {
      if (!Number.isFinite(value)) return special(value);
      return exponential(value, 8).replace(
        /\.(\d*)e/,
        (_, after: string) => `.${after.padEnd(digits, '0')}e`,
      );
    };
    const width = Math.max(...[...finite.map(write), ...others].map((text) => text.length));
    return (value) => padLeft(write(value), width);
  }
  const texts = finite.map((value) => shortDecimal(value, 8));
  const after = Math.max(0, ...texts.map((text) => text.split('.')[1]?.length ?? 0));
  const before = Math.max(0, ...texts.map((text) => text.split('.')[0]!.length));
  const width = Math.max(
    before + after + (finite.length > 0 ? 1 : 0),
    ...others.map((text) => text.length),
  );
  return (value) => {
    if (!Number.isFinite(value)) return padLeft(special(value), width);
    const [integer = '', digits = ''] = shortDecimal(value, 8).split('.');
    return padLeft(`${integer}.${digits.padEnd(after)}`, width);
  };
}

function numpyWriter(dtype: DtypeName, values: readonly number[]): Write {
  if (dtype === 'bool') {
    const width = values.some((value) => value === 0) ? 5 : 4;
    return (value) => padLeft(value === 0 ? 'False' : 'True', width);
  }
  if (dtype === 'int64') {
    const width = Math.max(0, ...values.map((value) => String(value).length));
    return (value) => padLeft(String(value), width);
  }
  return numpyFloats(values);
}

/** Brackets, with lines that are broken where they get too wide. */
function nested(
  x: ArrayValue,
  numbers: Float32Array,
  write: Write,
  style: { gap: string; width: number; isShort: boolean; prefix: number; perLine?: number },
): string {
  const { gap, isShort } = style;
  const visit = (axis: number, place: number): string => {
    const indent = ' '.repeat(style.prefix + axis + 1);
    const below = sizeOf(x.shape.slice(axis + 1));
    const places = shown(x.shape[axis]!, isShort);
    const textOf = (i: number) =>
      i < 0
        ? '...'
        : axis === x.rank - 1
          ? write(numbers[place + i]!)
          : visit(axis + 1, place + i * below);
    if (axis < x.rank - 1) {
      const lines = `${gap.trimEnd()}${'\n'.repeat(x.rank - 1 - axis)}${indent}`;
      return `[${places.map(textOf).join(lines)}]`;
    }
    const rows: string[] = [];
    let line = '';
    let count = 0;
    // After the last one are as many brackets as there are axes.
    for (const [n, i] of places.entries()) {
      const text = textOf(i);
      const isLast = n === places.length - 1;
      const room = style.width - (isLast ? x.rank - 1 : 0) - 1;
      const next = line === '' ? text : `${line}${gap}${text}`;
      const isFull =
        style.perLine === undefined
          ? indent.length + next.length + (isLast ? 0 : gap.trimEnd().length) > room + 0
          : count >= style.perLine;
      if (line !== '' && isFull) {
        rows.push(line + gap.trimEnd());
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
  const numbers = x.numbers();
  const isShort = x.size > 1000;
  const write = numpyWriter(x.dtype, shownNumbers(x, numbers, isShort));
  const start = isRepr ? 'array(' : '';
  const gap = isRepr ? ', ' : ' ';
  const body =
    x.size === 0
      ? '[]'
      : nested(x, numbers, write, { gap, width: 75, isShort, prefix: start.length });
  if (!isRepr) return body;
  const hasType = x.dtype === 'float32' || x.size === 0;
  const shape = x.size === 0 && x.shape.length > 1 ? `, shape=(${x.shape.join(', ')})` : '';
  const type = hasType ? `, dtype=${x.dtype}` : '';
  return `array(${body}${shape}${type})`;
}

/** How PyTorch writes numbers that stand together. */
function torchWriter(dtype: DtypeName, values: readonly number[]): { write: Write; width: number } {
  const padded = (width: number, write: Write) => ({
    width,
    write: (value: number) => padLeft(write(value), width),
  });
  if (dtype === 'bool') {
    const width = Math.max(0, ...values.map((value) => (value === 0 ? 5 : 4)));
    return padded(width, (value) => (value === 0 ? 'False' : 'True'));
  }
  const finite = values.filter((value) => Number.isFinite(value) && value !== 0).map(Math.abs);
  const text = (value: number, of: (value: number) => string) =>
    Number.isFinite(value) ? of(value) : special(value);
  const widthOf = (write: Write) => Math.max(1, ...values.map((value) => write(value).length));
  if (dtype === 'int64') {
    return padded(widthOf(String), String);
  }
  const [max, min] = [Math.max(...finite, 0), Math.min(...finite, Infinity)];
  const isInteger = finite.every((value) => Number.isInteger(value));
  const isScientific =
    finite.length > 0 && (max / min > 1000 || max > 1e8 || (!isInteger && min < 1e-4));
  const scientific = (value: number) => value.toExponential(4).replace(/e([+-])(\d)$/, 'e$10$2');
  const integer = (value: number) =>
    `${value === 0 ? (Object.is(value, -0) ? '-0' : '0') : value.toFixed(0)}.`;
  const plain = (value: number) => value.toFixed(4);
  const of = isScientific
    ? scientific
    : isInteger
      ? integer
      : (value: number) => (Object.is(value, -0) ? '-0.0000' : plain(value));
  const write: Write = (value) => text(value, of);
  return padded(finite.length === 0 ? 1 : widthOf(write), write);
}

/** A tensor of PyTorch, as it prints one. */
export function printTorch(x: ArrayValue): string {
  const numbers = x.numbers();
  const isShort = x.size > 1000;
  const values = shownNumbers(x, numbers, isShort);
  const { write, width } = torchWriter(x.dtype, values);
  if (x.rank === 0) return `tensor(${write(numbers[0]!).trim()}${suffix(x)})`;
  const perLine = Math.max(1, Math.floor((80 - 7 - x.rank + 1) / (width + 2)));
  const body =
    x.size === 0
      ? '[]'
      : nested(x, numbers, write, { gap: ', ', width: 80, isShort, prefix: 7, perLine });
  return `tensor(${body}${x.size === 0 && x.rank > 1 ? `, size=(${x.shape.join(', ')})` : ''}${suffix(x)})`;
}

const suffix = (x: ArrayValue): string => {
  if (x.dtype === 'float64') return ', dtype=torch.float64';
  return x.size === 0 && x.dtype === 'int64' ? ', dtype=torch.int64' : '';
};
