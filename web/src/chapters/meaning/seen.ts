// The view of a word in its sentences: from the Worker, or prerendered.
import { senses } from '../../compute/page/meaning/senses.svelte';
import type { SensesView } from '../../compute/shared/meaning/protocol';
import type { MeaningState } from '../../state/meaning';
import { sensesQuery } from './model';
import made from '$meaning/senses';

/** Null if nothing is loaded, and the prerendered view belongs to another query. */
export function seenSenses(state: MeaningState): SensesView | null {
  if (senses.view) return senses.view;
  if (!made) return null;
  const same = JSON.stringify(sensesQuery(state)) === JSON.stringify(made.view.query);
  return same ? made.view : null;
}

/** Description of the encoder; null before it is known. */
export const aboutEncoder = () => senses.about ?? made?.about ?? null;
