import type { IfRequested, Known } from '../if-requested.js';
import { absent, type Context } from '../context.js';
import { TrilError } from '../error.js';
import { booleanOption, checkKeys, integerOption, numberOption, stringOption } from '../names.js';
import type { Tensor } from '../tensor.js';
import { flattenIntegers, type NestedNumbers } from '../values.js';

/** The options of a loss. */
export interface LossOptions {
  /** Whether the losses are averaged or added up (default `'mean'`). */
  readonly reduction?: 'mean' | 'sum';
  /** Also return the gradient, computed in the same pass. */
  readonly gradient?: boolean;
}

/** The options of `crossEntropy`. */
export interface CrossEntropyOptions extends LossOptions {
  /** Target that is ignored (default -100). */
  readonly ignore?: number;
  /** Share of each target that is spread over all classes, from 0 to 1 (default 0). */
  readonly labelSmoothing?: number;
  /**
   * The tensor to write the gradient to, in the shape of the logits (default: a new one). It may be the logits
   * themselves, which saves a second `[N, V]` in memory.
   */
  readonly out?: Tensor;
}

/** The result of `crossEntropy`. */
export type CrossEntropy<Options> = {
  /** The loss; 0 where no target counts. */
  readonly loss: number;
  /** Number of targets that count. */
  readonly counted: number;
  /** Number of targets whose logit is the largest of their row. */
  readonly correct: number;
} & IfRequested<Options, { gradient: true }, { readonly dLogits: Tensor }>;

/** The result of `meanSquaredError`. */
export type SquaredError<Options> = { readonly loss: number } & IfRequested<
  Options,
  { gradient: true },
  { readonly dX: Tensor }
>;

export const lossCalls = (context: Context) => {
  const { raw, engine } = context;

  return {
    /**
     * The cross-entropy, in nats, of the softmax of logits `[..., V]` and the targets, one whole number for each row,
     * as `torch.nn.functional.cross_entropy`; and its gradient, which overwrites the logits with `out: logits`.
     *
     * @throws TrilError where shapes do not fit, for a target that is not a class, and for wrong options
     *
     * @example
     * ```ts
     * const logits = tril.tensor([[0, 0], [0, 0]]);
     * const { loss, dLogits } = tril.crossEntropy(logits, [1, -100], { gradient: true });
     * loss; // 0.6931
     * dLogits.toArray(); // [[0.5000, -0.5000], [0, 0]]
     * tril.crossEntropy(logits, [0, -100], { gradient: true, out: logits }).loss; // 0.6931
     * logits.toArray(); // [[-0.5000, 0.5000], [0, 0]]
     * ```
     */
    crossEntropy<const Options extends CrossEntropyOptions>(
      logits: Tensor,
      targets: NestedNumbers | Int32Array,
      options: Options & Known<Options, CrossEntropyOptions> = {} as never,
    ): CrossEntropy<Options> {
      const call = 'crossEntropy';
      const names = ['ignore', 'labelSmoothing', 'reduction', 'gradient', 'out'];
      checkKeys(call, 'options', 'option', options, names);
      const rawOptions = {
        ignore: integerOption(call, 'ignore', options.ignore, -100),
        labelSmoothing: numberOption(call, 'labelSmoothing', options.labelSmoothing, 0),
        reduction: stringOption(call, 'reduction', options.reduction, 'mean'),
        gradient: booleanOption(call, 'gradient', options.gradient, false),
      };
      if (options.out && !rawOptions.gradient) {
        throw new TrilError(call, 'out', 'is for the gradient; ask for it with gradient: true');
      }
      const { values } = flattenIntegers(call, 'targets', targets);
      return context.run(call, { logits, out: options.out ?? absent }, (t) => {
        const { loss, counted, correct, gradient } = raw._crossEntropy(
          ...[engine, t.logits, values, rawOptions, t.out],
        );
        const dLogits = gradient ? context.adopt(gradient) : options.out;
        return { loss, counted, correct, ...(dLogits && { dLogits }) };
      }) as CrossEntropy<Options>;
    },

    /**
     * The mean, or sum, of `(x - y)^2` over all elements, and its gradient.
     *
     * @throws TrilError where shapes do not fit or an option is wrong
     *
     * @example
     * ```ts
     * const [x, y] = [tril.tensor([1, 2]), tril.tensor([1, 4])];
     * const { loss, dX } = tril.meanSquaredError(x, y, { gradient: true });
     * loss; // 2
     * dX.toArray(); // [0, -2]
     * ```
     */
    meanSquaredError<const Options extends LossOptions>(
      x: Tensor,
      y: Tensor,
      options: Options & Known<Options, LossOptions> = {} as never,
    ): SquaredError<Options> {
      const call = 'meanSquaredError';
      checkKeys(call, 'options', 'option', options, ['reduction', 'gradient']);
      const reduction = stringOption(call, 'reduction', options.reduction, 'mean');
      const wanted = booleanOption(call, 'gradient', options.gradient, false);
      return context.run(call, { x, y }, (t) => {
        const { loss, gradient } = raw._meanSquaredError(engine, t.x, t.y, reduction, wanted);
        return { loss, ...(gradient && { dX: context.adopt(gradient) }) };
      }) as SquaredError<Options>;
    },
  };
};
