// Words with a vector each, and queries about them: neighbours, analogies, a map.
import type { Tensor, Tril } from 'tril';
import * as meaning from '../../../../../models/meaning.mjs';
import { costData } from '../lessons/matrices';
import type { Analogy, Direction, Neighbour, Place, WordsQuery, WordsView } from './protocol';

interface Table {
  readonly words: readonly string[];
  readonly index: ReadonlyMap<string, number>;
  /** [N, C], rows of length 1. */
  readonly unit: Tensor;
}

/** Number of neighbours in the list, on the map for the word and for each beside it, and of an analogy. */
export const listed = 12;
const around = [10, 6];
export const guesses = 5;

export const indexOf = (words: readonly string[]): ReadonlyMap<string, number> =>
  new Map(words.map((word, i) => [word, i]));

/** Reads a file of `tril vectors`: vectors, and the words in the metadata. */
export async function tableOf(tril: Tril, file: Uint8Array): Promise<Table> {
  const view = new DataView(file.buffer, file.byteOffset);
  const header = file.subarray(8, 8 + Number(view.getBigUint64(0, true)));
  const { __metadata__: metadata } = JSON.parse(new TextDecoder().decode(header)) as {
    __metadata__: { words: string };
  };
  const words = JSON.parse(metadata.words) as string[];
  const [{ tensor }] = await tril.readArrays(file, 'vectors.safetensors');
  const unit = meaning.unitRows(tril, tensor);
  tensor.dispose();
  return { words, index: indexOf(words), unit };
}

/** The rows of the words that have one. */
const rowsOf = (tril: Tril, { index, unit }: Table, words: readonly string[]) =>
  meaning.rowsOf(
    tril,
    unit,
    words.map((word) => index.get(word)!),
  );

function neighboursOf(tril: Tril, table: Table, row: Tensor, count: number, own: string[]) {
  const without = own.map((word) => table.index.get(word)!);
  return meaning
    .nearest(tril, table.unit, row, count, without)
    .map(({ index, cosine }): Neighbour => ({ word: table.words[index], cosine }));
}

/** The words nearest to b - a + c, without these three. */
function analogyOf(tril: Tril, table: Table, analogy: Analogy): readonly Neighbour[] | null {
  if (!analogy.every((word) => table.index.has(word))) return null;
  const [a, b, c] = analogy.map((word) => rowsOf(tril, table, [word]));
  const sum = tril.add(tril.subtract(b, a), c);
  return neighboursOf(tril, table, sum, guesses, [...analogy]);
}

/** Coordinates of words in two directions: the principal ones of these words, or those between given words. */
function mapOf(tril: Tril, table: Table, words: readonly string[], axes: WordsQuery['axes']) {
  const rows = rowsOf(tril, table, words);
  const middle = meaning.centred(tril, rows);
  if (!axes) {
    const { directions, share } = meaning.principal(tril, middle);
    const places = tril.matmul(middle, directions, { transposeB: true }).read();
    return { places, share };
  }
  const along = ([to, from]: Direction) =>
    meaning.unitRows(tril, tril.subtract(rowsOf(tril, table, [to]), rowsOf(tril, table, [from])));
  const [across, up] = axes.map((direction) =>
    tril.matmul(rows, along(direction), { transposeB: true }).read(),
  );
  const places = new Float32Array(2 * words.length);
  words.forEach((_, i) => places.set([across[i], up[i]], 2 * i));
  return { places, share: NaN };
}

/** All data for the figures. Temporary tensors are disposed of. */
export function viewOf(tril: Tril, table: Table, query: WordsQuery): WordsView {
  return tril.scope(() => {
    const { word, beside, axes } = query;
    const known = (one: string) => table.index.has(one);
    const asked = [...new Set([word, ...beside])];
    const wanted = [...asked, ...(axes?.flat() ?? [])];
    const shown = asked.filter(known);
    const map = new Map<string, Omit<Place, 'x' | 'y'>>();
    for (const one of shown) map.set(one, { word: one, near: asked.indexOf(one), asked: true });
    let neighbours: readonly Neighbour[] = [];
    for (const one of shown) {
      const near = asked.indexOf(one);
      const row = rowsOf(tril, table, [one]);
      const found = neighboursOf(tril, table, row, listed, [one]);
      if (near === 0) neighbours = found;
      for (const { word: other } of found.slice(0, around[near > 0 ? 1 : 0])) {
        if (!map.has(other)) map.set(other, { word: other, near, asked: false });
      }
    }
    const words = [...map.keys()];
    const usable = !axes || axes.flat().every(known);
    const drawn =
      words.length > 2 && usable ? mapOf(tril, table, words, axes) : { places: null, share: NaN };
    const { places, share } = drawn;
    const [count, width] = table.unit.shape;
    const cosines = known(word)
      ? tril
          .matmul(rowsOf(tril, table, shown), rowsOf(tril, table, [word]), { transposeB: true })
          .read()
      : [];
    return {
      query,
      unknown: [...new Set(wanted)].filter((one) => !known(one)),
      neighbours,
      map: places
        ? words.map((one, i) => ({ ...map.get(one)!, x: places[2 * i], y: places[2 * i + 1] }))
        : [],
      share,
      cosines: shown.flatMap((one, i) =>
        one === word || !known(word) ? [] : [{ word: one, cosine: cosines[i] }],
      ),
      analogies: query.analogies.map((one) => analogyOf(tril, table, one)),
      cost: costData(tril, tril.cost.matmul({ rows: count, depth: width, cols: 1 })),
    };
  });
}
