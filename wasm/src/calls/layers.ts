import { absent, type Context, type Optional } from '../context.js';
import { TrilError } from '../error.js';
import { checkKeys, integerOption, numberOption, optionalNumber, stringOption } from '../names.js';
import type { Tensor } from '../tensor.js';
import { flattenIntegers, type NestedNumbers } from '../values.js';

/** The option of all calls that make one tensor. */
export interface OutOption {
  /** The tensor to write the result to, of its shape and not an input (default: a new one). */
  readonly out?: Tensor;
}

/** The options of `sinusoidalPositions`. */
export interface SinusoidalOptions extends OutOption {
  /** Number of positions after which the first pair repeats (default 2 pi). */
  readonly wavelength?: number;
  /** Ratio of a pair's wavelength to that of the pair before (default `10000 ** (2 / width)`). */
  readonly ratio?: number;
}

/** The options of `rotaryPositions`. */
export interface RotaryOptions extends OutOption {
  /**
   * Positions of the tokens: `[T]`, or `[B, T]` where batches differ (default 0, 1, 2, ...).
   */
  readonly positions?: NestedNumbers | Int32Array;
  /** Base of the wavelengths (default 10000). */
  readonly base?: number;
  /**
   * The cosines of the angles, instead of `base`: `[T, width / 2]`, or `[B, T, width / 2]` where
   * batches differ; with `positions` a table `[any, width / 2]`, from which they select rows.
   */
  readonly cos?: Tensor;
  /** The sines, in the shape of `cos`. */
  readonly sin?: Tensor;
  /**
   * The elements that form a pair: `'halves'`, i and i + width / 2; `'interleaved'`, 2 i and 2 i +
   * 1 (`'neighbours'` is the same). Default `'halves'`.
   */
  readonly pairs?: 'halves' | 'interleaved' | 'neighbours';
  /** Number of elements of a head that are turned, from the first (default: all). */
  readonly width?: number;
  /** Number of heads in the last axis of `x`, whose shape is then `[B, T, H*D]`. */
  readonly heads?: number;
}

/** The core's name for the pairing of elements; one old name is still accepted. */
export function rotaryPairs(call: string, argument: string, pairs: unknown): string {
  const name = stringOption(call, argument, pairs, 'halves');
  return name === 'neighbours' ? 'interleaved' : name;
}

/** The options of `rotaryPositions` as the module takes them. */
export function rawRotary(call: string, options: RotaryOptions) {
  const names = ['positions', 'base', 'cos', 'sin', 'pairs', 'width', 'heads', 'out'];
  checkKeys(call, 'options', 'option', options, names);
  const { positions, base, cos, sin, width, heads } = options;
  for (const [name, given, other] of [
    ['cos', cos, sin],
    ['sin', sin, cos],
  ] as const) {
    if (given !== undefined || other === undefined) continue;
    throw new TrilError(call, name, 'cos and sin must be given together');
  }
  if (cos !== undefined && base !== undefined) {
    throw new TrilError(call, 'base', 'has no meaning with tables cos and sin');
  }
  const given = (table: Tensor | undefined): Optional => (table === undefined ? absent : table);
  const tables = { cos: given(cos), sin: given(sin) };
  return {
    tables,
    positions:
      positions === undefined
        ? new Int32Array()
        : flattenIntegers(call, 'positions', positions).values,
    rotary: {
      base: numberOption(call, 'base', base, 10000),
      pairs: rotaryPairs(call, 'pairs', options.pairs),
      width: integerOption(call, 'width', width, 0, width === undefined ? 0 : 1),
      heads: integerOption(call, 'heads', heads, 0, heads === undefined ? 0 : 1),
    },
  };
}

export const layerCalls = (context: Context) => {
  const { raw, engine } = context;
  return {
    /**
     * `x W^T + b`, as `torch.nn.functional.linear`: x `[..., in]`, weight `[out, in]`, bias `[out]`
     * or none; gives `[..., out]`.
     *
     * @throws TrilError where the shapes do not fit
     *
     * @example
     * ```ts
     * const weight = tril.tensor([[1, 2], [3, 4], [5, 6]]); // [out, in]
     * const bias = tril.tensor([10, 20, 30]);
     * tril.linear(tril.tensor([1, 1]), weight, bias).toArray(); // [13, 27, 41]
     * ```
     */
    linear(x: Tensor, weight: Tensor, bias?: Tensor | null, options: OutOption = {}): Tensor {
      checkKeys('linear', 'options', 'option', options, ['out']);
      const tensors = { x, weight, bias: bias ?? absent, out: options.out ?? absent };
      return context.produce('linear', tensors, (t) =>
        raw._linear(engine, t.x, t.weight, t.bias, t.out),
      );
    },

    /**
     * Row `ids[i]` of a table `[V, C]` for every id, as `torch.nn.functional.embedding`: ids
     * `[...]`, whole numbers, nested or an Int32Array; gives `[..., C]`.
     *
     * @throws TrilError for an id outside the table
     *
     * @example
     * ```ts
     * const table = tril.tensor([[0, 0], [1, 10], [2, 20]]);
     * tril.embedding([2, 1, 2], table).toArray(); // [[2, 20], [1, 10], [2, 20]]
     * tril.embedding([3], table); // throws TrilError: embedding: ids:
     * ```
     */
    embedding(ids: NestedNumbers | Int32Array, table: Tensor, options: OutOption = {}): Tensor {
      checkKeys('embedding', 'options', 'option', options, ['out']);
      const { shape, values } = flattenIntegers('embedding', 'ids', ids);
      return context.produce('embedding', { table, out: options.out ?? absent }, (t) =>
        raw._embedding(engine, values, shape, t.table, t.out),
      );
    },

    /**
     * Positions 0 to `length - 1` as vectors `[length, width]` (Vaswani et al. 2017, section 3.5):
     * columns `2 i` and `2 i + 1` are sine and cosine of `2 pi t / (wavelength * ratio ** i)`.
     *
     * @throws TrilError for an odd width, and for options that are not above 0
     *
     * @example
     * ```ts
     * const positions = tril.sinusoidalPositions(2, 4);
     * positions.toArray(); // [[0, 1, 0, 1], [0.8415, 0.5403, 0.0100, 0.9999]]
     * ```
     */
    sinusoidalPositions(length: number, width: number, options: SinusoidalOptions = {}): Tensor {
      const call = 'sinusoidalPositions';
      checkKeys(call, 'options', 'option', options, ['wavelength', 'ratio', 'out']);
      const rows = integerOption(call, 'length', length, Number.NaN, 0);
      const columns = integerOption(call, 'width', width, Number.NaN, 0);
      const rawOptions = {
        wavelength: optionalNumber(call, 'wavelength', options.wavelength),
        ratio: optionalNumber(call, 'ratio', options.ratio),
      };
      return context.produce(call, { out: options.out ?? absent }, (t) =>
        raw._sinusoidalPositions(engine, rows, columns, rawOptions, t.out),
      );
    },

    /**
     * Turns every pair of elements by an angle that grows with the position, so that a query times a
     * key depends on their distance alone (Su et al. 2021): x `[B, H, T, D]`, `[H, T, D]` or `[T,
     * D]`; pair i at position p is turned by `p * base ** (-2 i / width)`. With `cos` and `sin` it is
     * ONNX's RotaryEmbedding: `positions` are its position_ids, `width` is its rotary_embedding_dim.
     * `out` may be `x`.
     *
     * @throws TrilError where shapes do not fit or an option is wrong
     *
     * @example
     * ```ts
     * const x = tril.tensor([[1, 0], [1, 0]]); // one pair, at positions 0 and 1
     * tril.rotaryPositions(x).toArray(); // [[1.0000, 0.0000], [0.5403, 0.8415]]
     * const turned = tril.rotaryPositions(x, { positions: [0, 3] });
     * turned.toArray(); // [[1.0000, 0.0000], [-0.9900, 0.1411]]
     * const [cos, sin] = [tril.tensor([[1], [0]]), tril.tensor([[0], [1]])]; // 0 and 90 degrees
     * tril.rotaryPositions(x, { cos, sin }).toArray(); // [[1, 0], [0, 1]]
     * ```
     */
    rotaryPositions(x: Tensor, options: RotaryOptions = {}): Tensor {
      const call = 'rotaryPositions';
      const { positions, rotary, tables } = rawRotary(call, options);
      const tensors = { x, ...tables, out: options.out ?? absent };
      return context.produce(call, tensors, (t) =>
        raw._rotaryPositions(engine, t.x, positions, t.cos, t.sin, rotary, t.out),
      );
    },
  };
};
