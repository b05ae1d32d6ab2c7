// Numbers as other programs write them in text.

/** Fortran writes D for the exponent, and omits the letter before three digits. */
const decimal = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:[ed]([+-]?\d+)|([+-]\d{3}))?$/i;
/** C's names of infinity, and those of Microsoft's library before 2015. */
const infinite = /^([+-]?)(?:inf|infinity|∞|1\.#inf0*)$/i;
/** The same for NaN, and the words for missing numbers in languages and databases. */
const missing = new RegExp(
  String.raw`^(?:[+-]?[qs]?nan(?:\([a-z0-9_]*\))?|[+-]?1\.#(?:qnan|snan|ind)0*|#?na|#?n\/a|<na>|na_real_|nat|` +
    String.raw`null|none|nil|nothing|missing|undefined|indeterminate|)$`,
  'i',
);

/** The number in a cell; undefined where it is neither a number nor a word for one. */
export function numberOf(cell: string, decimalComma: boolean): number | undefined {
  const parts = decimal.exec(decimalComma ? cell.replace(',', '.') : cell);
  if (parts) {
    const [, digits, exponent, bare] = parts;
    return Number(`${digits!}e${exponent ?? bare ?? '0'}`);
  }
  const sign = infinite.exec(cell);
  if (sign) return sign[1] === '-' ? -Infinity : Infinity;
  return missing.test(cell) ? NaN : undefined;
}

/** The truth value in a cell, as R, Python and spreadsheets write it. */
export function booleanOf(cell: string): boolean | undefined {
  if (/^true$/i.test(cell)) return true;
  return /^false$/i.test(cell) ? false : undefined;
}

/** Whether a cell can be the name of a column: it begins with a letter, perhaps in brackets. */
export function isName(cell: string, decimalComma: boolean): boolean {
  const named = /^[([{<'_]*\p{L}/u.test(cell);
  return named && booleanOf(cell) === undefined && numberOf(cell, decimalComma) === undefined;
}
