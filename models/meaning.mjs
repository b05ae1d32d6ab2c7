// Meanings of words, as chapter "Meaning" shows and report.mjs measures them: neighbours of words, the principal
// directions among them, and the vectors of a word in a sentence, layer by layer. All numbers are the core's; `tril` is
// the result of loadTril.

import { shapeOf } from './shape.mjs';

/** An eps small enough to keep the length of rows: only a row of zeros stays zero. */
const nothing = 1e-30;

/** Rows [N, C], each scaled to length 1. */
export function unitRows(tril, rows) {
  return tril.multiply(tril.rmsNorm(rows, { eps: nothing }), 1 / Math.sqrt(rows.shape[1]));
}

/** Rows [N, C] minus their mean. */
export function centred(tril, rows) {
  return tril.subtract(rows, meanOf(tril, rows));
}

/** The mean [1, C] of rows [N, C]. */
export function meanOf(tril, rows) {
  const [count] = rows.shape;
  return tril.matmul(tril.tensor([1, count], new Float32Array(count).fill(1 / count)), rows);
}

/** The indices of the largest values, in descending order, except those in `without`. */
export function largest(values, count, without = []) {
  const all = Array.from(values, (_, i) => i).filter((i) => !without.includes(i));
  return all.sort((a, b) => values[b] - values[a] || a - b).slice(0, count);
}

/** The vectors of length 1, [N, C], nearest to a row [1, C]: [{ index, cosine }]. */
export function nearest(tril, unit, row, count, without) {
  const cosines = tril.matmul(unit, unitRows(tril, row), { transposeB: true }).read();
  return largest(cosines, count, without).map((index) => ({ index, cosine: cosines[index] }));
}

/** Some rows of a matrix, in this order: [n, C]. */
export function rowsOf(tril, matrix, indices) {
  const [count] = matrix.shape;
  const chosen = new Float32Array(indices.length * count);
  indices.forEach((index, i) => (chosen[i * count + index] = 1));
  return tril.matmul(tril.tensor([indices.length, count], chosen), matrix);
}

/**
 * The first two principal components of rows [N, C] with mean 0: [2, C], each of length 1 with a positive largest
 * entry; and their share of all squared distances from the mean. A component is found by squaring the matrix of column
 * products repeatedly, until only one direction is left.
 */
export function principal(tril, rows) {
  const [all] = tril.sum(tril.multiply(rows, rows)).read();
  let products = tril.matmul(rows, rows, { transposeA: true });
  const [width] = products.shape;
  const found = [];
  let along = 0;
  for (let n = 0; n < 2; ++n) {
    let power = products;
    for (let squared = 0; squared < 14; ++squared) {
      const most = power.read().reduce((sum, x) => Math.max(sum, Math.abs(x)), 0);
      if (most === 0) break;
      // Powers of 2 cause no rounding.
      const scaled = tril.multiply(power, 2 ** -Math.ceil(Math.log2(most)));
      power = tril.matmul(scaled, scaled);
    }
    const diagonal = power.read().filter((_, i) => i % (width + 1) === 0);
    const [column] = largest(diagonal, 1);
    let direction = unitRows(tril, rowsOf(tril, power, [column]));
    for (let again = 0; again < 2; ++again) {
      for (const before of found) {
        const both = tril.matmul(direction, before, { transposeB: true });
        direction = tril.subtract(direction, tril.matmul(both, before));
      }
      direction = unitRows(tril, tril.matmul(direction, products));
    }
    const entries = direction.read();
    const [largestEntry] = largest(entries.map(Math.abs), 1);
    if (entries[largestEntry] < 0) direction = tril.multiply(direction, -1);
    found.push(direction);
    const length = tril.matmul(tril.matmul(direction, products), direction, { transposeB: true });
    const own = tril.matmul(direction, direction, { transposeA: true });
    products = tril.subtract(products, tril.multiply(own, length));
    along += length.read()[0];
  }
  const directions = new Float32Array(2 * width);
  found.forEach((direction, n) => directions.set(direction.read(), n * width));
  return {
    directions: tril.tensor([2, width], directions),
    share: all === 0 ? 0 : Math.min(1, along / all),
  };
}

/** Cue words that tell the two senses of "bank" apart when they are near it. */
export const bank = {
  word: 'bank',
  senses: ['river', 'money'],
  cues: [
    ['river', 'rivers', 'rio', 'sabine', 'mississippi', 'ohio', 'potomac', 'plata', 'lawrence'],
    [
      ...['notes', 'paper', 'deposits', 'currency', 'specie', 'capital', 'stock', 'national'],
      ...['loans', 'charter', 'credit', 'money', 'treasury', 'dollars', 'savings', 'circulation'],
    ],
  ],
};

const wordPattern = /[\p{L}\p{N}]+/gu;
/** The number of words on each side in which cues are looked for, and the number of displayed letters. */
const [near, shown] = [8, 120];

/**
 * The occurrences of a word in a text, in exactly this spelling: the texts before and after each, in the same
 * paragraph.
 */
export function passagesOf(text, word) {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'gu');
  return Array.from(text.matchAll(pattern), ({ index }) => {
    const end = index + word.length;
    const before = text
      .slice(Math.max(0, index - 4 * shown), index)
      .split('\n')
      .at(-1);
    const [after] = text.slice(end, end + 4 * shown).split('\n');
    return { at: index, before, word, after };
  });
}

/** About a line of a passage, in whole words. */
export const lineOf = ({ before, word, after }) => ({
  before: before.length > shown ? before.slice(-shown).replace(/^\S*\s/u, '… ') : before,
  word,
  after: after.length > shown ? after.slice(0, shown).replace(/\s\S*$/u, ' …') : after,
});

/** The list of cues, 0 or 1, that has more words near; -1 if neither has more. */
export function senseOf({ before, after }, cues) {
  const words = (part) => (part.match(wordPattern) ?? []).map((one) => one.toLowerCase());
  const around = [...words(before).slice(-near), ...words(after).slice(0, near)];
  const [first, second] = cues.map((list) => around.filter((one) => list.includes(one)).length);
  return first === second ? -1 : first > second ? 0 : 1;
}

/** At most this many of some, evenly spaced. */
const spread = (all, most) =>
  all.length <= most
    ? all
    : Array.from({ length: most }, (_, i) => all[Math.floor((i * all.length) / most)]);

/**
 * About forty passages with the word, each with its `sense`: at most half have the rarer sense, the rest the other;
 * without any cues, all kinds.
 */
export function chosenPassages(text, { word, cues }, most = 40) {
  const all = passagesOf(text, word).map((one) => ({ ...one, sense: senseOf(one, cues) }));
  const of = (sense) => all.filter((one) => one.sense === sense);
  const [first, second] = [of(0), of(1)];
  if (first.length + second.length === 0) return spread(all, most);
  const [rare, other] = first.length < second.length ? [first, second] : [second, first];
  const few = spread(rare, most / 2);
  return [...few, ...spread(other, most - few.length)].sort((a, b) => a.at - b.at);
}

/** The tokens of a passage, as many as the context holds, and which of them belong to the word. */
export function tokensOf(model, { before, word, after }, context) {
  const glue = /\s$/u.test(before) ? ' ' : '';
  const own = [...model.encode(glue + word)];
  const left = before.trimEnd() === '' ? [] : [...model.encode(before.trimEnd())];
  const right = after === '' ? [] : [...model.encode(after)];
  const room = context - own.length;
  const most = Math.max(Math.floor(room / 2), room - right.length);
  const kept = left.slice(Math.max(0, left.length - most));
  const tokens = [...kept, ...own, ...right].slice(0, context);
  return { tokens, from: kept.length, count: Math.min(own.length, context) };
}

/** The number of tokens that a model reads at once. */
export const contextOf = ({ config }) => shapeOf(config).context;

/**
 * The vectors of a word in its sentence, [layers + 1, C]: after the embedding and after every layer, each the mean over
 * its tokens.
 */
export function placesOf(tril, model, passage) {
  const { tokens, from, count } = tokensOf(model, passage, contextOf(model));
  return tril.scope(() => {
    const { trace } = model.forward(tokens, { trace: { lens: false, scores: false } });
    const weights = tokens.map((_, t) => (t >= from && t < from + count ? 1 / count : 0));
    const mean = tril.tensor([1, tokens.length], Float32Array.from(weights));
    const streams = [trace.embedded, ...trace.layers.map(({ residPost }) => residPost)];
    return streams.map((stream) => tril.matmul(mean, stream).read());
  });
}

/** The vectors of passages, layer by layer: [N, C], each row scaled to length 1. */
export function layersOf(tril, places) {
  return places[0].map((first, layer) => {
    const rows = new Float32Array(places.length * first.length);
    places.forEach((place, n) => rows.set(place[layer], n * first.length));
    return unitRows(tril, tril.tensor([places.length, first.length], rows));
  });
}

/** Cosines closer than this are equal up to rounding. */
const same = 1e-5;

/**
 * The separation of the two senses (0 or 1 each; others are ignored) of rows [N, C] of length 1: the mean cosine of two
 * rows `within` a sense and `across` senses, and the `share` of rows that are on average closer to the other rows of
 * their own sense; a tie counts half. Null if a sense has fewer than two rows.
 */
export function separation(tril, unit, senses) {
  const counts = [0, 1].map((sense) => senses.filter((one) => one === sense).length);
  if (Math.min(...counts) < 2) return null;
  const groups = Float32Array.from(senses.flatMap((sense) => [+(sense === 0), +(sense === 1)]));
  return tril.scope(() => {
    const cosines = tril.matmul(unit, unit, { transposeB: true });
    const sums = tril.matmul(cosines, tril.tensor([senses.length, 2], groups)).read();
    let [within, across, right] = [0, 0, 0];
    senses.forEach((sense, n) => {
      if (sense !== 0 && sense !== 1) return;
      const own = (sums[2 * n + sense] - 1) / (counts[sense] - 1);
      const other = sums[2 * n + 1 - sense] / counts[1 - sense];
      within += own / counts[sense] / 2;
      across += other / counts[sense] / 2;
      right += Math.abs(own - other) < same ? 0.5 : own > other ? 1 : 0;
    });
    return { within, across, share: right / (counts[0] + counts[1]) };
  });
}
