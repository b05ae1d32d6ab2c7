// Output that depends on the language: counts, times, and lists of names.
import { language } from '$texts';
import figureText from '$texts/figures.yaml';

const whole = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
const [oneDecimal, twoDecimals] = [1, 2].map(
  (digits) =>
    new Intl.NumberFormat(language, {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }),
);
const names = new Intl.ListFormat(language);

/** A count with separators: 1,234,567 in English. */
export function count(value: number): string {
  return whole.format(value);
}

/** A measured number, with `digits` decimals. */
export function decimal(value: number, digits: 1 | 2): string {
  return (digits === 1 ? oneDecimal : twoDecimals).format(value);
}

/** A time in a suitable unit; units have the same names in all languages. */
export function duration(milliseconds: number): string {
  if (milliseconds >= 1000) return `${oneDecimal.format(milliseconds / 1000)} s`;
  if (milliseconds >= 0.1) {
    return `${(milliseconds < 10 ? oneDecimal : whole).format(milliseconds)} ms`;
  }
  return `${(milliseconds < 0.01 ? oneDecimal : whole).format(milliseconds * 1000)} µs`;
}

/** A number of megabytes; their unit has the same name in all languages. */
export function megabytes(bytes: number): string {
  return oneDecimal.format(bytes / 1e6);
}

/** Joins sentences. */
export function together(sentences: readonly string[]): string {
  const [begin = '', ...others] = sentences;
  return others.reduce((first, second) => figureText.together({ first, second }), begin);
}

/** Lists names as in a sentence: a, b, and c. */
export function listed(all: readonly string[]): string {
  return names.format(all);
}
