// The print options of arrays, which programs can set.

/**
 * The settings of `set_printoptions`. `exponents` follows `suppress`: false writes small numbers without an exponent, true with
 * one, null as they need.
 */
export interface PrintOptions {
  readonly precision: number;
  readonly threshold: number;
  readonly linewidth: number;
  readonly exponents: boolean | null;
}

/** The print options of both libraries. */
export type Printing = Readonly<Record<'numpy' | 'torch', PrintOptions>>;

/** The default print options of both libraries. */
export const printing: Printing = {
  numpy: { precision: 8, threshold: 1000, linewidth: 75, exponents: null },
  torch: { precision: 4, threshold: 1000, linewidth: 80, exponents: null },
};
