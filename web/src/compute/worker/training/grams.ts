// The loss of counting: n-grams of tokens with Witten and Bell's smoothing (1991), order below order, the last of which
// is uniform over all tokens. The losses are the core's.
import type { Tril } from 'tril';

const mostOrder = 5;

interface Following {
  /** Number of tokens seen here. */
  total: number;
  readonly counts: Map<number, number>;
}

const keyOf = (tokens: Int32Array, from: number, to: number) => tokens.subarray(from, to).join(' ');

/**
 * For orders 1, 2, ...: the mean loss at all tokens of `heldOut` but the first. Each is predicted from the tokens
 * before it, and `heldOut` itself is never counted.
 */
export function gramLosses(
  tril: Tril,
  train: Int32Array,
  heldOut: Int32Array,
  vocabulary: number,
): number[] {
  const known = Array.from({ length: mostOrder }, (_, history) => {
    const found = new Map<string, Following>();
    for (let t = history; t < train.length; ++t) {
      const key = keyOf(train, t - history, t);
      const following = found.get(key) ?? { total: 0, counts: new Map<number, number>() };
      following.total += 1;
      following.counts.set(train[t], (following.counts.get(train[t]) ?? 0) + 1);
      found.set(key, following);
    }
    return found;
  });
  const targets = heldOut.subarray(1);
  const chances = new Float64Array(targets.length * vocabulary).fill(1 / vocabulary);
  return known.map((found, history) => {
    for (let t = 1; t < heldOut.length; ++t) {
      if (t < history) continue; // as far back as there are tokens
      const following = found.get(keyOf(heldOut, t - history, t));
      if (!following) continue; // the lower order decides alone
      const ofToken = chances.subarray((t - 1) * vocabulary, t * vocabulary);
      const { total, counts } = following;
      const all = total + counts.size;
      for (let token = 0; token < vocabulary; ++token) ofToken[token] *= counts.size / all;
      for (const [token, count] of counts) ofToken[token] += count / all;
    }
    return tril.scope(() => {
      const logits = tril.tensor(
        [targets.length, vocabulary],
        Float32Array.from(chances, Math.log),
      );
      return tril.crossEntropy(logits, targets).loss;
    });
  });
}
