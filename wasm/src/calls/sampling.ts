import { absent, type Context } from '../context.js';
import type { DrawOptions } from '../generation-types.js';
import { samplingOf } from '../generated-text.js';
import { checkKeys } from '../names.js';
import type { Tensor } from '../tensor.js';

/** The options of `samplingProbabilities`: those of sampling, with the defaults of `generate`. */
export interface SamplingOptions extends Pick<
  DrawOptions,
  'temperature' | 'topK' | 'topP' | 'minP'
> {
  /** The tensor to write the result to, in the shape of the logits (default: a new one). */
  readonly out?: Tensor;
}

export const samplingCalls = (context: Context) => ({
  /**
   * The distribution from which `generate` samples the next token, for each row of logits `[..., V]`:
   * softmax(logits / temperature), from which `topK`, `topP` and `minP`, one after another, exclude tokens. Only
   * excluded tokens have probability 0.
   *
   * @throws TrilError for options out of range, and for logits that are not finite
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const tril = await loadTril({ variant: 'simd' });
   * const logits = tril.tensor([2, 1, 0, -1]);
   * tril.samplingProbabilities(logits, { temperature: 1, topK: 2 }).toArray(); // [0.7311, 0.2689, 0.0000, 0.0000]
   * ```
   */
  samplingProbabilities(logits: Tensor, options: SamplingOptions = {}): Tensor {
    const call = 'samplingProbabilities';
    checkKeys(call, 'options', 'option', options, ['temperature', 'topK', 'topP', 'minP', 'out']);
    const sampling = samplingOf(call, options);
    const module = context.training(call);
    return context.produce(call, { logits, out: options.out ?? absent }, (t) =>
      module._samplingProbabilities(context.engine, t.logits, ...sampling, t.out),
    );
  },
});
