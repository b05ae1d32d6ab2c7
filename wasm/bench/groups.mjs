// What cases.mjs has cases of, apart from it, so that the command line is read before anything is built.

/** What takes a whole model, of `tril/training`. */
export const modelGroups = ['training', 'generation'];

/** The last is no case, but measured by loading.mjs. */
export const groups = [
  'matmul',
  'attention',
  'attention backward',
  'decoding',
  'block',
  'softmax',
  'layer norm',
  ...modelGroups,
  'loading',
];

/** In which only those peers take part that say so. */
export const chosenGroups = [...modelGroups, 'attention backward'];
