// The explanation of a cell's value, in parts that WhyBox sets: an equation with its numbers, and a sentence.
import { at } from '../compute/page/protocol';
import type { Place } from './grid';
import type { Drawn } from './matrix';
import { inText } from './format';
import figureText from '$texts/figures.yaml';

/** A part of an equation; `role` colours it, `raised` makes it an exponent. */
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
  /** Parts right of "=", before the value; empty if the value needs no explanation. */
  readonly parts: readonly Part[];
  readonly value: number;
  readonly note: string;
}

/** A cell's number and position; null for a cell that does not exist. */
export function foundAt(drawn: Drawn | null | undefined, { row, col }: Place) {
  if (!drawn || row >= drawn.matrix.rows || col >= drawn.matrix.cols) return null;
  return { drawn, row, col, value: at(drawn.matrix, row, col) };
}

/** The explanation of a cell, if the cell exists. */
export function whyAt(
  drawn: Drawn | null | undefined,
  cell: Place,
  explain: () => Pick<Why, 'parts' | 'note'>,
): Why | null {
  const found = foundAt(drawn, cell);
  return found && { ...found, ...explain() };
}

export interface Term {
  readonly a: number;
  readonly b: number;
}

/** Further terms are counted, not written, and so are those whose share of the largest is below `smallShare`. */
const longest = 8;
const smallShare = 5e-4;

export const plus: Part = { text: ' + ' };

export function factor(value: number, role: string): Part {
  return { text: value < 0 ? `(${inText(value)})` : inText(value), role };
}

/** a · b + a · b + ... */
export function sumOf(terms: readonly Term[], roleA: string, roleB: string): Part[] {
  const parts = terms
    .slice(0, longest)
    .flatMap(({ a, b }, index): Part[] => [
      ...(index > 0 ? [plus] : []),
      factor(a, roleA),
      { text: '·' },
      factor(b, roleB),
    ]);
  const more = terms.length - longest;
  if (more > 0) parts.push({ text: ` ${figureText.why.more({ n: more })}`, quiet: true });
  return parts;
}

/** The largest terms of a long sum, in their order, with the number of smaller ones and of zeros. */
export function largestOf(terms: readonly Term[], roleA: string, roleB: string): Part[] {
  const present = terms.filter(({ a, b }) => a !== 0 && b !== 0);
  const size = ({ a, b }: Term) => Math.abs(a * b);
  const bySize = [...present].sort((s, t) => size(t) - size(s)).slice(0, longest);
  const shown = new Set(bySize.filter((term) => !(size(term) < smallShare * size(bySize[0]))));
  const parts: Part[] = [];
  for (const term of present.filter((one) => shown.has(one))) {
    if (parts.length > 0) parts.push(plus);
    parts.push({ text: inText(term.a), role: roleA }, { text: '·' }, factor(term.b, roleB));
  }
  const more = present.length - shown.size;
  if (more > 0) parts.push({ text: ` ${figureText.why.smaller({ n: more })}`, quiet: true });
  const zeros = terms.length - present.length;
  if (present.length === 0) parts.push({ text: '0' });
  if (zeros > 0) parts.push({ text: ` ${figureText.why.zeros({ n: zeros })}`, quiet: true });
  return parts;
}
