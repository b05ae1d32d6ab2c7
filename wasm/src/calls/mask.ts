import type { Context } from '../context.js';
import { TrilError, shapeText } from '../error.js';
import { booleanOption, checkKeys, describe, integerOption } from '../names.js';
import { nameGiven } from '../old-names.js';
import type { RawTensor } from '../raw.js';
import { Tensor } from '../tensor.js';
import { checkShape } from '../values.js';

type Rule =
  | { readonly kind: 'causal' }
  | { readonly kind: 'window'; readonly left?: number; readonly right?: number }
  | { readonly kind: 'strided'; readonly local: number; readonly stride: number }
  | { readonly kind: 'padding'; readonly lengths: readonly number[] }
  | {
      readonly kind: 'additive' | 'boolean';
      readonly tensor: Tensor;
      readonly allowFewerKeys: boolean;
    };

/**
 * The keys that each query may see, as a value: made by `tril.mask`, and given to attention any
 * number of times.
 */
export class Mask {
  readonly #rules: readonly Rule[];

  /** @internal Masks are made by `tril.mask`. */
  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
  }

  /** @internal */
  get rules(): readonly Rule[] {
    return this.#rules;
  }
}

/** The options of `mask.window`. */
export interface WindowOptions {
  /** Number of keys before its own that a query sees (default: all). */
  readonly left?: number;
  /** Number of keys after its own that a query sees (default: all). */
  readonly right?: number;
}

/** The options of `mask.strided`. */
export interface StridedOptions {
  /** Keys closer than this are seen. */
  readonly local: number;
  /** Keys at multiples of this distance are seen. */
  readonly stride: number;
}

/** The options of `mask.dense`. */
export interface DenseOptions {
  /**
   * `'additive'`: added to the scores, -inf hides a key. `'boolean'`: 0 hides a key, any other
   * number shows it.
   */
  readonly kind: 'additive' | 'boolean';
  /**
   * Whether the tensor may have fewer keys than the scores; keys after its end are then hidden (default
   * `false`: its last axis must fit, or be 1 and is then repeated).
   */
  readonly allowFewerKeys?: boolean;
  /** @deprecated The old name of `allowFewerKeys`. */
  readonly short?: boolean;
}

/** The options of `mask.toTensor`. */
export interface MaskTensorOptions {
  /** Number of keys before query 0 (default 0). */
  readonly past?: number;
}

function checkMask(call: string, mask: unknown): Mask {
  if (mask instanceof Mask) return mask;
  const problem = `must be a mask (tril.mask makes one), is ${describe(mask)}`;
  throw new TrilError(call, 'mask', problem);
}

/**
 * The rules of a mask, as the module takes them, once their tensors are known to be alive and of
 * this module.
 */
export function rawMask(context: Context, call: string, mask: unknown): { kind: string }[] {
  if (mask === undefined || mask === null) return [];
  return checkMask(call, mask).rules.map((rule): { kind: string; tensor?: RawTensor } =>
    'tensor' in rule ? { ...rule, tensor: context.handle(call, 'mask', rule.tensor) } : { ...rule },
  );
}

export const maskCalls = (context: Context) => ({
  /** Masks as values. A mask is checked against the shapes of the call that it is given to. */
  mask: Object.freeze({
    /**
     * The key at the query's own position and those before it: the lower triangle.
     *
     * @example
     * ```ts
     * const mask = tril.mask.causal();
     * tril.mask.toTensor(mask, [2, 2]).toArray(); // [[0, -Infinity], [0, 0]]
     * ```
     */
    causal(): Mask {
      return new Mask([{ kind: 'causal' }]);
    },

    /**
     * The keys from `left` before the query's own position to `right` after it.
     *
     * @throws TrilError for anything but whole numbers of at least 0
     *
     * @example
     * ```ts
     * const mask = tril.mask.window({ left: 1, right: 0 });
     * const seen = tril.mask.toTensor(mask, [3, 3]).toArray();
     * seen; // [[0, -Infinity, -Infinity], [0, 0, -Infinity], [-Infinity, 0, 0]]
     * ```
     */
    window(options: WindowOptions): Mask {
      const call = 'mask.window';
      checkKeys(call, 'options', 'option', options, ['left', 'right']);
      const { left, right } = options;
      if (left !== undefined) integerOption(call, 'left', left, 0, 0);
      if (right !== undefined) integerOption(call, 'right', right, 0, 0);
      return new Mask([
        {
          kind: 'window',
          ...(left !== undefined && { left }),
          ...(right !== undefined && { right }),
        },
      ]);
    },

    /**
     * The keys near by and every n-th, before and after; with `causal` the strided pattern of Child
     * et al. 2019.
     *
     * @throws TrilError for anything but whole numbers of at least 1
     *
     * @example
     * ```ts
     * const mask = tril.mask.strided({ local: 1, stride: 2 });
     * tril.mask.toTensor(mask, [1, 5]).toArray(); // [[0, -Infinity, 0, -Infinity, 0]]
     * ```
     */
    strided(options: StridedOptions): Mask {
      const call = 'mask.strided';
      checkKeys(call, 'options', 'option', options, ['local', 'stride']);
      const local = integerOption(call, 'local', options.local, Number.NaN, 1);
      const stride = integerOption(call, 'stride', options.stride, Number.NaN, 1);
      return new Mask([{ kind: 'strided', local, stride }]);
    },

    /**
     * The first `lengths[b]` keys of batch b.
     *
     * @throws TrilError for anything but whole numbers of at least 0
     *
     * @example
     * ```ts
     * const mask = tril.mask.padding([1, 3]); // two batches
     * const seen = tril.mask.toTensor(mask, [2, 1, 1, 3]).toArray();
     * seen; // [[[[0, -Infinity, -Infinity]]], [[[0, 0, 0]]]]
     * ```
     */
    padding(lengths: readonly number[]): Mask {
      return new Mask([{ kind: 'padding', lengths: checkLengths('mask.padding', lengths) }]);
    },

    /**
     * A number for every score, `[T, S]`, `[H, T, S]` or `[B, H, T, S]`; axes of 1 broadcast. The
     * tensor must not be disposed as long as the mask is used.
     *
     * @throws TrilError where it is not a tensor, and for an unknown kind
     *
     * @example
     * ```ts
     * const seen = tril.tensor([[1, 0], [1, 1]]);
     * const mask = tril.mask.dense(seen, { kind: 'boolean' });
     * tril.mask.toTensor(mask, [2, 2]).toArray(); // [[0, -Infinity], [0, 0]]
     * ```
     */
    dense(tensor: Tensor, options: DenseOptions): Mask {
      const call = 'mask.dense';
      context.handle(call, 'tensor', tensor);
      checkKeys(call, 'options', 'option', options, ['kind', 'allowFewerKeys', 'short']);
      if (options.kind !== 'additive' && options.kind !== 'boolean') {
        const problem = `must be "additive" or "boolean", is ${describe(options.kind)}`;
        throw new TrilError(call, 'kind', problem);
      }
      const given = nameGiven(call, options, 'allowFewerKeys', 'short');
      const allowFewerKeys = booleanOption(call, given, options[given], false);
      return new Mask([{ kind: options.kind, tensor, allowFewerKeys }]);
    },

    /**
     * Combines masks: a key is visible where all of them allow it; additive masks add up.
     *
     * @throws TrilError for a value that is not a mask
     *
     * @example
     * ```ts
     * const mask = tril.mask.and(tril.mask.causal(), tril.mask.window({ left: 1 }));
     * tril.mask.toTensor(mask, [1, 4], { past: 2 }).toArray(); // [[-Infinity, 0, 0, -Infinity]]
     * ```
     */
    and(...masks: Mask[]): Mask {
      for (const mask of masks) rawMask(context, 'mask.and', checkMask('mask.and', mask));
      return new Mask(masks.flatMap((mask) => mask.rules));
    },

    /**
     * The mask as a tensor that can be added to scores of that shape, `[T, S]`, `[H, T, S]` or `[B, H, T, S]`:
     * -Infinity where a query may not look, else 0 or the numbers of dense masks.
     *
     * @throws TrilError where the mask does not fit the shape
     *
     * @example
     * ```ts
     * const mask = tril.mask.window({ right: 0 });
     * tril.mask.toTensor(mask, [1, 3], { past: 1 }).toArray(); // [[0, 0, -Infinity]]
     * tril.mask.toTensor(mask, [3]); // throws TrilError: mask.toTensor: shape:
     * ```
     */
    toTensor(mask: Mask, shape: readonly number[], options: MaskTensorOptions = {}): Tensor {
      const call = 'mask.toTensor';
      checkShape(call, shape);
      if (shape.length < 2 || shape.length > 4) {
        const problem = `must be [T, S], [H, T, S] or [B, H, T, S], is ${shapeText(shape)}`;
        throw new TrilError(call, 'shape', problem);
      }
      checkKeys(call, 'options', 'option', options, ['past']);
      const past = integerOption(call, 'past', options.past, 0, 0);
      const rules = rawMask(context, call, checkMask(call, mask));
      return context.run(call, {}, () =>
        context.adopt(context.raw._maskTensor(context.engine, rules, [...shape], past)!),
      );
    },
  }),
});

/** A copy of `lengths`, once known to be whole numbers of at least 0. */
export function checkLengths(call: string, lengths: unknown, argument = 'lengths'): number[] {
  if (!Array.isArray(lengths)) {
    throw new TrilError(call, argument, `must be an array of lengths, is ${describe(lengths)}`);
  }
  return Array.from(lengths as unknown[], (length) =>
    integerOption(call, argument, length ?? Number.NaN, 0, 0),
  );
}
