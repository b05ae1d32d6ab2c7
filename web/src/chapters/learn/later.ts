// The parts of the chapter that are loaded when a visitor comes near them, or on demand. They are listed here and not
// on the page, which would have to name every file that each of them needs.
export const CostFigure = () => import('./CostFigure.svelte');
export const OwnFigure = () => import('./OwnFigure.svelte');
export const WhatIfFigure = () => import('./WhatIfFigure.svelte');
export const StepFigure = () => import('./StepFigure.svelte');
export const StepPanels = () => import('./StepPanels.svelte');
export const stepQuestion = async () => ({ default: (await import('./questions')).step });
export const code = () => import('./code');
