// Sources of this chapter's Q, K and V: the core's random numbers, or one of chapter Attend's heads applied to a text.
import type { Given } from '../../compute/worker/lessons/longer';
import { numerals, type Axis } from '../../figures/matrix';
import {
  contentWidth,
  headWeights,
  positions,
  table,
} from '../../compute/shared/handmade/attend-heads';
import type { Source } from '../../state/longer';

const sentence = 'the cat saw the dog chase the cat and the dog saw the cat run away';
const words = sentence.split(' ');
const distinct = [...new Set(words)];

/** The words of the text, repeated as often as needed. */
export function tokensOf(count: number): string[] {
  return Array.from({ length: count }, (_, i) => words[i % words.length]);
}

const randomWidth = 4;

export function givenOf(source: Source, seed: number, tokens: number): Given {
  if (source === 'random') return { kind: 'random', seed, tokens, width: randomWidth };
  const { wq, wk, wv } = headWeights(source, contentWidth, true);
  return {
    kind: 'head',
    request: {
      content: {
        kind: 'tokens',
        ids: tokensOf(tokens).map((token) => distinct.indexOf(token)),
        table,
      },
      positions,
      weights: { q: wq, k: wk, v: wv },
      causal: false,
    },
  };
}

/** Numbers for random vectors, words for those of a text. */
export function tokenAxis(source: Source, count: number, title: string): Axis {
  if (source === 'random') return numerals(count, title);
  const tokens = tokensOf(count);
  return {
    title,
    names: tokens.map((token, i) => `${i + 1} ${token}`),
    short: tokens,
    words: true,
  };
}

/** A part of an axis. */
export function cut(axis: Axis, from: number, to: number): Axis {
  return { ...axis, names: axis.names.slice(from, to), short: axis.short.slice(from, to) };
}
