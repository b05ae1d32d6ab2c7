// A computation, stated once, as programs in three dialects: NumPy, PyTorch and C++ on the library. What is said of
// it by operations, each writes in its own words; lines of one language stand where it goes its own way.
import { cppProgram, numpyProgram, torchProgram, type Program } from './code';
import { Cpp } from './program-cpp';
import { Python } from './program-python';

/** What attention is to be: between Q, K and V, or between others if they are named. */
export interface Attending {
  readonly from?: readonly [q: string, k: string, v: string];
  readonly causal?: boolean;
  /** The matrix that is added to the scores, -inf where a query may not look: it may hide all from one. */
  readonly added?: string;
}

/** Text of each language; `python` is that of both libraries. */
export interface Own {
  readonly python?: string | ((python: Python) => string);
  readonly numpy?: string;
  readonly pytorch?: string;
  readonly cpp?: string | ((cpp: Cpp) => string);
}

/** Operations on matrices by their names, as lines of a program. Each makes what it is called first. */
export interface Dialect {
  /** What the steps until now need above them. */
  helpers(): string;
  /** The text of this language, none if none is given. */
  by(own: Own): string;
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

export type Activation = 'relu' | 'gelu' | 'gelu_tanh' | 'silu';
export type Language = 'numpy' | 'pytorch' | 'cpp';

export interface Steps {
  /** Lines, or several at once; empty ones are left out. */
  readonly steps: readonly (string | false)[];
  /** An expression for a matrix, such as the name of one. */
  readonly result: string | Own;
}

type Given = Pick<Program, 'about' | 'inputs' | 'expected'>;

/** The computation in each language, written when it is asked for. */
export function programs(given: Given, state: (say: Dialect, language: Language) => Steps) {
  const program = (language: Language) => {
    const say = language === 'cpp' ? new Cpp(given.inputs) : new Python(language);
    const { steps, result } = state(say, language);
    const found = typeof result === 'string' ? result : say.by(result);
    return { ...given, steps: [say.helpers(), ...steps].filter(Boolean).join('\n'), result: found };
  };
  return {
    numpy: () => numpyProgram(program('numpy')),
    pytorch: () => torchProgram(program('pytorch')),
    cpp: () => cppProgram(program('cpp')),
  };
}

/** Lines as the body of a function. */
export const indented = (text: string, by = 4) => text.replace(/^(?=.)/gmu, ' '.repeat(by));
