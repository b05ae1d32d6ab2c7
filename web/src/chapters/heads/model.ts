import type { HeadsAsk } from '../../compute/worker/lessons/heads';
import { openChapter, useChapter } from '../../shell/chapter.svelte';
import { decode, encode, mostTokens, type HeadsState } from '../../state/heads';
import { labelsOf } from '../../entered/labels';
import { tokenize } from '../../entered/tokens';
import text from '$texts/heads.yaml';

export const provideModel = () => openChapter<HeadsState>({ encode, decode });
export const useModel = () => useChapter<HeadsState>();

export interface Sequence {
  /** Ids of the typed tokens, without the start sign. */
  readonly ids: readonly number[];
  /** Distinct labels of the current sequence, start sign first. */
  readonly labels: readonly string[];
  /** The tokens themselves, by id. */
  readonly distinct: readonly string[];
  /** Ids of that sequence's tokens; null for the start sign. */
  readonly order: readonly (number | null)[];
  readonly found: number;
}

export function sequenceOf(typed: string, batch: number): Sequence {
  const all = tokenize(typed, 'words');
  const tokens = all.tokens.slice(0, mostTokens);
  const ids = all.ids.slice(0, mostTokens);
  const turned = batch === 2;
  const ordered = turned ? [...tokens].reverse() : tokens;
  const order = turned ? [...ids].reverse() : ids;
  const labels = labelsOf({ ...all, tokens: ordered, ids: order });
  return {
    ids,
    labels: [text.startSign, ...labels],
    distinct: all.distinct,
    order: [null, ...order],
    found: all.found,
  };
}

/** Null if there are no words. */
export function askOf({ text: typed, batch, writers }: HeadsState): HeadsAsk | null {
  const { ids } = sequenceOf(typed, batch);
  return ids.length > 0 ? { ids, batch: batch - 1, writers } : null;
}
