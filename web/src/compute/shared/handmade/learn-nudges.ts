// How far chapter "Learn" nudges a number.

/** Either way, for the gradient's proof: 2^-5, where what is rounded and what is left out are both small in float32. */
export const small = 0.03125;
/** For the curve. */
export const nudges: readonly number[] = Array.from({ length: 49 }, (_, i) => -3 + i / 8);
