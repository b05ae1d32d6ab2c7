// Deeper sections are folded behind their ledes until a visitor unfolds them, and stay unfolded at later visits. A link
// to a state unfolds all, since the state may be theirs.
import { veils } from '../figures/veils.svelte';
import { KeptNames } from '../state/kept';

const unfolded = new KeptNames('tril.deeper');

export const deeper = {
  has: (name: string): boolean => veils.linked || unfolded.has(name),
  open: (name: string): void => unfolded.add(name),
};
