// The sibling's training data. Half of its windows are texts, and in the other half something repeats, drawn again for
// every batch: there the next token can only be predicted by looking for an earlier copy. Texts with fixed repetitions
// are memorised instead.

import { generator } from './drawn.mjs';

/**
 * The share of windows with repetitions, and the share of these that repeat random tokens; the rest repeats a passage
 * of the texts.
 */
export const share = { repeats: 0.5, random: 0.5 };

const long = { count: 8, length: 128, periods: [8, 40] };
const short = { count: 32, length: 32, periods: [5, 16] };
/**
 * The shapes of batches, in turns, each with as many tokens. In short windows attention to all earlier tokens is
 * sharper, so that heads learn first there where to look.
 */
export const shapes = [long, short, short, short];

/** The target of a token that cannot be predicted. */
const unasked = -100;

/** The batch of a step, `{ tokens, targets }` of [B, T]: `text` are tokens, all below `vocabulary`. */
export function batchOf(text, vocabulary, step) {
  const { count, length, periods } = shapes[step % shapes.length];
  const next = generator(Math.imul(step + 1, 0x9e3779b1));
  const below = (bound) => next() % bound;
  const happens = (chance) => next() < chance * 2 ** 32;
  const passage = (size) => text.subarray(below(text.length - size + 1)).subarray(0, size);

  function windowOf() {
    if (!happens(share.repeats)) {
      const own = [...passage(length + 1)];
      return { tokens: own.slice(0, -1), targets: own.slice(1) };
    }
    const [least, most] = periods;
    const period = least + below(most - least + 1);
    const random = happens(share.random);
    const once = random ? Int32Array.from({ length: period }, () => below(vocabulary)) : passage(period); // prettier-ignore
    const at = (t) => once[t % period];
    // The beginning of the second copy cannot be predicted, nor can random tokens in the first.
    const asked = (t) => t > period || (t < period && !random);
    const places = Array.from({ length }, (_, t) => t);
    return {
      tokens: places.map(at),
      targets: places.map((t) => (asked(t + 1) ? at(t + 1) : unasked)),
    };
  }

  const rows = Array.from({ length: count }, windowOf);
  return { tokens: rows.map((row) => row.tokens), targets: rows.map((row) => row.targets) };
}
