// Numbers as other programs write them in text.

/** Fortran has D for the exponent, and leaves the letter out before three digits. */
const decimal = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:[ed]([+-]?\d+)|([+-]\d{3}))?$/i;
/** C's names, and those that Microsoft's library had before 2015. */
const infinite = /^([+-]?)(?:inf|infinity|∞|1\.#inf0*)$/i;
/** The same of what is no number, and what languages and databases write for a missing one. */
const missing = new RegExp(
  String.raw`^(?:[+-]?[qs]?nan(?:\([a-z0-9_]*\))?|[+-]?1\.#(?:qnan|snan|ind)0*|#?na|#?n\/a|<na>|na_real_|nat|` +
    String.raw`null|none|nil|nothing|missing|undefined|indeterminate|)$`,
  'i',
);

/** What a cell says; undefined where it is neither a number nor a word for one. */
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

/** What a cell says, true or false, as R, Python and spreadsheets write it. */
export function booleanOf(cell: string): boolean | undefined {
  if (/^true$/i.test(cell)) return true;
  return /^false$/i.test(cell) ? false : undefined;
}

/** Whether a cell can be the name of a column: it begins with a letter, perhaps in brackets. */
export function isName(cell: string, decimalComma: boolean): boolean {
  const named = /^[([{<'_]*\p{L}/u.test(cell);
  return named && booleanOf(cell) === undefined && numberOf(cell, decimalComma) === undefined;
}
