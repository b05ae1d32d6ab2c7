import { openChapter, useChapter } from '../../shell/chapter.svelte';
import { decode, encode, type AverageState } from '../../state/average';

export const provideModel = () => openChapter<AverageState>({ encode, decode });
export const useModel = () => useChapter<AverageState>();
