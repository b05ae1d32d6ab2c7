// The stack of blocks that the depth figure and its question are about.
export const blocks = 24;
export type DepthId = 'post' | 'pre' | 'noNorms' | 'noResiduals' | 'neither';
