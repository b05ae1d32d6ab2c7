// The state of chapter "Two towers" as its address holds it: #towers?mode=reverse&padding=1&...
import { modeIds } from '../compute/shared/handmade/towers-weights';
import { cell, cells, choice, codecOf, renamed, text, whole, yes, type StateOf } from './fields';

export const maskIds = ['sourceMask', 'targetMask', 'memoryMask'] as const;
export type MaskId = (typeof maskIds)[number];

/** Every matrix of the chapter's figures. */
const towersIds = [
  ...maskIds,
  ...(['sourceWeights', 'targetWeights', 'memoryWeights'] as const),
  ...(['q', 'k', 'v', 'scores', 'weights', 'heads'] as const),
  ...(['dot', 'dotWeights', 'additive', 'additiveWeights'] as const),
] as const;
export type TowersId = (typeof towersIds)[number];

export const maxWords = 8;
export const maxText = 160;
/** The decoder's input: the given target, or its own output. */
const feedIds = ['teacher', 'own'] as const;

const fields = {
  source: text('the red house by the lake', maxText),
  target: text('the red house by the lake', maxText),
  mode: choice(modeIds, 'place'),
  causal: yes(true),
  /** Number of the source's last words that are padding. */
  padding: whole(0, maxWords, 0),
  /** The padding is hidden from the decoder, too. */
  hides: yes(true),
  /** Cells of the masks that the visitor has flipped. */
  flips: cells(maskIds, 3 * maxWords * maxWords),
  /** Number of words written, in the figure about steps. */
  step: whole(1, maxWords, 3),
  feed: choice(feedIds, 'teacher'),
  /** The pinned word in the figure of both towers, from 1: one of the decoder's, else one of the encoder's; 0: none. */
  asks: whole(0, maxWords, 0),
  asked: whole(0, maxWords + 1, 0),
  /** The attention whose arcs are all shown there. */
  whole: choice(['none', 'source', 'target', 'memory'], 'none'),
  pin: cell(towersIds),
  additivePin: renamed('apin', cell(towersIds)),
};

export type TowersState = StateOf<typeof fields>;
export const { defaults, decode, encode } = codecOf(fields);
