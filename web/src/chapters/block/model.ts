import { lateCode } from '../../figures/late-code';
import { openChapter, useChapter } from '../../shell/chapter.svelte';
import { decode, encode, type BlockState } from '../../state/block';

export const provideModel = () => openChapter<BlockState>({ encode, decode });
export const useModel = () => useChapter<BlockState>();
export const programs = lateCode(() => import('./later'));
