// The operations that every dialect of a program has: on matrices by their names.

/** Form of an attention: of Q, K and V, or of other named matrices. */
export interface Attending {
  readonly from?: readonly [q: string, k: string, v: string];
  readonly causal?: boolean;
  /** The matrix that is added to the scores, -inf where a query may not look. It may hide all keys from a query. */
  readonly added?: string;
}

export type Activation = 'relu' | 'gelu' | 'gelu_tanh' | 'silu';

/** Operations on matrices by their names, as lines of a program. Each creates the matrix that is named first. */
export interface Operations {
  /** Definitions that the steps so far need above them. */
  helpers(): string;
  /** x W^T for every name of W, as { Q: 'W_Q' }. */
  linear(x: string, made: Readonly<Record<string, string>>): string;
  /** a b, with one of them transposed if requested. */
  product(to: string, a: string, b: string, transposed?: 'a' | 'b'): string;
  /** Q K^T / sqrt(d). */
  scores(to: string, q: string, k: string): string;
  /** Softmax along the rows. `blind`: a row may have only -inf. */
  softmax(to: string, scores: string, blind?: boolean): string;
  /** Attention from queries to the output, by way of `weights`. */
  attention(to: string, how?: Attending): string;
  /** The weights of attention only. */
  attentionWeights(to: string, how?: Attending): string;
  /** Layer norm of each row. */
  norm(to: string, x: string): string;
  activation(to: string, kind: Activation, x: string): string;
  /** One row with the singular values of a matrix, in descending order. */
  singularValues(to: string, matrix: string): string;
  /** Matrices of one width, joined one below the other. */
  below(to: string, parts: readonly string[]): string;
  /** A function of one matrix, of the size of `like`, that returns the matrix that the body calls `result`. */
  function(name: string, of: string, like: string, result: string, body: () => string): string;
  /** Results of functions of one matrix, as { y: ['block', 'x'] }. */
  call(made: Readonly<Record<string, readonly [name: string, of: string]>>): string;
}

/** Indents lines, as the body of a function. */
export const indented = (text: string, by = 4) => text.replace(/^(?=.)/gmu, ' '.repeat(by));
