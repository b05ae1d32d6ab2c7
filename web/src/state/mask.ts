// The state of chapter "Mask" as its address holds it: #mask?text=...&rules=causal,window&drawn=8.01030...&...
import * as v from 'valibot';
import {
  blockLengths,
  blockPatterns,
  garbageIds,
  hideIds,
  ruleIds,
  scoreIds,
  type BlockPattern,
  type GarbageId,
  type HideId,
  type MaskRules,
  type ScoreId,
} from '../compute/lessons/mask-rules';
import type { Cell } from './cell';
import { cell, decodeFields, encodeFields, whole, type Fields } from './fields';
import { drawnMask, drawnText } from './drawn-mask';

export const maskIds = ['scores', 'mask', 'masked', 'weights', 'values', 'output'] as const;
export const futureIds = ['before', 'after'] as const;
export type MaskCell = Cell<(typeof maskIds)[number]>;
export type FutureCell = Cell<(typeof futureIds)[number]>;

export interface MaskState extends MaskRules {
  readonly text: string;
  readonly by: 'words' | 'characters' | 'numbers';
  readonly hide: HideId;
  readonly scores: ScoreId;
  readonly seed: number;
  readonly pin: MaskCell | null;
  /** The first token of the future that is overwritten. */
  readonly cut: number;
  readonly garbage: GarbageId;
  readonly overwritten: boolean;
  readonly at: FutureCell | null;
  readonly pattern: BlockPattern;
  /** Index into blockLengths. */
  readonly size: number;
}

export const mostTokens = 12;
const maxText = 600;

export const defaults: MaskState = {
  text: 'the cat saw the dog chase the cat',
  by: 'words',
  rules: ['causal'],
  length: 6,
  left: 2,
  right: 0,
  local: 2,
  stride: 3,
  drawn: null,
  hide: 'infinity',
  scores: 'random',
  seed: 1,
  pin: null,
  cut: 5,
  garbage: 'other',
  overwritten: false,
  at: null,
  pattern: 'causal',
  size: 1,
};

const fields: Fields<MaskState> = {
  text: v.pipe(v.string(), v.maxLength(maxText)),
  by: v.picklist(['words', 'characters', 'numbers']),
  rules: v.pipe(
    v.string(),
    v.transform((text) => (text === '' ? [] : text.split(','))),
    v.array(v.picklist(ruleIds)),
    v.check((rules) => new Set(rules).size === rules.length),
  ),
  length: whole(1, mostTokens),
  left: whole(0, mostTokens),
  right: whole(0, mostTokens),
  local: whole(1, mostTokens),
  stride: whole(1, mostTokens),
  drawn: drawnMask(mostTokens),
  hide: v.picklist(hideIds),
  scores: v.picklist(scoreIds),
  seed: whole(1, 999),
  pin: cell(maskIds),
  cut: whole(1, mostTokens - 1),
  garbage: v.picklist(garbageIds),
  overwritten: v.pipe(
    v.picklist(['true', 'false']),
    v.transform((text) => text === 'true'),
  ),
  at: cell(futureIds),
  pattern: v.picklist(blockPatterns),
  size: whole(0, blockLengths.length - 1),
};

export const decode = (query: string) => decodeFields(fields, defaults, query);

const place = (one: Cell | null) => (one ? `${one.matrix}.${one.row}.${one.col}` : '');

export function encode(state: MaskState): string {
  return encodeFields<MaskState>(
    {
      text: String,
      by: String,
      rules: (rules) => rules.join(','),
      length: String,
      left: String,
      right: String,
      local: String,
      stride: String,
      drawn: (drawn) => (drawn ? drawnText(drawn) : ''),
      hide: String,
      scores: String,
      seed: String,
      pin: place,
      cut: String,
      garbage: String,
      overwritten: String,
      at: place,
      pattern: String,
      size: String,
    },
    defaults,
    state,
  );
}
