import { absent, type Context } from '../context.js';
import { checkKeys } from '../names.js';
import type { RawWithLessons } from '../raw.js';
import type { Tensor } from '../tensor.js';
import type { OutOption } from './layers.js';

export const singularValueCalls = (context: Context) => {
  const { engine } = context;
  const raw = context.raw as RawWithLessons;
  return {
    /**
     * The singular values of a matrix `[rows, cols]`, the largest first: `[min(rows, cols)]`. A
     * fast fall is the sign of a low rank.
     *
     * @throws TrilError where x has not two axes
     *
     * @example
     * ```ts
     * tril.singularValues(tril.tensor([[3, 0], [0, -4]])).toArray(); // [4.0000, 3.0000]
     * tril.singularValues(tril.tensor([[1, 2], [2, 4]])).toArray(); // [5.0000, 0.0000]
     * ```
     */
    singularValues(x: Tensor, options: OutOption = {}): Tensor {
      checkKeys('singularValues', 'options', 'option', options, ['out']);
      return context.produce('singularValues', { x, out: options.out ?? absent }, (t) =>
        raw._singularValues(engine, t.x, t.out),
      );
    },
  };
};
