// What the visitor has typed, as a row of X each: words, characters or numbers, the first ones only.
import type { Content } from '../../compute/page/protocol';
import { contentOf } from '../../entered/attend';
import { parseNumbers, type NumbersProblem } from '../../entered/numbers';
import { labelsOf, type Entered } from '../../entered/labels';
import { tokenize, type TextMode } from '../../entered/tokens';

export interface Typed {
  /** Null where it cannot be read, and where there is nothing. */
  readonly content: Content | null;
  /** All different. */
  readonly labels: readonly string[];
  readonly words: boolean;
  /** How many there were before the cut. */
  readonly found: number;
  readonly problem: NumbersProblem | null;
}

const none = { content: null, labels: [], words: true, found: 0, problem: null } as const;

export function typedOf(text: string, by: TextMode | 'numbers', most: number): Typed {
  let entered: Entered;
  let found: number;
  if (by === 'numbers') {
    const numbers = parseNumbers(text);
    if (numbers.kind === 'problem') return { ...none, problem: numbers.problem };
    const { cols, data } = numbers.matrix;
    const rows = Math.min(most, numbers.matrix.rows);
    found = numbers.found.rows;
    entered = { kind: 'numbers', matrix: { rows, cols, data: data.slice(0, rows * cols) } };
    if (data.length === 0) return none;
  } else {
    const all = tokenize(text, by);
    found = all.found;
    entered = { ...all, tokens: all.tokens.slice(0, most), ids: all.ids.slice(0, most) };
    if (found === 0) return none;
  }
  const words = entered.kind === 'tokens';
  return { content: contentOf(entered), labels: labelsOf(entered), words, found, problem: null };
}
