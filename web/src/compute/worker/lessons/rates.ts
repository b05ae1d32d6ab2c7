// What is made of measured times that came one by one, by the core: one over another, and the power of the size that
// times grow with. A figure asks for all of them at once; what needs one time alone comes with that time.
import type { Tril } from 'tril';
import type { Answers } from '../answers';

/** One measured number over another of its kind. */
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
    /** The power, where times are asked about. */
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
