// The parts of the chapter that are loaded when a visitor comes near them, or on demand. They are listed here and not
// on the page, which would have to name every file that each of them needs.
export const AwayFigure = () => import('./AwayFigure.svelte');
export const CacheFigure = () => import('./CacheFigure.svelte');
export const FurtherFigure = () => import('./FurtherFigure.svelte');
export const HeadsFigure = () => import('./HeadsFigure.svelte');
export const NextAsk = () => import('./NextAsk.svelte');
export const OwnFigure = () => import('./OwnFigure.svelte');
export const PatchFigure = () => import('./PatchFigure.svelte');
export const LoadState = () => import('./LoadState.svelte');
export const Compared = () => import('./Compared.svelte');
export const code = () => import('./code');
