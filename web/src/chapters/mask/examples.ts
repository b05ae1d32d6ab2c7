// Masks worth trying, as changes of the state.
import type { DrawnMask } from '../../compute/shared/lessons/mask-rules';
import type { MaskState } from '../../state/mask';

export const exampleIds = ['empty', 'past', 'prefix'] as const;
export type ExampleId = (typeof exampleIds)[number];

export function drawnFrom(size: number, hidden: (row: number, col: number) => boolean): DrawnMask {
  return {
    size,
    hidden: Array.from({ length: size * size }, (_, i) => hidden(Math.floor(i / size), i % size)),
  };
}

export function exampleOf(id: ExampleId, size: number): Partial<MaskState> {
  const pin = null;
  switch (id) {
    case 'empty':
      // The first key is hidden from all queries, and a causal mask leaves the first query no other.
      return {
        rules: ['causal', 'drawn'],
        drawn: drawnFrom(size, (_, col) => col === 0),
        hide: 'infinity',
        pin: { matrix: 'weights', row: 0, col: 0 },
      };
    case 'past':
      return { rules: ['window'], left: 2, right: 2, hide: 'infinity', pin };
    case 'prefix': {
      // The tokens of a prompt see the complete prompt, and those of an answer see the prompt and their own past.
      const prompt = Math.ceil(size / 2);
      return {
        rules: ['drawn'],
        drawn: drawnFrom(size, (row, col) => col > row && col >= prompt),
        hide: 'infinity',
        pin,
      };
    }
  }
}
