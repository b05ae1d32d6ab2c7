// Strings and numbers of a program, by Python's rules.
import type { Literal } from './syntax.js';

const escapes: Readonly<Record<string, string>> = {
  ...{ n: '\n', t: '\t', r: '\r', '\\': '\\', "'": "'", '"': '"', '\n': '' },
  ...{ a: '\x07', b: '\b', f: '\f', v: '\v', 0: '\0' },
};

/** Escapes as what they stand for. */
export const unescaped = (text: string): string =>
  text.replace(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|([^]))/g,
    (all, hex?: string, wide?: string, sign?: string) => {
      if (sign !== undefined) return escapes[sign] ?? all;
      return String.fromCharCode(parseInt((hex ?? wide)!, 16));
    },
  );

/** Where the quotes of a string begin and end. */
export function quotesOf(text: string): { prefix: string; open: number; close: number } {
  const [, prefix = '', quote = ''] = /^([A-Za-z]*)("""|'''|"|')/.exec(text) ?? [];
  const open = prefix.length + quote.length;
  const isClosed = text.length >= open + quote.length && text.endsWith(quote) && quote !== '';
  return { prefix: prefix.toLowerCase(), open, close: isClosed ? text.length - quote.length : -1 };
}

/** A number as it is written; none where it is no number, or a complex one. */
export function readNumber(written: string): Literal | undefined {
  const text = written.replace(/(?<=[\da-fA-F])_(?=[\da-fA-F])/g, '');
  if (/^0[xob][\da-f]+$/i.test(text) || /^(?:0+|[1-9]\d*)$/.test(text)) {
    return Number.isNaN(Number(text)) ? undefined : { type: 'int', value: Number(text) };
  }
  if (!/^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) || /^\d+$/.test(text)) return undefined;
  return { type: 'float', value: Number(text) };
}
