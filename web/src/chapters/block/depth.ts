// The stack of blocks in the depth figure and its question.
export const blocks = 24;
export type DepthId = 'post' | 'pre' | 'noNorms' | 'noResiduals' | 'neither';
