// The chapter's opening data in compact form: each number once, in flat lists, and the text of each token once.
import type { Guess, Look, Opening, Piece, Reading } from './protocol';

export interface PackedOpening extends Omit<Opening, 'reading'> {
  readonly tokens: readonly number[];
  /** Texts of the tokens. */
  readonly pieces: Readonly<Record<number, string>>;
  /** Guesses of each tile, layer by layer and position by position. */
  readonly guesses: readonly number[];
  readonly shares: readonly number[];
  /** Heads of each tile, one after another. */
  readonly to: readonly number[];
  readonly weights: readonly number[];
  readonly norms: readonly number[];
  readonly cost: Reading['cost'];
}

export function packed({ reading, ...rest }: Opening): PackedOpening {
  const { tokens, lens, looks, norms, cost } = reading;
  const guesses = lens.flat(2);
  const heads = looks.flat(2);
  return {
    ...rest,
    tokens: tokens.map(({ id }) => id),
    pieces: Object.fromEntries([...tokens, ...guesses].map(({ id, text }) => [id, text])),
    guesses: guesses.map(({ id }) => id),
    shares: guesses.map(({ p }) => p),
    to: heads.map(({ to }) => to),
    weights: heads.map(({ weight }) => weight),
    norms: norms.flat(),
    cost,
  };
}

/** Groups a list layer by layer, position by position, in equal parts. */
function tiles<T>(all: readonly T[], layers: number, places: number): T[][][] {
  const each = all.length / (layers * places);
  return Array.from({ length: layers }, (_, layer) =>
    Array.from({ length: places }, (__, place) => {
      const from = (layer * places + place) * each;
      return all.slice(from, from + each);
    }),
  );
}

export function unpacked(from: PackedOpening): Opening {
  const { tokens, pieces, guesses, shares, to, weights, norms, cost, ...rest } = from;
  const { layers } = rest.about.shape;
  const piece = (id: number): Piece => ({ id, text: pieces[id] });
  const guess = (id: number, i: number): Guess => ({ ...piece(id), p: shares[i] });
  const look = (place: number, i: number): Look => ({ to: place, weight: weights[i] });
  return {
    ...rest,
    reading: {
      tokens: tokens.map(piece),
      written: '',
      lens: tiles(guesses.map(guess), layers, tokens.length),
      looks: tiles(to.map(look), layers, tokens.length),
      norms: tiles(norms, layers, tokens.length).map((places) => places.flat()),
      cost,
      milliseconds: 0,
    },
  };
}
