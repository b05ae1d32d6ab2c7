// The parts of the chapter that are loaded when a visitor comes near them, or on demand. They are listed here and not
// on the page, which would have to name every file that each of them needs.
export const AnalogyFigure = () => import('./AnalogyFigure.svelte');
export const SensesFigure = () => import('./SensesFigure.svelte');
export const SentencesFigure = () => import('./SentencesFigure.svelte');
export const code = () => import('./code');
