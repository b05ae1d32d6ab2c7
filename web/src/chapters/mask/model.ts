import type { FutureAsk, MaskAsk } from '../../compute/worker/lessons/mask';
import { openChapter, useChapter } from '../../shell/chapter.svelte';
import { type GarbageId } from '../../compute/shared/lessons/mask-rules';
import { decode, defaults, encode, type MaskState } from '../../state/mask';
import type { Typed } from './entered';

export const provideModel = () => openChapter<MaskState>({ encode, decode });
export const useModel = () => useChapter<MaskState>();

/**
 * The inputs of the core's computation as text. Equal texts mean equal inputs, so that changes of the view (a pin, a
 * cut) cause no query.
 */
export function inputsOf(state: MaskState): string {
  const { pin, cut, garbage, overwritten, futurePin, pattern, size } = defaults;
  return encode({ ...state, pin, cut, garbage, overwritten, futurePin, pattern, size });
}
export const stateOf = (inputs: string): MaskState => decode(inputs).state;

/** The query to the core; null if there is nothing to compute. */
export function askOf(state: MaskState, { content }: Typed): MaskAsk | null {
  if (!content) return null;
  const { rules, length, left, right, local, stride, drawn, hide, scores, seed } = state;
  return {
    content,
    scores,
    seed,
    rules: { rules, length, left, right, local, stride, drawn },
    hide,
  };
}

/** The same with everything from `cut` on overwritten; null if there is no future. */
export function futureOf(
  state: MaskState,
  typed: Typed,
  cut: number,
  garbage: GarbageId,
): FutureAsk | null {
  const known = askOf(state, typed);
  return known && typed.labels.length > 1 ? { ...known, cut, garbage } : null;
}
