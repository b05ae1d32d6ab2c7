// The nine steps of the chapter, and which part of the formula each is.
import { matrixIds, type MatrixId } from '../compute/page/protocol';

export type StepId = Exclude<MatrixId, 'wq' | 'wk' | 'wv'>;
const isLater = (id: MatrixId): id is Exclude<StepId, 'x'> => !/^(?:x|w[qkv])$/u.test(id);
export const stepIds = ['x', ...matrixIds.filter(isLater)] as const;

/** The parts of softmax(Q K^T / sqrt(d) + M) V that can light up, each a link to a step. */
export type FormulaPart = 'softmax' | 'q' | 'k' | 'product' | 'scale' | 'mask' | 'v';

export const lights: Readonly<Record<StepId, readonly FormulaPart[]>> = {
  ...{ x: [], q: ['q'], k: ['k'], v: ['v'], scores: ['product'], scaled: ['scale'] },
  ...{ masked: ['mask'], weights: ['softmax'], output: ['softmax', 'v'] },
};

/** Whether the rows are queries and the columns are keys. */
export function isSquare(id: MatrixId): boolean {
  return id === 'scores' || id === 'scaled' || id === 'masked' || id === 'weights';
}
