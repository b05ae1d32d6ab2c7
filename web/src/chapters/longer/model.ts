import { lateCode } from '../../figures/late-code';
import { openChapter, useChapter } from '../../shell/chapter.svelte';
import { decode, encode, type LongerState } from '../../state/longer';

export const provideModel = () => openChapter<LongerState>({ encode, decode });
export const useModel = () => useChapter<LongerState>();
export const programs = lateCode(() => import('./later'));
