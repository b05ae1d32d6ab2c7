// Permutations of the words: order[i] is the old position of word i in the new text.
import type { OrderId } from '../../state/block';

export function orderOf(id: OrderId, count: number): number[] {
  const places = Array.from({ length: count }, (_, i) => i);
  switch (id) {
    case 'asItIs':
      return places;
    case 'reverse':
      return places.reverse();
    case 'rotate':
      return [...places.slice(1), 0];
    case 'shuffle':
      // Odd positions first, then the even ones in reverse: no word stays beside its neighbour.
      return [...places.filter((i) => i % 2 === 1), ...places.filter((i) => i % 2 === 0).reverse()];
  }
}
