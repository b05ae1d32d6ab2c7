import { openChapter, useChapter } from '../../shell/chapter.svelte';
import { decode, encode, type MultiplyState } from '../../state/multiply';

export const provideModel = () => openChapter<MultiplyState>({ encode, decode });
export const useModel = () => useChapter<MultiplyState>();
