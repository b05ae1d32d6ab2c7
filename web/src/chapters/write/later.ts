// The parts of the chapter that are loaded when a visitor comes near them.
export const OwnFigure = () => import('./OwnFigure.svelte');
export const MakeFigure = () => import('./MakeFigure.svelte');
