// `set_printoptions`, which sets the print options of arrays.
import type { Library } from '../arrays/array.js';
import type { PrintOptions } from '../arrays/print-options.js';
import type { Machine } from '../language/machine.js';
import { truth } from '../language/comparisons.js';
import { type Args, number } from '../language/signature.js';
import type { Value } from '../language/values.js';

const shared = 'precision=None, threshold=None, *, linewidth=None';
/** Supported arguments; others are refused, since their effect would be missing. */
export const printSignatures: Readonly<Record<Library, string>> = {
  numpy: `${shared}, suppress=None`,
  torch: `${shared}, sci_mode=None`,
};

/** `set_printoptions` of a library. */
export const printOptions =
  (machine: Machine, library: Library) =>
  (args: Args): Value => {
    const { recorder } = machine;
    const set = (name: 'precision' | 'threshold' | 'linewidth') =>
      args[name] === null ? {} : { [name]: number(args[name]!, name) };
    const exponents = ({ suppress = null, sci_mode = null }: Args): Partial<PrintOptions> => {
      if (sci_mode !== null) return { exponents: truth(sci_mode) };
      return suppress === null ? {} : { exponents: truth(suppress) ? false : null };
    };
    const old = recorder.printing[library];
    const next = { ...old, ...set('precision'), ...set('threshold'), ...set('linewidth') };
    const precision = Math.min(100, Math.max(0, Math.trunc(next.precision)));
    const made = { ...next, precision, ...exponents(args) };
    recorder.printing = { ...recorder.printing, [library]: made };
    return null;
  };
