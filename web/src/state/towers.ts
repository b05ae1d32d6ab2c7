// The state of chapter "Two towers" as its address holds it: #towers?mode=reverse&padding=1&...
import * as v from 'valibot';
import { modeIds, type ModeId } from '../compute/handmade/towers-weights';
import type { Cell } from './cell';
import { cell, decodeFields, encodeFields, whole, type Fields } from './fields';

export const maskIds = ['sourceMask', 'targetMask', 'memoryMask'] as const;
export type MaskId = (typeof maskIds)[number];

/** Every matrix of the chapter's figures. */
export const towersIds = [
  ...maskIds,
  ...(['sourceWeights', 'targetWeights', 'memoryWeights', 'sourceMasked'] as const),
  ...(['targetMasked', 'q', 'k', 'v', 'scores', 'weights', 'heads'] as const),
  ...(['atOnce', 'byStep', 'gap', 'dot', 'dotWeights', 'additive', 'additiveWeights'] as const),
] as const;
export type TowersId = (typeof towersIds)[number];
export type TowersCell = Cell<TowersId>;

export interface TowersState {
  readonly source: string;
  readonly target: string;
  readonly mode: ModeId;
  readonly causal: boolean;
  /** How many of the source's words, the last ones, are padding. */
  readonly padding: number;
  /** The padding is hidden from the decoder, too. */
  readonly hides: boolean;
  /** Cells of the masks that the visitor has turned over. */
  readonly flips: readonly Cell<MaskId>[];
  /** Words that have been written, of the figure about steps. */
  readonly step: number;
  /** What the decoder reads: the target as it is given, or what it has written itself. */
  readonly feed: 'teacher' | 'own';
  readonly pin: TowersCell | null;
  readonly apin: TowersCell | null;
}

export const maxWords = 8;
export const maxText = 160;

export const defaults: TowersState = {
  source: 'the red house by the lake',
  target: 'the red house by the lake',
  mode: 'place',
  causal: true,
  padding: 0,
  hides: true,
  flips: [],
  step: 3,
  feed: 'teacher',
  pin: null,
  apin: null,
};

const words = v.pipe(v.string(), v.maxLength(maxText));
const yes = v.pipe(
  v.picklist(['yes', 'no']),
  v.transform((text) => text === 'yes'),
);

const fields: Fields<TowersState> = {
  source: words,
  target: words,
  mode: v.picklist(modeIds),
  causal: yes,
  padding: whole(0, maxWords),
  hides: yes,
  flips: v.pipe(
    v.string(),
    v.transform((text) => text.split('!')),
    v.array(cell(maskIds)),
    v.maxLength(3 * maxWords * maxWords),
  ),
  step: whole(1, maxWords),
  feed: v.picklist(['teacher', 'own']),
  pin: cell(towersIds),
  apin: cell(towersIds),
};

export function decode(query: string) {
  return decodeFields(fields, defaults, query);
}

const cellText = (one: Cell | null) => (one ? `${one.matrix}.${one.row}.${one.col}` : '');
const yesText = (value: boolean) => (value ? 'yes' : 'no');

export function encode(state: TowersState): string {
  return encodeFields<TowersState>(
    {
      source: String,
      target: String,
      mode: String,
      causal: yesText,
      padding: String,
      hides: yesText,
      flips: (flips) => flips.map(cellText).join('!'),
      step: String,
      feed: String,
      pin: cellText,
      apin: cellText,
    },
    defaults,
    state,
  );
}
