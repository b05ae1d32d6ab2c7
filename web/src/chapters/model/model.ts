import { openChapter, useChapter } from '../../shell/chapter.svelte';
import { decode, encode, type ModelState } from '../../state/model';

/** Defaults of the fields that refer to the open model only: positions, heads, tokens, ablations, names of matrices. */
export const ofAnother = {
  ...{ then: [], block: 0, place: 0, layer: 1, head: 1, off: [], targets: [] },
} as const;

export const provideModel = () => openChapter<ModelState>({ encode, decode });
export const useModel = () => useChapter<ModelState>();
