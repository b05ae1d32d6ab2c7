// Word vectors follow what is asked in the address, and wait while nobody looks.
import { untrack } from 'svelte';
import { words } from '../../compute/meaning/words.svelte';
import type { OpenChapter } from '../../shell/chapter.svelte';
import type { MeaningState } from '../../state/meaning';
import { wordsQuery } from './model';

export function followWords(model: OpenChapter<MeaningState>): void {
  const asked = $derived(JSON.stringify(wordsQuery(model.state)));
  $effect(() => {
    const query = JSON.parse(asked) as ReturnType<typeof wordsQuery>;
    untrack(() => words.look(query));
  });
  $effect(() => {
    const look = () => words.hide(document.hidden);
    untrack(look);
    document.addEventListener('visibilitychange', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      words.hide(true);
    };
  });
}
