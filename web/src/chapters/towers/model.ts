import { lateCode } from '../../figures/late-code';
import { openChapter, useChapter } from '../../shell/chapter.svelte';
import { decode, encode, type TowersState } from '../../state/towers';

export const provideModel = () => openChapter<TowersState>({ encode, decode });
export const useModel = () => useChapter<TowersState>();
export const programs = lateCode(() => import('./later'));
