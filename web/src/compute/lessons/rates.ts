// What is made of counts and measured times, by the core: operations a second, one time over another, and
// the power of the size that times grow with.
import type { Answers } from '../answers';

/** One measured number over another of its kind. */
export interface Ratio {
  readonly number: number;
  readonly of: number;
}

export interface RatesLessons {
  /** Billions of operations a second. */
  speed: { ask: { readonly flops: number; readonly milliseconds: number }; answer: number };
  ratios: { ask: readonly Ratio[]; answer: readonly number[] };
  /** Of the times at each size, the power; of each of several. */
  growths: {
    ask: readonly { readonly sizes: readonly number[]; readonly times: readonly number[] }[];
    answer: readonly number[];
  };
}

export const ratesAnswers: Answers<RatesLessons> = {
  speed: ({ cost }, { flops, milliseconds }) => cost.gigaflops(flops, milliseconds),

  ratios: ({ cost }, ratios) => ratios.map(({ number, of }) => cost.ratio(number, of)),

  growths: (tril, all) =>
    all.map(({ sizes, times }) => tril.growth(tril.tensor([...sizes]), tril.tensor([...times]))),
};
