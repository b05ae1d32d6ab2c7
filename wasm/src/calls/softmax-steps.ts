import type { Context } from '../context.js';
import { booleanOption, checkKeys } from '../names.js';
import type { RawWithLessons } from '../raw.js';
import type { Tensor } from '../tensor.js';

/** The result of `concentration`, in the shape of the weights without their last axis. */
export interface Concentration {
  /** `-sum of w log w` of each row, in nats: 0 for a single weight, log n for n equal weights. */
  readonly entropy: Tensor;
  /** The largest weight of each row. */
  readonly largest: Tensor;
}

/** The result of `softmaxSteps`. */
export interface SoftmaxSteps {
  /** `powers / sum`, in the shape of x. */
  readonly output: Tensor;
  /** The subtracted number: 0, or, if stable, the maximum of the row; in the shape of x without its last axis. */
  readonly shift: Tensor;
  /** `e^(x - shift)` */
  readonly powers: Tensor;
  /** The sum of the powers of each row. */
  readonly sum: Tensor;
}

export const softmaxStepCalls = (context: Context) => {
  const { engine } = context;
  const raw = context.raw as RawWithLessons;
  return {
    /**
     * The concentration of weights that add up to 1 along the last axis.
     *
     * @throws TrilError where weights is no tensor
     *
     * @example
     * ```ts
     * const weights = tril.tensor([[1, 0, 0, 0], [0.25, 0.25, 0.25, 0.25]]);
     * const { entropy, largest } = tril.concentration(weights);
     * entropy.toArray(); // [0.0000, 1.3863]
     * largest.toArray(); // [1, 0.25]
     * ```
     */
    concentration(weights: Tensor): Concentration {
      return context.run(
        'concentration',
        { weights },
        (t) => context.adoptAll(raw._concentration(engine, t.weights)) as unknown as Concentration,
      );
    },

    /**
     * Softmax along the last axis taken apart: with `stable: false` as the formula is written,
     * `e^x` over its sum, which overflows; else as `softmax` does it.
     *
     * @throws TrilError where x is no tensor
     *
     * @example
     * ```ts
     * const x = tril.tensor([1000, 1000]);
     * tril.softmaxSteps(x).output.toArray(); // [0.5, 0.5]
     * const { powers, output } = tril.softmaxSteps(x, { stable: false });
     * powers.toArray(); // [Infinity, Infinity]
     * output.toArray(); // [NaN, NaN]
     * ```
     */
    softmaxSteps(x: Tensor, options: { readonly stable?: boolean } = {}): SoftmaxSteps {
      const call = 'softmaxSteps';
      checkKeys(call, 'options', 'option', options, ['stable']);
      const stable = booleanOption(call, 'stable', options.stable, true);
      return context.run(
        call,
        { x },
        (t) => context.adoptAll(raw._softmaxSteps(engine, t.x, stable)) as unknown as SoftmaxSteps,
      );
    },
  };
};
