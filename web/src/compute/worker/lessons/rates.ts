// Ratios of measured times, and the exponent with which times grow, computed by the core from times that came one by
// one. A figure asks for all of them at once; a value that needs a single time comes with that time.
import type { Tril } from 'tril';
import type { Answers } from '../answers';

/** A ratio of two measured numbers of one kind. */
interface Ratio {
  readonly number: number;
  readonly of: number;
}

/** Times at each size. */
interface Growth {
  readonly sizes: readonly number[];
  readonly times: readonly number[];
}

export interface RatesLessons {
  rates: {
    ask: { readonly ratios: readonly Ratio[]; readonly growths?: readonly Growth[] };
    /** The exponents of the given times. */
    answer: { readonly ratios: readonly number[]; readonly growths: readonly number[] };
  };
}

export const ratesAnswers: Answers<RatesLessons, Tril> = {
  rates: (tril, { ratios, growths = [] }) => ({
    ratios: ratios.map(({ number, of }) => tril.cost.ratio(number, of)),
    growths: growths.map(({ sizes, times }) =>
      tril.growth(tril.tensor([...sizes]), tril.tensor([...times])),
    ),
  }),
};
