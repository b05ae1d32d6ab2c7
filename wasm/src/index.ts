// The package's public entry: loadTril, and the names of the types that its calls take and return.
export { loadTril, type LoadOptions, type Tril } from './load.js';
export { Tensor } from './tensor.js';
export { TrilError, type Shapes } from './error.js';
export { detectFeatures, type Features } from './features.js';
export { chooseVariant, variants, type Variant, type Wish } from './variant.js';
export type { NestedNumbers, Values } from './values.js';
