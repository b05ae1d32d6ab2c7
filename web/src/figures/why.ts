// Why a cell has its value, in pieces that WhyBox sets: an equation with its numbers, and a sentence.
import type { Drawn } from './matrix';
import { inText } from './format';
import { figureText } from './text';

/** A piece of an equation; `role` colours it, `raised` makes it an exponent. */
export interface Part {
  readonly text: string;
  readonly role?: string;
  readonly raised?: boolean;
  readonly quiet?: boolean;
}

export interface Why {
  readonly drawn: Drawn;
  readonly row: number;
  readonly col: number;
  /** Right of "=", before the value; empty where the value stands for itself. */
  readonly parts: readonly Part[];
  readonly value: number;
  readonly note: string;
}

export interface Term {
  readonly a: number;
  readonly b: number;
}

/** Terms beyond so many are counted, not written. */
const longest = 8;

export function factor(value: number, role: string): Part {
  return { text: value < 0 ? `(${inText(value)})` : inText(value), role };
}

/** a · b + a · b + ... */
export function sumOf(terms: readonly Term[], roleA: string, roleB: string): Part[] {
  const parts = terms
    .slice(0, longest)
    .flatMap(({ a, b }, index): Part[] => [
      ...(index > 0 ? [{ text: ' + ' }] : []),
      factor(a, roleA),
      { text: '·' },
      factor(b, roleB),
    ]);
  const more = terms.length - longest;
  if (more > 0) parts.push({ text: figureText.why.more(more), quiet: true });
  return parts;
}
