// Tokens that anyone can draw again: what models are measured on without a text.

/** Tokens drawn evenly below `vocabulary`, the same for the same seed (mulberry32). */
export function randomTokens(count, vocabulary, seed) {
  let state = seed;
  return Int32Array.from({ length: count }, () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % vocabulary;
  });
}

/** How far apart the two copies are. */
export const period = 40;
/** Random tokens, twice, whose second copy can only be foretold by looking at the first. */
export const repeatedRuns = (vocabulary, count = 16) =>
  Array.from({ length: count }, (_, seed) => {
    const once = randomTokens(period, vocabulary, seed + 1);
    return Int32Array.of(...once, ...once);
  });
