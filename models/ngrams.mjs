// Interpolated Kneser-Ney n-grams of tokens (Kneser, Ney 1995; Chen, Goodman 1999), the baseline of a language model.

/** The n-grams of lengths 1 to `longest`, learned from `tokens`. */
export function learnNgrams(tokens, vocabulary, longest) {
  // An n-gram is the id of its first n - 1 tokens and its last token; there is one of length 0.
  const orders = Array.from({ length: longest }, () => ({ ids: new Map(), counts: [] }));
  const idOf = (order, before, token) => orders[order - 1].ids.get(before * vocabulary + token);
  let ends = [0]; // by length, the n-gram that ends at the token before
  for (const token of tokens) {
    const next = [0];
    for (let n = 1; n <= Math.min(longest, ends.length); ++n) {
      const { ids, counts } = orders[n - 1];
      const key = ends[n - 1] * vocabulary + token;
      let id = ids.get(key);
      if (id === undefined) {
        id = ids.size;
        ids.set(key, id);
        counts.push(0);
        // Shorter n-grams count their different contexts, not their occurrences.
        if (n > 1) ++orders[n - 2].counts[next[n - 1]];
      }
      if (n === longest) ++counts[id];
      next.push(id);
    }
    ends = next;
  }
  return { orders: orders.map((order) => follow(order, vocabulary)), idOf, longest, vocabulary };
}

/** Adds, for each prefix of n-grams, the sum of the counts after it and the number of n-grams. */
function follow({ ids, counts }, vocabulary) {
  const sums = new Map(), kinds = new Map(); // prettier-ignore
  for (const [key, id] of ids) {
    const before = Math.floor(key / vocabulary);
    if (counts[id] === 0) continue; // at the very beginning, with nothing before it
    sums.set(before, (sums.get(before) ?? 0) + counts[id]);
    kinds.set(before, (kinds.get(before) ?? 0) + 1);
  }
  const once = counts.filter((count) => count === 1).length;
  const twice = counts.filter((count) => count === 2).length;
  return { counts, sums, kinds, discount: once / (once + 2 * twice) };
}

/** The surprise at each of other tokens, in nats, summed; the first is not counted. */
export function surpriseOf({ orders, idOf, longest, vocabulary }, tokens) {
  let ends = [0], sum = 0; // prettier-ignore
  for (const [place, token] of tokens.entries()) {
    let probability = 1 / vocabulary;
    const next = [0];
    for (let n = 1; n <= longest && n <= ends.length; ++n) {
      const before = ends[n - 1];
      if (before === undefined) break; // unseen, and so is every longer one
      const { counts, sums, kinds, discount } = orders[n - 1];
      const id = idOf(n, before, token);
      next.push(id);
      const all = sums.get(before);
      if (all === undefined) continue;
      const seen = id === undefined ? 0 : Math.max(counts[id] - discount, 0);
      probability = seen / all + ((discount * kinds.get(before)) / all) * probability;
    }
    ends = next;
    if (place > 0) sum -= Math.log(probability);
  }
  return sum;
}
