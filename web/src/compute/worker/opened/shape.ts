// The sizes of a model, and the number of tokens shown of a text.
import type { Shape } from '../../../../../models/shape.mjs';

export { shapeOf, type Shape } from '../../../../../models/shape.mjs';

/** Maximum number of values of a traced text, so that it fits into memory beside the weights. */
const most = 2 ** 26;
const widest = 64;

/** Maximum number of tokens of a text that are shown. */
export const placesOf = ({ layers, vocabulary, context }: Shape): number =>
  Math.max(1, Math.min(context - 1, widest, Math.floor(most / (layers * vocabulary))));
