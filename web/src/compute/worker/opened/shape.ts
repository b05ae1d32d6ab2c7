// How large a model is, and how much of a text is shown of it.
import type { Shape } from '../../../../../models/shape.mjs';

export { shapeOf, type Shape } from '../../../../../models/shape.mjs';

/** Numbers that a traced text may come to, so that it fits into memory beside the weights. */
const most = 2 ** 26;
const widest = 64;

/** How many tokens of a text are shown at the most. */
export const placesOf = ({ layers, vocabulary, context }: Shape): number =>
  Math.max(1, Math.min(context - 1, widest, Math.floor(most / (layers * vocabulary))));
