import { openChapter, useChapter } from '../../shell/chapter.svelte';
import { decode, encode, type ModelState } from '../../state/model';

export const provideModel = () => openChapter<ModelState>({ encode, decode });
export const useModel = () => useChapter<ModelState>();
