// Word vectors follow the query in the address, and pause while nobody looks.
import { words } from '../../compute/page/meaning/words.svelte';
import { waitUnseen } from '../../compute/page/training/run.svelte';
import type { OpenChapter } from '../../shell/chapter.svelte';
import type { MeaningState } from '../../state/meaning';
import { wordsQuery } from './model';

export function followWords(model: OpenChapter<MeaningState>): void {
  words.follow(() => wordsQuery(model.state));
  waitUnseen(words);
}
