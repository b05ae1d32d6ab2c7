// What the chapter shows of a word in its sentences: from the Worker, or as it was made with the page.
import { senses } from '../../compute/page/meaning/senses.svelte';
import type { SensesView } from '../../compute/shared/meaning/protocol';
import type { MeaningState } from '../../state/meaning';
import { sensesQuery } from './model';
import made from '$meaning/senses';

/** Null where nothing is loaded, and what was made is of another question. */
export function seenSenses(state: MeaningState): SensesView | null {
  if (senses.view) return senses.view;
  if (!made) return null;
  const same = JSON.stringify(sensesQuery(state)) === JSON.stringify(made.view.query);
  return same ? made.view : null;
}

/** Of the encoder; null before it is known. */
export const aboutEncoder = () => senses.about ?? made?.about ?? null;
