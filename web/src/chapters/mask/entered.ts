// The visitor's input as rows of X: words, characters or numbers, only the first ones.
import type { Content } from '../../compute/page/protocol';
import { contentOf } from '../../entered/attend';
import { parseNumbers, type NumbersProblem } from '../../entered/numbers';
import { labelsOf, type Entered } from '../../entered/labels';
import { tokenize, type TextMode } from '../../entered/tokens';

export interface Typed {
  /** Null if it cannot be read, or is empty. */
  readonly content: Content | null;
  /** Labels of the rows, all distinct. */
  readonly labels: readonly string[];
  readonly words: boolean;
  /** Number of rows before the cut. */
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
