// `tril` for Node and whatever is like it: where a bundle has left the modules' files behind, they are in it.
import { bringInlined } from './module.js';

bringInlined({
  'tril-simd': () => import('./generated/tril-simd-inline.js'),
  'tril-relaxed': () => import('./generated/tril-relaxed-inline.js'),
});

export * from './index.js';
