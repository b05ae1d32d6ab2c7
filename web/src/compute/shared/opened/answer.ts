// The answer to a question about a text: the number of tokens left, and the likeliest of all.
import type { Next } from './protocol';

export interface Answer {
  readonly kept: number;
  readonly word: string;
  readonly p: number;
}

export const answerOf = ({ kept, bars: [{ text, plain }] }: Next): Answer => ({
  ...{ kept, word: text, p: plain },
});
