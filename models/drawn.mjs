// Reproducible random tokens, and repetitions, for measuring heads that look for earlier copies.

/** A generator of integers below 2^32, the same for the same seed (mulberry32). */
export function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** Uniform tokens below `vocabulary`, the same for the same seed. */
export function randomTokens(count, vocabulary, seed) {
  const next = generator(seed);
  return Int32Array.from({ length: count }, () => next() % vocabulary);
}

/** The distance between the two copies. */
export const period = 40;
const twice = (once) => Int32Array.of(...once, ...once);
/** Random tokens, twice, whose second copy can only be predicted by looking at the first. */
export const repeatedRuns = (vocabulary, count = 16, size = period) =>
  Array.from({ length: count }, (_, seed) => twice(randomTokens(size, vocabulary, seed + 1)));
/** Passages of a text's tokens, evenly spaced in it, each twice. */
export const repeatedPassages = (tokens, count = 16) =>
  Array.from({ length: count }, (_, n) => {
    const begin = Math.floor((n * (tokens.length - period)) / count);
    return twice(tokens.subarray(begin, begin + period));
  });
/** The positions from the second on, up to `t`, that follow an earlier copy of the token at `t`. */
export const behindCopies = (tokens, t) =>
  Array.from({ length: t }, (_, k) => k + 1).filter((k) => tokens[k - 1] === tokens[t]);
