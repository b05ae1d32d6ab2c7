// The state of chapter "Mask" as its address holds it: #mask?text=...&rules=causal,window&drawn=8.01030...&...
import * as v from 'valibot';
import {
  blockLengths,
  blockPatterns,
  garbageIds,
  hideIds,
  ruleIds,
  scoreIds,
  type RuleId,
} from '../compute/shared/lessons/mask-rules';
import type { Cell } from './cell';
import {
  cell,
  choice,
  codecOf,
  list,
  renamed,
  text,
  whole,
  yes,
  type Field,
  type StateOf,
} from './fields';
import { drawnMask } from './drawn-mask';

export const maskIds = ['scores', 'mask', 'masked', 'weights', 'values', 'output'] as const;
const futureIds = ['before', 'after'] as const;
export type MaskCell = Cell<(typeof maskIds)[number]>;

export const mostTokens = 12;
const maxText = 600;

const several = list<RuleId>(choice(ruleIds, 'causal'), ',', ruleIds.length, true);
/** Each rule once, in the order in which they were chosen. */
const rules: Field<readonly RuleId[]> = {
  ...several,
  usual: ['causal'],
  read: v.pipe(
    several.read,
    v.check((found) => new Set(found).size === found.length),
  ),
};

const fields = {
  text: text('the cat saw the dog chase the cat', maxText),
  by: choice(['words', 'characters', 'numbers'], 'words'),
  rules,
  length: whole(1, mostTokens, 6),
  left: whole(0, mostTokens, 2),
  right: whole(0, mostTokens, 0),
  local: whole(1, mostTokens, 2),
  stride: whole(1, mostTokens, 3),
  drawn: drawnMask(mostTokens),
  hide: choice(hideIds, 'infinity'),
  scores: choice(scoreIds, 'random'),
  seed: whole(1, 999, 1),
  pin: cell(maskIds),
  /** The first token of the future that is overwritten. */
  cut: whole(1, mostTokens - 1, 5),
  garbage: choice(garbageIds, 'other'),
  overwritten: yes(false, ['true', 'false']),
  futurePin: renamed('at', cell(futureIds)),
  pattern: choice(blockPatterns, 'causal'),
  /** Index into blockLengths. */
  size: whole(0, blockLengths.length - 1, 1),
};

export type MaskState = StateOf<typeof fields>;
export const { defaults, decode, encode } = codecOf(fields);
