// The outcome of two trainings side by side.
import type { TrainingSessions, WhatIfRun } from '../../compute/shared/training/protocol';

export type Outcome = 'same' | 'worse' | 'nothing' | 'cheats';

export const shareOf = ({ right, letters }: WhatIfRun) => right / letters;

/** The outcome of the changed training, relative to the default one and to a uniform guess. */
export function outcomeOf(
  { runs: [usual, changed] }: TrainingSessions['whatIf']['answer'],
  ignorant: number,
): Outcome {
  if (changed.loss === null || changed.loss > 0.6 * ignorant) return 'nothing';
  const writes = shareOf(changed) >= shareOf(usual) - 0.1;
  if (changed.loss < 0.1 * ignorant && shareOf(changed) < 0.5) return 'cheats';
  return writes && changed.loss < (usual.loss ?? 0) + 0.25 ? 'same' : 'worse';
}
