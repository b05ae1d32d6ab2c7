import { openChapter, useChapter } from '../../shell/chapter.svelte';
import { decode, encode, type LearnState } from '../../state/learn';

export const provideModel = () => openChapter<LearnState>({ encode, decode }, { trains: true });
export const useModel = () => useChapter<LearnState>();
