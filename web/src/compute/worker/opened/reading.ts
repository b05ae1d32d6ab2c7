// A text as a model reads it: its tokens, the prediction after each layer, and the attention of every head.
import type { Tensor, Tril } from 'tril';
import { forwardCost } from './forward-cost';
import type { Guess, Look, Piece, Reading, TextAsk } from '../../shared/opened/protocol';
import type { Opened } from './work';
import { placesOf } from './shape';

/** Number of guesses at a position. */
const guesses = 5;

/** All tokens; without a tokenizer a text is a list of ids. */
export function tokensOf({ model, tokenizer }: Opened, { text, then }: TextAsk): number[] {
  const ids = tokenizer ? [...model.encode(text)] : (text.match(/\d+/gu) ?? []).map(Number);
  return [...ids, ...then];
}

/** A token that precedes others, and its text. */
interface Before {
  readonly ids: readonly number[];
  readonly text: string;
}
const letters = new WeakMap<Opened['model'], Before>();

/** A letter in the model's own tokens. */
function letterOf(model: Opened['model']): Before {
  let found = letters.get(model);
  if (!found) {
    const ids = [...model.encode('a')].slice(-1);
    letters.set(model, (found = { ids, text: model.decode(ids) }));
  }
  return found;
}

/** The text of tokens after others: at its beginning, a text loses the leading space of words in Llama's tokenizers. */
function writtenBehind(model: Opened['model'], before: Before, ids: readonly number[]): string {
  const all = model.decode([...before.ids, ...ids]);
  return all.startsWith(before.text) ? all.slice(before.text.length) : model.decode([...ids]);
}

export const pieceOf = ({ model, tokenizer }: Opened, id: number): Piece => ({
  id,
  text: tokenizer ? writtenBehind(model, letterOf(model), [id]) : ` ${id}`,
});
export const piecesOf = (opened: Opened, ids: readonly number[]): Piece[] =>
  ids.map((id) => pieceOf(opened, id));

/** Indices of the largest values in descending order; the first of equal ones. */
export function largest(values: ArrayLike<number>, count: number): number[] {
  const found: number[] = [];
  for (let i = 0; i < values.length; ++i) {
    if (found.length === count && !(values[i] > values[found[count - 1]])) continue;
    let at = found.length;
    while (at > 0 && values[i] > values[found[at - 1]]) --at;
    found.splice(at, 0, i);
    if (found.length > count) found.pop();
  }
  return found;
}

function lensOf(opened: Opened, logits: Tensor): Guess[][] {
  const [tokens, vocabulary] = logits.shape;
  const shares = opened.tril.softmax(logits).read();
  return Array.from({ length: tokens }, (_, t) => {
    const row = shares.subarray(t * vocabulary, (t + 1) * vocabulary);
    return largest(row, guesses).map((id) => ({ ...pieceOf(opened, id), p: row[id] }));
  });
}

/** Position by position, the largest weight of each head; the first of equal ones. */
function looksOf(weights: Tensor): Look[][] {
  const [heads, tokens] = weights.shape;
  const all = weights.read();
  return Array.from({ length: tokens }, (_, place) =>
    Array.from({ length: heads }, (__, head) => {
      const from = (head * tokens + place) * tokens;
      const [to] = largest(all.subarray(from, from + place + 1), 1);
      return { to, weight: all[from + to] };
    }),
  );
}

/** The norm of each row. */
function lengthsOf(tril: Tril, rows: Tensor): number[] {
  return [...tril.sqrt(tril.sum(tril.multiply(rows, rows), { axis: -1 })).read()];
}

/** The text of the tokens after the given text. */
function writtenOf({ model, tokenizer }: Opened, ids: readonly number[], count: number): string {
  const [before, then] = [ids.slice(0, ids.length - count), ids.slice(ids.length - count)];
  if (!tokenizer) return then.map((id) => ` ${id}`).join('');
  return writtenBehind(model, { ids: before, text: model.decode(before) }, then);
}

export function readingOf(opened: Opened, ask: TextAsk): Reading {
  const { tril, model, shape } = opened;
  const ids = tokensOf(opened, ask);
  const most = placesOf(shape);
  if (ids.length > most) throw new Error(`The text has ${ids.length} tokens, more than ${most}.`);
  return tril.scope(() => {
    const begin = performance.now();
    const { trace } = model.forward(ids, { ...ask.changes, trace: { scores: false } });
    const milliseconds = performance.now() - begin;
    const { layers } = trace!;
    return {
      tokens: piecesOf(opened, ids),
      written: writtenOf(opened, ids, ask.then.length),
      lens: layers.map(({ logits }) => lensOf(opened, logits!)),
      looks: layers.map(({ weights }) => looksOf(weights)),
      weights: layers.map(({ weights }) => weights.read()),
      norms: layers.map(({ residPost }) => lengthsOf(tril, residPost)),
      cost: forwardCost(tril, shape, { rows: ids.length, tokens: ids.length }),
      milliseconds,
    };
  });
}
