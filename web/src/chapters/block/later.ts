// The parts of the chapter that are loaded on demand: explanations when a cell is pointed at, programs when their menu
// opens.
export const reader = () => import('../../figures/graph');
export const code = () => import('./code');
