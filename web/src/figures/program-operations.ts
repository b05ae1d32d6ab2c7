// What every dialect of a program can say: operations on matrices by their names.

/** What attention is to be: between Q, K and V, or between others if they are named. */
export interface Attending {
  readonly from?: readonly [q: string, k: string, v: string];
  readonly causal?: boolean;
  /** The matrix that is added to the scores, -inf where a query may not look: it may hide all from one. */
  readonly added?: string;
}

export type Activation = 'relu' | 'gelu' | 'gelu_tanh' | 'silu';

/** Operations on matrices by their names, as lines of a program. Each makes what it is called first. */
export interface Operations {
  /** What the steps until now need above them. */
  helpers(): string;
  /** x W^T for every name of W, as { Q: 'W_Q' }. */
  linear(x: string, made: Readonly<Record<string, string>>): string;
  /** a b, or that of one of them transposed. */
  product(to: string, a: string, b: string, transposed?: 'a' | 'b'): string;
  /** Q K^T / sqrt(d). */
  scores(to: string, q: string, k: string): string;
  /** Along the rows. `blind`: one may see nothing, and have only -inf. */
  softmax(to: string, scores: string, blind?: boolean): string;
  /** From queries to the output, by way of `weights`. */
  attention(to: string, how?: Attending): string;
  /** The weights of attention alone. */
  attentionWeights(to: string, how?: Attending): string;
  /** Layer norm of each row. */
  norm(to: string, x: string): string;
  activation(to: string, kind: Activation, x: string): string;
  /** One row of the singular values of a matrix, the largest first. */
  singularValues(to: string, matrix: string): string;
  /** Matrices of one width, one below the other. */
  below(to: string, parts: readonly string[]): string;
  /** A function of one matrix, of the size of `like`, that returns the one that the body calls `result`. */
  function(name: string, of: string, like: string, result: string, body: () => string): string;
  /** What functions make of a matrix each, as { y: ['block', 'x'] }. */
  call(made: Readonly<Record<string, readonly [name: string, of: string]>>): string;
}

/** Lines as the body of a function. */
export const indented = (text: string, by = 4) => text.replace(/^(?=.)/gmu, ' '.repeat(by));
