import type { FutureAsk, MaskAsk } from '../../compute/worker/lessons/mask';
import { openChapter, useChapter } from '../../shell/chapter.svelte';
import { type GarbageId } from '../../compute/shared/lessons/mask-rules';
import { decode, defaults, encode, type MaskState } from '../../state/mask';
import type { Typed } from './entered';

export const provideModel = () => openChapter<MaskState>({ encode, decode });
export const useModel = () => useChapter<MaskState>();

/**
 * What the core computes with, as text: equal texts are equal inputs, so that what is only looked at (a pin, a
 * cut) asks nothing anew.
 */
export function inputsOf(state: MaskState): string {
  const { pin, cut, garbage, overwritten, futurePin, pattern, size } = defaults;
  return encode({ ...state, pin, cut, garbage, overwritten, futurePin, pattern, size });
}
export const stateOf = (inputs: string): MaskState => decode(inputs).state;

/** What is asked of the core; null where there is nothing to compute with. */
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

/** The same with everything from `cut` on overwritten; null where there is no future. */
export function futureOf(
  state: MaskState,
  typed: Typed,
  cut: number,
  garbage: GarbageId,
): FutureAsk | null {
  const known = askOf(state, typed);
  return known && typed.labels.length > 1 ? { ...known, cut, garbage } : null;
}
