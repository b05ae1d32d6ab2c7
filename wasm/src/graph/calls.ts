// The calls that build a graph.
import type { Size } from './sizes.js';

declare const made: unique symbol;

/** A value of a graph that is being built: the result of a call and the argument of others. */
export interface Value {
  /** @internal */
  readonly [made]: true;
}

/** A value, or a number in its place: plain, or the name of a size. */
export type GraphOperand = Value | Size;

/** A tuple of `Sections` values, or an array if the number is not known. */
export type Parts<Sections extends number, Made extends Value[] = []> = number extends Sections
  ? Value[]
  : Made['length'] extends Sections
    ? Made
    : Parts<Sections, [...Made, Value]>;

/** The operations, each with the name, arguments, options and defaults of the call of `Tril` that computes it. */
export interface Calls {
  /** A number: plain, or the name of a size. Operands written as numbers or sizes become such nodes automatically. */
  number(value: Size): Value;
  /** Matrix product `[..., n, k] [..., k, m]`; axes in front broadcast. */
  matmul(a: GraphOperand, b: GraphOperand): Value;
  /** `x W^T + b`: x `[..., in]`, weight `[out, in]`, optional bias `[out]`. */
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
  /** The larger of two elements, with broadcasting. */
  maximum(x: GraphOperand, y: GraphOperand): Value;
  /** The smaller of two elements, with broadcasting. */
  minimum(x: GraphOperand, y: GraphOperand): Value;
  /** 1 where both are equal, else 0, with broadcasting. */
  equal(x: GraphOperand, y: GraphOperand): Value;
  /** 1 where they differ, else 0, with broadcasting. */
  notEqual(x: GraphOperand, y: GraphOperand): Value;
  /** 1 where `x < y`, else 0, with broadcasting. */
  less(x: GraphOperand, y: GraphOperand): Value;
  /** 1 where `x <= y`, else 0, with broadcasting. */
  lessEqual(x: GraphOperand, y: GraphOperand): Value;
  /** 1 where `x > y`, else 0, with broadcasting. */
  greater(x: GraphOperand, y: GraphOperand): Value;
  /** 1 where `x >= y`, else 0, with broadcasting. */
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
  /** The axes in another order (default: reversed). */
  transpose(x: GraphOperand, axes?: readonly number[]): Value;
  /** The elements in row-major order, in another shape. */
  reshape(x: GraphOperand, shape: readonly Size[]): Value;
  /** The part of an axis (default 0) from `start` (default 0) up to but excluding `stop` (default: the end). */
  slice(
    x: GraphOperand,
    options: { readonly axis?: number; readonly start?: Size; readonly stop?: Size },
  ): Value;
  /** `sections` equal parts of an axis (default 0), each a slice. */
  split<const Sections extends number>(
    x: GraphOperand,
    sections: Sections,
    options?: { readonly axis?: number },
  ): Parts<Sections>;
  /** Values joined along an axis that they have (default 0). */
  concatenate(values: readonly GraphOperand[], options?: { readonly axis?: number }): Value;
  /** Parts of an axis (default 0), selected by index in any order and number. */
  take(
    x: GraphOperand,
    options: { readonly axis?: number; readonly indices: readonly number[] },
  ): Value;
  /** The first value, with the elements of each other value at its places in row-major order: later values win. */
  put(
    values: readonly GraphOperand[],
    options: { readonly places: readonly (readonly number[])[] },
  ): Value;
  /** The sum along an axis (default: of all elements, with the shape `[1]`). */
  sum(x: GraphOperand, options?: AxisOptions): Value;
  /** The mean along an axis (default: of all elements). */
  mean(x: GraphOperand, options?: AxisOptions): Value;
  /** The largest element along an axis (default: of all). */
  max(x: GraphOperand, options?: AxisOptions): Value;
  /** The smallest element along an axis (default: of all). */
  min(x: GraphOperand, options?: AxisOptions): Value;
  /** The index of the largest element along an axis (default: of all): the first of equal elements. */
  argmax(x: GraphOperand, options?: AxisOptions): Value;
  /** Along the second-to-last axis, `y[t]` is the mean of `x[0 .. t]`, or with `sum` its sum. */
  runningAverage(x: GraphOperand, options?: { readonly sum?: boolean }): Value;
  /** A square matrix with ones on and below the diagonal, and zeros above. */
  tri(rows: Size): Value;
  /**
   * Replaces scores by `hidden` (default -Infinity) where `seen` is 0, and where a rule hides the key. Without `seen`
   * and rules, the keys after the query's own position are hidden.
   */
  mask(x: GraphOperand, seen?: GraphOperand | MaskOptions, options?: MaskOptions): Value;
  /** Rows with mean 0 and variance 1, weighted and shifted (default `eps`: 1e-5). */
  layerNorm(
    x: GraphOperand,
    weight?: GraphOperand | NormOptions,
    bias?: GraphOperand | NormOptions,
    options?: NormOptions,
  ): Value;
  /** Rows divided by their root mean square, weighted (default `eps`: 1e-5). */
  rmsNorm(x: GraphOperand, weight?: GraphOperand | NormOptions, options?: NormOptions): Value;
  /** Row `ids[i]` of a table `[V, C]` for each id, an integer. */
  embedding(ids: GraphOperand, table: GraphOperand): Value;
  /** The mean loss of logits `[..., V]` for targets `[...]`, integers; targets of -100 are ignored. */
  crossEntropy(logits: GraphOperand, targets: GraphOperand): Value;
  /**
   * `softmax(q k^T / sqrt(D)) v`, fused: q `[..., H, T, D]`, k `[..., Hk, S, D]`, v `[..., Hk, S, Dv]`, where Hk
   * divides H. Takes an optional mask, of `[T, S]` or more axes, and rules.
   */
  attention(
    q: GraphOperand,
    k: GraphOperand,
    v: GraphOperand,
    mask?: GraphOperand | GraphAttentionOptions,
    options?: GraphAttentionOptions,
  ): Value;
  /**
   * Multi-head self-attention with its linear layers, fused: x `[..., T, C]`, weights `[3*C, C]` and `[C, C]` in
   * PyTorch's layout.
   */
  multiHeadAttention(
    x: GraphOperand,
    inWeight: GraphOperand,
    outWeight: GraphOperand,
    inBias: GraphOperand | HeadsOptions,
    outBias?: GraphOperand | HeadsOptions,
    options?: HeadsOptions,
  ): Value;
}

/** Rules for the keys that a query sees, by position, as in `tril.mask`. A key must pass all given rules. */
export interface RuleOptions {
  /** Hides keys after the query's own position (default false). */
  readonly causal?: boolean;
  /** Shows the keys from `left` before the query's own position to `right` after it (default: all). */
  readonly window?: { readonly left?: number; readonly right?: number };
  /** Shows keys less than `local` away, and keys a multiple of `stride` away. */
  readonly strided?: { readonly local: number; readonly stride: number };
  /** Shows the first keys only: their number for each batch. */
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
  /**
   * Meaning of the mask: `'boolean'` hides keys where it is 0, `'additive'` is added to the scores (default
   * `'boolean'`).
   */
  readonly kind?: 'boolean' | 'additive';
}

/** The options of multi-head attention. */
export interface HeadsOptions {
  /** Number of heads that share the width. */
  readonly heads: number;
  /** Hides keys after the query's own position (default false). */
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
  /** Number added to the variance or mean square (default 1e-5). */
  readonly eps?: number;
}
