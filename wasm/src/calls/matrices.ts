import { absent, type Context } from '../context.js';
import { checkKeys, integerOption, stringOption } from '../names.js';
import type { Tensor } from '../tensor.js';
import type { OutOption } from './layers.js';

/** The options of `triangular`. */
export interface TriangularOptions extends OutOption {
  /** Side of the diagonal that is kept; `'lower'` is `torch.tril` (default `'lower'`). */
  readonly part?: 'lower' | 'upper';
  /**
   * Diagonal that bounds the triangle and is kept: 0 is the main one, above 0 one above it, below 0
   * one below it (default 0).
   */
  readonly diagonal?: number;
}

export const matrixCalls = (context: Context) => {
  const { raw, engine } = context;
  return {
    /**
     * One triangle of every matrix in the last two axes, and zeros elsewhere, as `torch.tril` and
     * `torch.triu`. `out` may be `x`.
     *
     * @throws TrilError where x has fewer than two axes or an option is wrong
     *
     * @example
     * ```ts
     * const x = tril.tensor([[1, 2], [3, 4]]);
     * tril.triangular(x).toArray(); // [[1, 0], [3, 4]]
     * tril.triangular(x, { part: 'upper', diagonal: 1 }).toArray(); // [[0, 2], [0, 0]]
     * ```
     */
    triangular(x: Tensor, options: TriangularOptions = {}): Tensor {
      const call = 'triangular';
      checkKeys(call, 'options', 'option', options, ['part', 'diagonal', 'out']);
      const part = stringOption(call, 'part', options.part, 'lower');
      const diagonal = integerOption(call, 'diagonal', options.diagonal, 0);
      return context.produce(call, { x, out: options.out ?? absent }, (t) =>
        raw._triangular(engine, t.x, part, diagonal, t.out),
      );
    },
  };
};
