/** Whole numbers below 2^32, one with each call, the same for the same seed. */
export function generator(seed: number): () => number;
/** Tokens drawn evenly below `vocabulary`, the same for the same seed. */
export function randomTokens(count: number, vocabulary: number, seed: number): Int32Array;
/** How far apart the two copies are. */
export const period: number;
/** `size` random tokens, twice; 16 of such lists unless given. */
export function repeatedRuns(vocabulary: number, count?: number, size?: number): Int32Array[];
/** Passages of a text's tokens, evenly spaced in it, each twice; 16 unless given. */
export function repeatedPassages(tokens: Int32Array, count?: number): Int32Array[];
/** Places from the second on, up to `t`, behind an earlier copy of the token at `t`. */
export function behindCopies(tokens: Int32Array, t: number): number[];
