import type { Context } from '../context.js';
import { checkKeys, integerOption, optionalNumber } from '../names.js';
import type { Tensor } from '../tensor.js';
import { flattenIntegers, type NestedNumbers } from '../values.js';

export interface OutOption {
  /** Where the result goes, instead of into a new tensor; must have its shape and be no input. */
  readonly out?: Tensor;
}

export interface SinusoidalOptions extends OutOption {
  /** After how many positions the first pair repeats; 2 pi unless given. */
  readonly wavelength?: number;
  /**
   * The wavelength of each pair divided by that of the one before; `10000 ** (2 / width)` unless
   * given.
   */
  readonly ratio?: number;
}

export const layerCalls = (context: Context) => {
  const { raw, engine } = context;
  return {
    /**
     * `x W^T + b`, as `torch.nn.functional.linear`: x `[..., in]`, weight `[out, in]`, bias `[out]`
     * or none; gives `[..., out]`.
     *
     * @throws TrilError where the shapes do not fit
     */
    linear(x: Tensor, weight: Tensor, bias?: Tensor | null, options: OutOption = {}): Tensor {
      checkKeys('linear', 'options', 'option', options, ['out']);
      const tensors = { x, weight, bias: bias ?? null, out: options.out ?? null };
      return context.produce('linear', tensors, (t) =>
        raw._linear(engine, t.x, t.weight, t.bias, t.out),
      );
    },

    /**
     * Row `ids[i]` of a table `[V, C]` for every id, as `torch.nn.functional.embedding`: ids
     * `[...]`, whole numbers, nested or an Int32Array; gives `[..., C]`.
     *
     * @throws TrilError for an id that is no row of the table
     */
    embedding(ids: NestedNumbers | Int32Array, table: Tensor, options: OutOption = {}): Tensor {
      checkKeys('embedding', 'options', 'option', options, ['out']);
      const { shape, values } = flattenIntegers('embedding', 'ids', ids);
      return context.produce('embedding', { table, out: options.out ?? null }, (t) =>
        raw._embedding(engine, values, shape, t.table, t.out),
      );
    },

    /**
     * Positions 0 to `length - 1` as vectors `[length, width]` (Vaswani et al. 2017, section 3.5):
     * columns `2 i` and `2 i + 1` are sine and cosine of `2 pi t / (wavelength * ratio ** i)`.
     *
     * @throws TrilError for an odd width, and for options that are not above 0
     */
    sinusoidalPositions(length: number, width: number, options: SinusoidalOptions = {}): Tensor {
      const call = 'sinusoidalPositions';
      checkKeys(call, 'options', 'option', options, ['wavelength', 'ratio', 'out']);
      const rows = integerOption(call, 'length', length, Number.NaN, 1);
      const columns = integerOption(call, 'width', width, Number.NaN, 1);
      const rawOptions = {
        wavelength: optionalNumber(call, 'wavelength', options.wavelength),
        ratio: optionalNumber(call, 'ratio', options.ratio),
      };
      return context.produce(call, { out: options.out ?? null }, (t) =>
        raw._sinusoidalPositions(engine, rows, columns, rawOptions, t.out),
      );
    },
  };
};
