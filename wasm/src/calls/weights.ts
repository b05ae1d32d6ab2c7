import type { Context } from '../context.js';
import { TrilError } from '../error.js';
import { describe } from '../names.js';
import type { Tensor } from '../tensor.js';

/** Copies of weights under the same names, ready for many calls. `dispose` disposes them all. */
export type PreparedWeights<Weights extends object> = {
  readonly [Name in keyof Weights]: Weights[Name];
} & Disposable & {
    /** Disposes all copies. */
    dispose(): void;
  };

export const weightCalls = (context: Context) => ({
  /**
   * Prepares weights for many calls of `linear`, `feedForward`, `multiHeadAttention` and the
   * blocks: copies to pass instead of the weights, whose matrices are packed for products once,
   * instead of in every call. Results are the same up to the order of addition, and bit for bit
   * from 25 rows on. The copies and their packed form take twice the memory of the weights.
   *
   * @throws TrilError where a weight is not a tensor
   *
   * @example
   * ```ts
   * const weights = {
   *   'linear1.weight': tril.randomNormal([256, 64], { seed: 1 }),
   *   'linear2.weight': tril.randomNormal([64, 256], { seed: 2 }),
   * };
   * const prepared = tril.prepareWeights(weights);
   * const x = tril.randomNormal([32, 64], { seed: 3 });
   * const packed = tril.feedForward(x, prepared).output;
   * const plain = tril.feedForward(x, weights).output;
   * tril.compare(plain, packed).maxAbsolute; // 0
   * prepared.dispose();
   * ```
   */
  prepareWeights<Weights extends object>(weights: Weights): PreparedWeights<Weights> {
    const call = 'prepareWeights';
    if (typeof weights !== 'object' || weights === null || Array.isArray(weights)) {
      throw new TrilError(call, 'weights', `must be an object, is ${describe(weights)}`);
    }
    return context.runWithWeights(call, weights, {}, (_, state) => {
      const made: Record<string, Tensor> = {};
      const dispose = () => {
        for (const tensor of Object.values(made)) tensor.dispose();
      };
      try {
        for (const [name, weight] of Object.entries(state)) {
          made[name] = context.adopt(context.raw._prepareWeight(context.engine, weight)!);
        }
      } catch (error) {
        dispose();
        throw error;
      }
      // Not enumerable, so that iteration finds only weights. Engines without `using` have no
      // Symbol.dispose.
      const prepared = { ...weights, ...made };
      for (const key of ['dispose', Symbol.dispose ?? 'dispose']) {
        Object.defineProperty(prepared, key, { value: dispose });
      }
      return prepared as unknown as PreparedWeights<Weights>;
    });
  },
});
