// The choices of chapter "Mask".

export const ruleIds = ['causal', 'padding', 'window', 'strided', 'drawn'] as const;
export type RuleId = (typeof ruleIds)[number];

/** The treatment of hidden cells: −∞ or a large number added, the score set to 0, or the weight set to 0. */
export const hideIds = ['infinity', 'large', 'zero', 'after'] as const;
export type HideId = (typeof hideIds)[number];

export const scoreIds = ['random', 'same', 'equal'] as const;
export type ScoreId = (typeof scoreIds)[number];

/** Values that overwrite the future tokens. */
export const garbageIds = ['other', 'huge', 'nan'] as const;
export type GarbageId = (typeof garbageIds)[number];

export const blockPatterns = ['full', 'causal', 'window', 'strided', 'padding'] as const;
export type BlockPattern = (typeof blockPatterns)[number];
/** Number of tokens, in blocks of 64 queries by 128 keys. */
export const blockLengths = [256, 512, 1024, 2048] as const;
export const blockSize = { queries: 64, keys: 128 } as const;

/** A mask drawn by hand. */
export interface DrawnMask {
  readonly size: number;
  /** [size, size], row by row. */
  readonly hidden: readonly boolean[];
}

/** Whether a drawn mask hides a cell. The number of tokens may have changed: cells outside of the mask are visible. */
export function hides({ size, hidden }: DrawnMask, row: number, col: number): boolean {
  return row < size && col < size && hidden[row * size + col];
}

/** The rules that apply, all at once, and their numbers. */
export interface MaskRules {
  readonly rules: readonly RuleId[];
  /** Number of real keys: the rest is padding. */
  readonly length: number;
  readonly left: number;
  readonly right: number;
  readonly local: number;
  readonly stride: number;
  readonly drawn: DrawnMask | null;
}
