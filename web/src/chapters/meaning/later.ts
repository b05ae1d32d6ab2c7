// What of the chapter is fetched where a visitor comes near it, or asks for it. Here and not on the page, which would
// have to name every file that each of them needs.
export const AnalogyFigure = () => import('./AnalogyFigure.svelte');
export const SensesFigure = () => import('./SensesFigure.svelte');
export const SentencesFigure = () => import('./SentencesFigure.svelte');
export const code = () => import('./code');
