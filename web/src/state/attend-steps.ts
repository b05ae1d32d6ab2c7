// The nine steps of the chapter: the result and the sources of each, and its part of the formula.
import { matrixIds, type MatrixId } from '../compute/page/protocol';

export type StepId = Exclude<MatrixId, 'wq' | 'wk' | 'wv'>;
const isLater = (id: MatrixId): id is Exclude<StepId, 'x'> => !/^(?:x|w[qkv])$/u.test(id);
export const stepIds = ['x', ...matrixIds.filter(isLater)] as const;

/** The parts of softmax(Q K^T / sqrt(d) + M) V that can light up, each a link to a step. */
export type FormulaPart = 'softmax' | 'q' | 'k' | 'product' | 'scale' | 'mask' | 'v';

export interface Step {
  readonly id: StepId;
  /**
   * input: assembled. projection: X times a weight matrix. product: left times right. map: a function of each cell, or
   * row, of one matrix.
   */
  readonly kind: 'input' | 'projection' | 'product' | 'map';
  /** The sources; for a product left and right. */
  readonly sources: readonly MatrixId[];
  /** The right matrix of a product is used transposed. */
  readonly transposed?: boolean;
  readonly lights: readonly FormulaPart[];
}

export const steps: readonly Step[] = [
  { id: 'x', kind: 'input', sources: [], lights: [] },
  { id: 'q', kind: 'projection', sources: ['x', 'wq'], lights: ['q'] },
  { id: 'k', kind: 'projection', sources: ['x', 'wk'], lights: ['k'] },
  { id: 'v', kind: 'projection', sources: ['x', 'wv'], lights: ['v'] },
  { id: 'scores', kind: 'product', sources: ['q', 'k'], transposed: true, lights: ['product'] },
  { id: 'scaled', kind: 'map', sources: ['scores'], lights: ['scale'] },
  { id: 'masked', kind: 'map', sources: ['scaled'], lights: ['mask'] },
  { id: 'weights', kind: 'map', sources: ['masked'], lights: ['softmax'] },
  { id: 'output', kind: 'product', sources: ['weights', 'v'], lights: ['softmax', 'v'] },
];

export function stepOf(id: StepId): Step {
  return steps[stepIds.indexOf(id)];
}

/** All matrices on the stage at a step. */
export function onStage(id: StepId): readonly MatrixId[] {
  return [id, ...stepOf(id).sources];
}

/** Whether the rows are queries and the columns are keys. */
export function isSquare(id: MatrixId): boolean {
  return id === 'scores' || id === 'scaled' || id === 'masked' || id === 'weights';
}
