// What cases.mjs has cases of, apart from it, so that the command line is read before anything is built.

/** What takes a whole model, of `tril/training`. */
export const modelGroups = ['training', 'generation'];

/** The last is no case, but measured by loading.mjs. */
export const groups = [
  'matmul',
  'attention',
  'decoding',
  'block',
  'softmax',
  'layer norm',
  ...modelGroups,
  'loading',
];
