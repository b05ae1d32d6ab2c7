import { absent, notLoaded, type Context } from '../context.js';
import { TrilError } from '../error.js';
import { booleanOption, checkKeys, integerOption, stringOption } from '../names.js';
import type { Tensor } from '../tensor.js';

/**
 * The methods of multiplication, which add the same terms in another order: the fastest known for
 * the shape; the three loops in all their orders, outermost first; blocks for the caches; packed
 * panels and a register tile; Strassen's seven half-sized products instead of eight; the library
 * Eigen, in modules of `tril/lessons` only.
 */
export const matmulMethods = [
  'auto',
  ...(['ijk', 'ikj', 'jik', 'jki', 'kij', 'kji'] as const),
  ...(['blocked', 'tiled', 'strassen', 'eigen'] as const),
] as const;
/** One of `matmulMethods`. */
export type MatmulMethod = (typeof matmulMethods)[number];
/** The methods that every module has. */
export type BaseMatmulMethod = Exclude<MatmulMethod, 'eigen'>;

/** The options of `matmul`; `Method` is {@link MatmulMethod} in modules of `tril/lessons`. */
export interface MatmulOptions<Method extends MatmulMethod = BaseMatmulMethod> {
  /** Algorithm; `'auto'` is the fastest known for the shape (default `'auto'`). */
  readonly method?: Method;
  /** Whether to transpose the last two axes of `a`, without a copy. */
  readonly transposeA?: boolean;
  /** Whether to transpose the last two axes of `b`, without a copy. */
  readonly transposeB?: boolean;
  /** Number of times that Strassen halves, at most 2 (default: the fastest number). */
  readonly levels?: number;
  /** The tensor to write the result to, of its shape and not an input (default: a new one). */
  readonly out?: Tensor;
}

/** The levels as the module takes them; -1 for the default. */
export const levelsOption = (call: string, levels: number | undefined): number =>
  levels === undefined ? -1 : integerOption(call, 'levels', levels, 0, 0);

const callsWith = <Method extends MatmulMethod>(context: Context) => ({
  /**
   * The matrix product, as `numpy.matmul`: `[..., n, k]` times `[..., k, m]` gives `[..., n, m]`,
   * batch axes broadcast. A vector `[k]` is a row on the left and a column on the right, and the
   * result lacks its axis; two vectors give a tensor of shape `[1]`.
   *
   * @throws TrilError where the shapes do not fit, or an option is wrong
   *
   * @example
   * ```ts
   * const a = tril.tensor([[1, 2], [3, 4]]);
   * tril.matmul(a, a).toArray(); // [[7, 10], [15, 22]]
   * tril.matmul(a, a, { transposeB: true }).toArray(); // [[5, 11], [11, 25]]
   * tril.matmul(a, tril.zeros([3, 2])); // throws TrilError: matmul: b:
   * ```
   */
  matmul(a: Tensor, b: Tensor, options: MatmulOptions<Method> = {}): Tensor {
    const call = 'matmul';
    const names = ['method', 'transposeA', 'transposeB', 'levels', 'out'];
    checkKeys(call, 'options', 'option', options, names);
    const raw = {
      method: stringOption(call, 'method', options.method, 'auto'),
      transposeA: booleanOption(call, 'transposeA', options.transposeA, false),
      transposeB: booleanOption(call, 'transposeB', options.transposeB, false),
      levels: levelsOption(call, options.levels),
    };
    if (raw.method === 'eigen' && !context.raw._readProduct) {
      throw new TrilError(call, 'method', `"eigen" ${notLoaded('lessons')}`);
    }
    return context.produce(call, { a, b, out: options.out ?? absent }, (t) =>
      context.raw._matmul(context.engine, t.a, t.b, raw, t.out),
    );
  },
});

export const matmulCalls = callsWith<BaseMatmulMethod>;

/** The same in a module of `tril/lessons`, which has Eigen. */
export const lessonMatmulCalls = callsWith<MatmulMethod>;
