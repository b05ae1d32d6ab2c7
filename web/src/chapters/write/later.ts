// What of the chapter is fetched where a visitor comes near it.
export const OwnFigure = () => import('./OwnFigure.svelte');
export const MakeFigure = () => import('./MakeFigure.svelte');
