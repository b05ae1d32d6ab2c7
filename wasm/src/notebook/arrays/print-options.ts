// How arrays are printed, as a program says.

/** What `set_printoptions` sets; `suppress` false: small numbers are written without an exponent, true: with one, null: as it fits. */
export interface PrintOptions {
  readonly precision: number;
  readonly threshold: number;
  readonly linewidth: number;
  readonly exponents: boolean | null;
}

/** Those of both libraries. */
export type Printing = Readonly<Record<'numpy' | 'torch', PrintOptions>>;

/** What both print with, unless a program says otherwise. */
export const printing: Printing = {
  numpy: { precision: 8, threshold: 1000, linewidth: 75, exponents: null },
  torch: { precision: 4, threshold: 1000, linewidth: 80, exponents: null },
};
