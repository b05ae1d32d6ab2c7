// Numbers as the figures write them: with a true minus sign, and 0 only for exact zeros.
//
// Elements of a matrix, and all numbers computed from them, look alike in every language, with a decimal point, as in
// the exported programs and in the files that Check reads. Numbers that a sentence counts follow its language: see
// messages, and local.ts.

/** Cells from this size on show their numbers: four letters of 11 px, clear of every edge. */
export const numberCell = 30;

/** Font size in pixels of the numbers in cells. */
export const figureSize = (cell: number) => (cell >= 40 ? 12 : 11);

/** Number of letters of that font, each 0.6 em wide, that fit in a cell. */
const lettersIn = (cell: number) => Math.floor((cell - 3) / (0.6 * figureSize(cell)));

/** Stands for a non-zero number whose shown digits are all zero. */
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
 * Formats a number for a cell: integers unchanged, others with two decimals, fewer if there is no room, then powers of
 * ten; empty if those do not fit either. Decimals that are all zero show that the number is not quite an integer.
 * Narrow cells omit the leading 0.
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

/** A weight between 0 and 1, without the leading 0. */
export function weightInCell(value: number, cell: number): string {
  if (value < 0 || value >= 1) return inCell(value, cell);
  return special(value) ?? value.toFixed(2).replace(/^0/u, '');
}

/** A share in a sentence, in percent: to a tenth if it is nearly nothing or nearly all. */
export function inPercent(share: number): string {
  if (!Number.isFinite(share)) return inText(share);
  const percent = 100 * share;
  const middle = percent >= 1 && percent <= 99;
  const rounded = Number(percent.toFixed(middle ? 0 : 1));
  // Nearly nothing must not read as nothing, nor nearly all as all.
  const ends = (rounded === 0 || rounded === 100) && rounded !== percent;
  return `${ends ? '≈ ' : ''}${rounded}\u00a0%`;
}

/**
 * Shares of one total in percent, whose rounded values add up to 100: integers if these suffice, else to a tenth, the
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

/** Formats a number for a sentence or equation: four significant digits or two decimals. */
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
  // Trailing zeros are dropped only if nothing follows them.
  return signed(value, Math.fround(Number(short)) === Math.fround(magnitude) ? short : text);
}

/** The end of a scale: at most three significant digits, no trailing zeros. */
export function inLegend(value: number): string {
  const text = inText(Number(value.toPrecision(3)));
  return text.includes('.') && !text.includes('·') ? text.replace(/\.?0+$/u, '') : text;
}

/** All digits of a float32: the shortest decimal that reads back as the same number. */
export function exact(value: number): string {
  const found = special(value);
  if (found) return found;
  const reads = (digits: number) => Math.fround(Number(value.toPrecision(digits))) === value;
  // Most numbers need seven digits or more: fewer are tried only if six suffice.
  let digits = reads(6) ? 1 : 7;
  while (digits < 9 && !reads(digits)) ++digits;
  return signed(value, String(Math.abs(Number(value.toPrecision(digits)))));
}

/** The shortest decimal of a float32 as one types it, with the keyboard's minus sign. */
export function asTyped(value: number): string {
  return exact(value).replace('−', '-').replace('∞', 'Infinity');
}

const named = new Map([
  ['nan', NaN],
  ['inf', Infinity],
  ['+inf', Infinity],
  ['-inf', -Infinity],
]);

/** Parses a number as people and programs write it, with a minus sign of any kind; null for anything else. */
export function parseNumber(text: string): number | null {
  const plain = text.trim().toLowerCase().replace(/^[−–]/u, '-').replace('infinity', 'inf');
  const value = named.get(plain);
  if (value !== undefined) return value;
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/u.test(plain)) return null;
  return Number(plain);
}
