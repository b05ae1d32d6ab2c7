// The gradients of attention's inputs: a call of every module, which takes more options in one of `tril/training`.
import type { IfRequested, Known } from '../if-requested.js';
import type { Context } from '../context.js';
import { booleanOption, checkKeys } from '../names.js';
import type { Tensor } from '../tensor.js';
import { rawAttentionOptions, rawDropout } from './attention.js';
import type { AttentionOptions, DropoutOption } from './attention.js';

/** The options of `attentionBackward`: those of `attention`, and its results. */
export interface AttentionBackwardOptions extends Omit<
  AttentionOptions,
  'past' | 'trace' | 'logSumExp' | 'out'
> {
  /** The output of `attention`. */
  readonly output: Tensor;
  /** The `logSumExp` of `attention`, from the option `logSumExp: true`. */
  readonly logSumExp: Tensor;
  /** Also return the gradient of the values that an additive mask adds to the scores. */
  readonly maskGradient?: boolean;
}

/** The result of `attentionBackward`. */
export type AttentionGradients<Options> = {
  /** The gradient of `q`, in its shape. */
  readonly dQuery: Tensor;
  /** The gradient of `k`, in its shape: the sum over the heads that share it. */
  readonly dKey: Tensor;
  /** The gradient of `v`, in its shape: the sum over the heads that share it. */
  readonly dValue: Tensor;
} & IfRequested<
  Options,
  { maskGradient: true },
  {
    /** The gradient of the mask, `[B, H, T, S]`; 0 where a query may not look. */
    readonly dMask: Tensor;
  }
>;

const attentionNames = [
  ...['causal', 'mask', 'scale', 'softcap', 'keyLengths', 'heads', 'kvHeads', 'method'],
  ...['output', 'logSumExp', 'maskGradient', 'dropout'],
];

export const attentionBackwardCalls = <Training>(context: Context) => ({
  /**
   * The gradients of the inputs of `attention`, from the gradient `dOutput` of its output (Dao 2023):
   * the weights are computed again block by block from `logSumExp`, so that no memory grows with T S.
   *
   * @throws TrilError where shapes or options do not fit
   *
   * @example
   * ```ts
   * const normal = (seed: number) => tril.randomNormal([8, 16, 64], { seed });
   * const [q, k, v, dOutput] = [normal(1), normal(2), normal(3), normal(4)];
   * const forward = tril.attention(q, k, v, { causal: true, logSumExp: true });
   * const { output, logSumExp } = forward;
   * const options = { output, logSumExp, causal: true };
   * const { dQuery, dKey, dValue } = tril.attentionBackward(dOutput, q, k, v, options);
   * dKey.shape; // [8, 16, 64]
   * ```
   */
  attentionBackward<const Options extends AttentionBackwardOptions & Training>(
    dOutput: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    options: Options & Known<Options, AttentionBackwardOptions & Training>,
  ): AttentionGradients<Options> {
    const call = 'attentionBackward';
    checkKeys(call, 'options', 'option', options, attentionNames);
    const { output, logSumExp, maskGradient, ...forward } = options;
    const rawAttention = rawAttentionOptions(
      context,
      call,
      forward as AttentionOptions,
      attentionNames,
    );
    const wanted = booleanOption(call, 'maskGradient', maskGradient, false);
    const tensors = { dOutput, query, key, value, output, logSumExp };
    const dropout = rawDropout(call, options as DropoutOption);
    return context.run(call, tensors, (t) => {
      const values = [
        ...([context.engine, t.dOutput, t.query, t.key, t.value, t.output, t.logSumExp] as const),
        ...([rawAttention, wanted] as const),
      ] as const;
      return context.adoptAll(
        dropout
          ? context.training(call)._attentionDropoutBackward(...values, ...dropout)
          : context.raw._attentionBackward(...values),
      );
    }) as unknown as AttentionGradients<Options>;
  },
});

/** The same in a module of `tril/training`, which has dropout. */
export const trainingAttentionBackwardCalls = attentionBackwardCalls<DropoutOption>;
