// Numbers as the figures write them: a true minus sign, and a zero only where there is one.
//
// What a matrix holds, and whatever is computed from it, is written alike in every language, with a point, as it is in
// the programs that a figure gives along and in the files that Check reads. What a sentence counts is written as its
// language does: that is up to messages, and to local.ts.

/** Cells from this size on show their numbers: four letters of 11 px, clear of every edge. */
export const numberCell = 30;

/** Pixels: the type of numbers in cells. */
export const figureSize = (cell: number) => (cell >= 40 ? 12 : 11);

/** Letters of that type, each 0.6 em wide, that a cell has room for. */
const lettersIn = (cell: number) => Math.floor((cell - 3) / (0.6 * figureSize(cell)));

/** Stands for a number that is not zero and whose digits all are. */
export const roundedZero = '·';

function signed(value: number, digits: string): string {
  return value < 0 || Object.is(value, -0) ? `−${digits}` : digits;
}

function special(value: number): string | null {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return signed(value, '∞');
  return value === 0 ? '0' : null;
}

/**
 * Few enough characters for a cell: whole numbers as they are, others with two decimals, fewer where there is no room,
 * then powers of ten; nothing where those have no room either. Decimals that are all zero say that the number is not
 * quite whole. Narrow cells do without the 0 in front.
 */
export function inCell(value: number, cell: number): string {
  const found = special(value);
  if (found) return found;
  const most = lettersIn(cell);
  const magnitude = Math.abs(value);
  const whole = Number.isInteger(value);
  const decimals = whole ? 0 : magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : 2;
  for (let left = decimals; left >= 0; --left) {
    const digits = magnitude.toFixed(left);
    if (Number(digits) === 0) return roundedZero;
    const text = signed(value, most < 5 ? digits.replace(/^0(?=.)/u, '') : digits);
    if (text.length <= most && magnitude < 1e5) return text;
  }
  const power = shortest(value);
  return power.length <= most ? power : '';
}

/** One digit and a power of ten. */
export function shortest(value: number): string {
  return special(value) ?? signed(value, Math.abs(value).toExponential(0).replace('e+', 'e'));
}

/** A weight between 0 and 1, without the 0 in front. */
export function weightInCell(value: number, cell: number): string {
  if (value < 0 || value >= 1) return inCell(value, cell);
  return special(value) ?? value.toFixed(2).replace(/^0/u, '');
}

/** A share in a sentence, in percent: to a tenth where it is nearly nothing or nearly all. */
export function inPercent(share: number): string {
  if (!Number.isFinite(share)) return inText(share);
  const percent = 100 * share;
  const middle = percent >= 1 && percent <= 99;
  const rounded = Number(percent.toFixed(middle ? 0 : 1));
  // All but nothing is not nothing, and all but the whole is not the whole.
  const ends = (rounded === 0 || rounded === 100) && rounded !== percent;
  return `${ends ? '≈ ' : ''}${rounded}\u00a0%`;
}

/**
 * Shares of one whole in percent, such that what is written adds up to 100: whole numbers if these do, else to a tenth, the
 * largest remainders rounded up.
 */
export function inPercents(shares: readonly number[]): string[] {
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
  const percents = shares.map((share) => 100 * share);
  if (!percents.every(Number.isFinite)) return shares.map(inPercent);
  const whole = percents.map(Math.round);
  if (sum(whole) === 100) return whole.map((percent) => `${percent}\u00a0%`);
  const tenths = percents.map((percent) => Math.floor(10 * percent + 1e-6));
  const left = Math.max(0, 1000 - sum(tenths));
  const remainder = (i: number) => 10 * percents[i] - tenths[i];
  const up = shares.map((_, i) => i).sort((a, b) => remainder(b) - remainder(a) || a - b);
  for (const i of up.slice(0, left)) ++tenths[i];
  return tenths.map((tenth) => `${(tenth / 10).toFixed(1)}\u00a0%`);
}

/** In a sentence or equation: four significant digits or two decimals. */
export function inText(value: number): string {
  const magnitude = Math.abs(value);
  const found = special(value);
  if (found) return found;
  if (magnitude >= 1e5 || magnitude < 1e-3) {
    const [digits, power] = magnitude.toExponential(1).split('e');
    const raised = power
      .replace('+', '')
      .replace('-', '⁻')
      .replace(/\d/gu, (d) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[+d]);
    return signed(value, `${digits}·10${raised}`);
  }
  const decimals = magnitude >= 1000 ? 0 : magnitude >= 100 ? 1 : magnitude >= 1 ? 2 : 3;
  const text = magnitude.toFixed(decimals);
  const short = text.includes('.') ? text.replace(/\.?0+$/u, '') : text;
  // Zeros at the end go only where nothing follows them.
  return signed(value, Math.fround(Number(short)) === Math.fround(magnitude) ? short : text);
}

/** The end of a scale: three significant digits at most, no zeros at the end. */
export function inLegend(value: number): string {
  const text = inText(Number(value.toPrecision(3)));
  return text.includes('.') && !text.includes('·') ? text.replace(/\.?0+$/u, '') : text;
}

/** All the digits of a float32: the shortest decimal that reads back as the same number. */
export function exact(value: number): string {
  const found = special(value);
  if (found) return found;
  const reads = (digits: number) => Math.fround(Number(value.toPrecision(digits))) === value;
  // Most need seven or more: fewer are only tried where six are enough.
  let digits = reads(6) ? 1 : 7;
  while (digits < 9 && !reads(digits)) ++digits;
  return signed(value, String(Math.abs(Number(value.toPrecision(digits)))));
}

/** As one would type it: the shortest decimal of a float32, with the keyboard's minus sign. */
export function asTyped(value: number): string {
  return exact(value).replace('−', '-').replace('∞', 'Infinity');
}

const named = new Map([
  ['nan', NaN],
  ['inf', Infinity],
  ['+inf', Infinity],
  ['-inf', -Infinity],
]);

/** A number as people and programs write it, a minus sign of any kind; null for anything else. */
export function parseNumber(text: string): number | null {
  const plain = text.trim().toLowerCase().replace(/^[−–]/u, '-').replace('infinity', 'inf');
  const value = named.get(plain);
  if (value !== undefined) return value;
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/u.test(plain)) return null;
  return Number(plain);
}
