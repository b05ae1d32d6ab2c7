// Converts text to tokens, in any script, and tokens to numbers in order of first appearance.
import { segmentsOf } from '../figures/segments';

export type TextMode = 'words' | 'characters';

/** 64 tokens: the longest clock hand turns once, and three digits in base 4 number them all. */
export const maxTokens = 64;

export interface Tokens {
  readonly kind: 'tokens';
  /** The first tokens, 64 at most. */
  readonly tokens: readonly string[];
  /** The number of each token: equal tokens have equal numbers. */
  readonly ids: readonly number[];
  readonly distinct: readonly string[];
  /** Number of tokens before the cut. */
  readonly found: number;
}

/** Words, punctuation marks and emoji, one by one, without the space between them; or user-perceived characters. */
function split(text: string, mode: TextMode): string[] {
  const whole = text.normalize('NFC').trim();
  if (mode === 'characters') return segmentsOf(whole, 'grapheme');
  return segmentsOf(whole, 'word').filter((segment) => segment.trim() !== '');
}

export function tokenize(text: string, mode: TextMode): Tokens {
  const all = split(text, mode);
  const tokens = all.slice(0, maxTokens);
  const distinct = [...new Set(tokens)];
  const ids = tokens.map((token) => distinct.indexOf(token));
  return { kind: 'tokens', tokens, ids, distinct, found: all.length };
}

/** A token as a label shows it: white space gets a sign. */
export function visible(token: string): string {
  if (token.trim() !== '') return token;
  return token.includes('\n') ? '⏎' : token === '\t' ? '⇥' : '␣';
}
