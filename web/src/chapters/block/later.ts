// What of the chapter is fetched where it is asked for: reasons where a cell is pointed at, programs at their menu.
export const reader = () => import('../../figures/graph');
export const code = () => import('./code');
