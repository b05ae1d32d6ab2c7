import { openChapter, useChapter } from '../../shell/chapter.svelte';
import { decode, encode, type WriteState } from '../../state/write';

export const provideModel = () => openChapter<WriteState>({ encode, decode });
export const useModel = () => useChapter<WriteState>();
