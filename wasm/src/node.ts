// `tril` for Node and similar hosts. It contains the modules, for bundles that leave their files behind.
import { bringInlined } from './module.js';

bringInlined({
  'tril-simd': () => import('./generated/tril-simd-inline.js'),
  'tril-relaxed': () => import('./generated/tril-relaxed-inline.js'),
});

export * from './index.js';
