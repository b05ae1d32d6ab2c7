import text from '$texts/attend.yaml';
import type { NumbersProblem } from '../../entered/numbers';

export function problemInWords(problem: NumbersProblem): string {
  return problem.kind === 'ragged' ? text.ragged(problem) : text.notANumber(problem);
}
