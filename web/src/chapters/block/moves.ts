// The ways of moving the words: order[i] is the place that word i of the new text had.
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
      // Odd places first, then the even ones backwards: no word stays beside its neighbour.
      return [...places.filter((i) => i % 2 === 1), ...places.filter((i) => i % 2 === 0).reverse()];
  }
}
