// The query to the core about a text and a block.
import type { BlockAsk } from '../compute/worker/lessons/block';
import type { BlockCall } from '../compute/worker/lessons/calls';
import { maxTokens, type BlockState } from '../state/block';
import { tokenize } from './tokens';

/** The words of the text, as many as fit; at least one. */
export function tokensOf(text: string): readonly string[] {
  const tokens = tokenize(text, 'words').tokens.slice(0, maxTokens);
  return tokens.length > 0 ? tokens : ['…'];
}

/** The query to the core about a state. */
export function askOf(state: BlockState): BlockAsk {
  const tokens = tokensOf(state.text);
  const distinct = [...new Set(tokens)];
  return {
    ids: tokens.map((token) => distinct.indexOf(token)),
    edits: state.edits,
    positions: state.positions,
    norm: state.norm,
    activation: state.activation,
    causal: state.mask === 'causal',
    off: state.off,
    seed: state.seed,
  };
}

/** The parameters on which the cost of a block depends. */
export function callOf(state: BlockState): BlockCall {
  const { ids, norm, activation, causal } = askOf(state);
  return { tokens: ids.length, norm, activation, causal };
}
