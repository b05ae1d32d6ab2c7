import { openChapter, useChapter } from '../../shell/chapter.svelte';
import { training } from '../../compute/page/training/born.svelte';
import { decode, encode, type LearnState } from '../../state/learn';

export const provideModel = () =>
  openChapter<LearnState>({ encode, decode }, { trains: true, first: training.begun });
export const useModel = () => useChapter<LearnState>();
