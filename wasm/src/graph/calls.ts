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
  /** `e^x` */
  exp(x: GraphOperand): Value;
  /** The natural logarithm. */
  log(x: GraphOperand): Value;
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
}
