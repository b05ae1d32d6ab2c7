/** Tokens drawn evenly below `vocabulary`, the same for the same seed. */
export function randomTokens(count: number, vocabulary: number, seed: number): Int32Array;
/** How far apart the two copies are. */
export const period: number;
/** Random tokens, twice; 16 of such lists unless given. */
export function repeatedRuns(vocabulary: number, count?: number): Int32Array[];
