import { openChapter, useChapter } from '../../shell/chapter.svelte';
import { decode, encode, type CheckState } from '../../state/check';

export const provideModel = () => openChapter<CheckState>({ encode, decode });
export const useModel = () => useChapter<CheckState>();
