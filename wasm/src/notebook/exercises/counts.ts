import { TrilError } from '../../error.js';
import { product } from '../../graph/operations/common.js';
import { describe } from '../../names.js';
import type { ProgramRun } from '../program-run.js';

/** The counts of a program's run. */
export interface ProgramCounts {
  /** Number of matrix products, each of a whole batch. */
  readonly products: number;
  /** Number of softmaxes, built in or written out as e^z divided by its sum. */
  readonly softmaxes: number;
  /** Bytes of the largest array passed to softmax (or to e^x, where there is no softmax). */
  readonly scores: number;
  /** Bytes of all arrays made, as if none were ever freed. */
  readonly arrays: number;
}

/**
 * Counts a program's products and softmaxes, and the memory of its scores.
 *
 * @throws TrilError for a value that is not a run of a program
 *
 * @example
 * ```ts
 * import { countsOf, runExercise } from 'tril/notebook';
 *
 * const code = `import torch.nn.functional as F
 * def attention(Q, K, V):
 *     return F.softmax(Q @ K.transpose(-2, -1) / 8, dim=-1) @ V`;
 * const { products, softmaxes, scores } = countsOf(runExercise(tril, 'attention', code, { large: true }));
 * [products, softmaxes, scores]; // [2, 1, 4194304]
 * countsOf({} as never); // throws TrilError: countsOf: run: must be what runProgram gives, is a Object
 * ```
 */
export function countsOf(run: ProgramRun): ProgramCounts {
  if (!Array.isArray(run?.graph?.nodes) || !run.tensors) {
    throw new TrilError('countsOf', 'run', `must be what runProgram gives, is ${describe(run)}`);
  }
  const { nodes } = run.graph;
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const bytes = (name: string) => 4 * product(run.tensors[name]!.shape);
  /** The summand of a sum, in whatever shape it is written. */
  const sumOf = (name: string): string | undefined => {
    const node = byName.get(name)!;
    if (node.operation === 'reshape') return sumOf(node.inputs[0]!);
    return node.operation === 'sum' ? node.inputs[0] : undefined;
  };
  const isOf = (operation: string) => nodes.filter((node) => node.operation === operation);
  const written = isOf('divide').filter(
    ({ inputs: [e, sum] }) => byName.get(e!)!.operation === 'exp' && sumOf(sum!) === e,
  );
  const builtIn = isOf('softmax');
  const softmaxes = [...builtIn, ...written];
  const scored = softmaxes.length > 0 ? softmaxes : isOf('exp');
  const made = nodes.filter(({ operation }) => !['input', 'number'].includes(operation));
  return {
    products: isOf('matmul').length + isOf('linear').length,
    softmaxes: softmaxes.length,
    scores: Math.max(0, ...scored.map(({ inputs }) => bytes(inputs[0]!))),
    arrays: made.reduce((sum, { name }) => sum + bytes(name), 0),
  };
}
