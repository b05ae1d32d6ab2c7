// Untrusted input: valid texts with pieces cut, copied or changed, by a seed. Bytes are texts in Latin-1.

/** Mulberry32: a generator of integers below a bound. */
export function seeded(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), 61 | bits);
    return ((bits ^ (bits >>> 14)) >>> 0) % bound;
  };
}

/** Makes one to four changes, long and short ones; `words` have a meaning in the format of the text. */
export function mutated(
  text: string,
  words: readonly string[],
  below: (bound: number) => number,
): string {
  let now = text;
  for (let changes = 1 + below(4); changes > 0; --changes) {
    const [one, other] = [below(now.length + 1), below(now.length + 1)];
    const from = Math.min(one, other);
    const to = below(2) ? Math.max(one, other) : Math.min(now.length, from + 1 + below(8));
    const word = words.at(below(words.length)) ?? '';
    const edits = [
      () => now.slice(0, from) + now.slice(to),
      () => now.slice(0, to) + now.slice(from),
      () => now.slice(0, from) + word + now.slice(from),
      () => now.slice(0, from) + word + now.slice(to),
      () => now.slice(0, from) + word + now.slice(from + word.length),
      () => now.slice(0, from) + word.repeat(1 + below(60)) + now.slice(from),
      () => now.slice(0, from) + String.fromCharCode(below(256)) + now.slice(from + 1),
      () =>
        from === now.length
          ? now
          : now.slice(0, from) +
            String.fromCharCode(now.charCodeAt(from) ^ (1 << below(8))) +
            now.slice(from + 1),
      () => (below(8) === 0 ? now.slice(0, to) : now),
    ];
    now = edits.at(below(edits.length))?.() ?? now;
  }
  return now;
}
