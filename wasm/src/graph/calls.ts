// The calls by which a graph is written down.
import type { Size } from './sizes.js';

declare const made: unique symbol;

/** A value of a graph that is being written down: what a call gives and others take. */
export interface Value {
  /** @internal */
  readonly [made]: true;
}

/** A value, or a number that stands for one: plain, or a size by name. */
export type GraphOperand = Value | Size;

/** So many values, where it is known how many. */
export type Parts<Sections extends number, Made extends Value[] = []> = number extends Sections
  ? Value[]
  : Made['length'] extends Sections
    ? Made
    : Parts<Sections, [...Made, Value]>;

/** The operations, each with the name, arguments, options and defaults of the call of `Tril` that computes it. */
export interface Calls {
  /** A number, plain or by the name of a size; operands that are written so become one by themselves. */
  number(value: Size): Value;
  /** Matrix product `[..., n, k] [..., k, m]`; axes in front broadcast. */
  matmul(a: GraphOperand, b: GraphOperand): Value;
  /** `x W^T + b`: x `[..., in]`, weight `[out, in]`, bias `[out]` or none. */
  linear(x: GraphOperand, weight: GraphOperand, bias?: GraphOperand): Value;
  /** `x + y`, with broadcasting. */
  add(x: GraphOperand, y: GraphOperand): Value;
  /** `x - y`, with broadcasting. */
  subtract(x: GraphOperand, y: GraphOperand): Value;
  /** `x * y` by elements, with broadcasting. */
  multiply(x: GraphOperand, y: GraphOperand): Value;
  /** `x / y`, with broadcasting. */
  divide(x: GraphOperand, y: GraphOperand): Value;
  /** `x` to the power of `y`, with broadcasting. */
  power(x: GraphOperand, y: GraphOperand): Value;
  /** The larger of both, with broadcasting. */
  maximum(x: GraphOperand, y: GraphOperand): Value;
  /** The smaller of both, with broadcasting. */
  minimum(x: GraphOperand, y: GraphOperand): Value;
  /** 1 where both are equal, else 0. */
  equal(x: GraphOperand, y: GraphOperand): Value;
  /** 1 where they differ, else 0. */
  notEqual(x: GraphOperand, y: GraphOperand): Value;
  /** 1 where `x < y`, else 0. */
  less(x: GraphOperand, y: GraphOperand): Value;
  /** 1 where `x <= y`, else 0. */
  lessEqual(x: GraphOperand, y: GraphOperand): Value;
  /** 1 where `x > y`, else 0. */
  greater(x: GraphOperand, y: GraphOperand): Value;
  /** 1 where `x >= y`, else 0. */
  greaterEqual(x: GraphOperand, y: GraphOperand): Value;
  /** `x` where `condition` is not 0, and `y` elsewhere, with broadcasting. */
  where(condition: GraphOperand, x: GraphOperand, y: GraphOperand): Value;
  /** `e^x` */
  exp(x: GraphOperand): Value;
  /** The natural logarithm. */
  log(x: GraphOperand): Value;
  /** `-x` */
  negate(x: GraphOperand): Value;
  /** The square root. */
  sqrt(x: GraphOperand): Value;
  /** The hyperbolic tangent. */
  tanh(x: GraphOperand): Value;
  /** `max(x, 0)` */
  relu(x: GraphOperand): Value;
  /** `x Phi(x)`, exact. */
  gelu(x: GraphOperand): Value;
  /** `x / (1 + e^-x)` */
  silu(x: GraphOperand): Value;
  /** `e^x` divided by its sum along an axis (default -1). */
  softmax(x: GraphOperand, options?: { readonly axis?: number }): Value;
  /** The logarithm of softmax. */
  logSoftmax(x: GraphOperand, options?: { readonly axis?: number }): Value;
  /** The axes in another order (default: backwards). */
  transpose(x: GraphOperand, axes?: readonly number[]): Value;
  /** The same numbers in row-major order in another shape. */
  reshape(x: GraphOperand, shape: readonly Size[]): Value;
  /** The part of an axis (default 0) from `start` (default 0) on and before `stop` (default: its end). */
  slice(
    x: GraphOperand,
    options: { readonly axis?: number; readonly start?: Size; readonly stop?: Size },
  ): Value;
  /** So many equal parts of an axis (default 0), each a slice. */
  split<const Sections extends number>(
    x: GraphOperand,
    sections: Sections,
    options?: { readonly axis?: number },
  ): Parts<Sections>;
  /** Values one after another along an axis that they have (default 0). */
  concatenate(values: readonly GraphOperand[], options?: { readonly axis?: number }): Value;
  /** Parts of an axis (default 0) by their indices, in any order and number. */
  take(
    x: GraphOperand,
    options: { readonly axis?: number; readonly indices: readonly number[] },
  ): Value;
  /** The first value with the numbers of each other one at its places in row-major order: later ones win. */
  put(
    values: readonly GraphOperand[],
    options: { readonly places: readonly (readonly number[])[] },
  ): Value;
  /** The sum along an axis (default: of all, with the shape `[1]`). */
  sum(x: GraphOperand, options?: AxisOptions): Value;
  /** The mean along an axis (default: of all). */
  mean(x: GraphOperand, options?: AxisOptions): Value;
  /** The largest along an axis (default: of all). */
  max(x: GraphOperand, options?: AxisOptions): Value;
  /** The smallest along an axis (default: of all). */
  min(x: GraphOperand, options?: AxisOptions): Value;
  /** The index of the largest along an axis (default: of all): the first of equal ones. */
  argmax(x: GraphOperand, options?: AxisOptions): Value;
  /** Along the last axis but one, `y[t]` is the mean of `x[0 .. t]`, or with `sum` its sum. */
  runningAverage(x: GraphOperand, options?: { readonly sum?: boolean }): Value;
  /** Square, with ones on the diagonal and below, and zeros above. */
  tri(rows: Size): Value;
  /**
   * Scores with `hidden` (default -inf) where `seen` is 0, and where a rule hides; without either, in the keys after the query's
   * own position.
   */
  mask(x: GraphOperand, seen?: GraphOperand | MaskOptions, options?: MaskOptions): Value;
  /** Rows at mean 0 and variance 1, weighted and shifted; `eps` is 1e-5 by default. */
  layerNorm(
    x: GraphOperand,
    weight?: GraphOperand | NormOptions,
    bias?: GraphOperand | NormOptions,
    options?: NormOptions,
  ): Value;
  /** Rows divided by their root mean square, weighted; `eps` is 1e-5 by default. */
  rmsNorm(x: GraphOperand, weight?: GraphOperand | NormOptions, options?: NormOptions): Value;
  /** Row `ids[i]` of a table `[V, C]` for each id, a whole number. */
  embedding(ids: GraphOperand, table: GraphOperand): Value;
  /** The mean loss of logits `[..., V]` for targets `[...]`, whole numbers; -100 does not count. */
  crossEntropy(logits: GraphOperand, targets: GraphOperand): Value;
  /**
   * `softmax(q k^T / sqrt(D)) v`, fused: q `[..., H, T, D]`, k `[..., Hk, S, D]`, v `[..., Hk, S, Dv]`, where Hk divides H; with
   * a mask `[T, S]` or of more axes, and rules.
   */
  attention(
    q: GraphOperand,
    k: GraphOperand,
    v: GraphOperand,
    mask?: GraphOperand | GraphAttentionOptions,
    options?: GraphAttentionOptions,
  ): Value;
  /** Self-attention of heads between linear layers, fused: x `[..., T, C]`, weights `[3*C, C]` and `[C, C]` as PyTorch's. */
  multiHeadAttention(
    x: GraphOperand,
    inWeight: GraphOperand,
    outWeight: GraphOperand,
    inBias: GraphOperand | HeadsOptions,
    outBias?: GraphOperand | HeadsOptions,
    options?: HeadsOptions,
  ): Value;
}

/** Which keys a query sees by where they are: as `tril.mask` has them, all at once. */
export interface RuleOptions {
  /** None after its own position (default false). */
  readonly causal?: boolean;
  /** From so many before its own position to so many after it (default: all). */
  readonly window?: { readonly left?: number; readonly right?: number };
  /** Shows keys less than `local` away, and keys a multiple of `stride` away. */
  readonly strided?: { readonly local: number; readonly stride: number };
  /** The first so many, a length for each batch. */
  readonly padding?: readonly number[];
}

/** The options of masks. */
export interface MaskOptions extends RuleOptions {
  /** The value of hidden keys (default -Infinity). */
  readonly hidden?: number;
}

/** The options of attention. */
export interface GraphAttentionOptions extends RuleOptions {
  /** Factor of the scores (default `1 / sqrt(D)`). */
  readonly scale?: number;
  /** A mask hides where it is 0, or is added to the scores (default `'boolean'`). */
  readonly kind?: 'boolean' | 'additive';
}

/** The options of multi-head attention. */
export interface HeadsOptions {
  /** Number of heads that share the width. */
  readonly heads: number;
  /** A query sees no key after its own position (default false). */
  readonly causal?: boolean;
}

/** The options of reductions. */
export interface AxisOptions {
  readonly axis?: number;
  /** Whether the axis stays, with size 1 (default false). */
  readonly keepDims?: boolean;
}

/** The options of norms. */
export interface NormOptions {
  /** Number that is added to the variance or mean square (default 1e-5). */
  readonly eps?: number;
}
