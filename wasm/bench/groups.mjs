// The groups of cases, in a file of their own, so that the command line is read before anything is built.

/** Groups that take a whole model, of `tril/training`. */
export const modelGroups = ['training', 'generation'];

/** The last is not in cases.mjs, but measured by loading.mjs. */
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

/** Groups in which only peers that name them take part. */
export const chosenGroups = [...modelGroups, 'attention backward'];
