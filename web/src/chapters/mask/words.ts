import text from '$texts/mask.yaml';
import { listed } from '../../figures/local';
import type { MaskState } from '../../state/mask';
import type { NumbersProblem } from '../../entered/numbers';

/** The active rules, in words. */
export function rulesInWords({ rules }: Pick<MaskState, 'rules'>): string {
  if (rules.length === 0) return text.future.noRules;
  return listed(rules.map((rule) => text.rules.listed[rule]));
}

export function problemInWords(problem: NumbersProblem): string {
  return problem.kind === 'ragged' ? text.input.ragged(problem) : text.input.notANumber(problem);
}
