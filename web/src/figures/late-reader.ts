// The reader of graphs, loaded by way of this file so that a page need not name every file that the reader needs.
export const reader = () => import('./graph');
