// Chapter "Mask" computed in Node: its random head.
import { contentOf, idsOf, positionOf, tril } from '../oracle.ts';

const words = 'the cat saw the dog chase the cat'.split(' ');
export const size = words.length;
export const input = idsOf(words).map((id, place) => [1, ...contentOf(id), ...positionOf(place)]);

/** Q, K and V of the chapter's random head, seed 1, for any input. */
export async function headOf(rows: number[][]) {
  const core = await tril();
  return [3, 4, 5].map((seed) => {
    const weight = core.randomUniform([4, rows[0].length], { seed, low: -0.8, high: 0.8 });
    return core.linear(core.tensor(rows), weight);
  });
}
