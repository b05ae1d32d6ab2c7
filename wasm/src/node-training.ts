// `tril/training` for Node, like node.ts.
import { bringInlined } from './module.js';

bringInlined({
  'tril-simd-training': () => import('./generated/tril-simd-training-inline.js'),
  'tril-relaxed-training': () => import('./generated/tril-relaxed-training-inline.js'),
});

export * from './training.js';
