// The visitor's input, words or numbers, and the label of each row.
import type { MatrixData } from '../compute/page/protocol';
import { visible, type Tokens } from './tokens';

/** The input, in a form that can be computed with. */
export type Entered = Tokens | { readonly kind: 'numbers'; readonly matrix: MatrixData };

/** Equal tokens are told apart by their position: the₁, the₄. */
export function labelsOf(entered: Entered): string[] {
  if (entered.kind === 'numbers') {
    return Array.from({ length: entered.matrix.rows }, (_, row) => String(row + 1));
  }
  const { tokens } = entered;
  const subscript = (n: number) => String(n).replace(/\d/gu, (digit) => '₀₁₂₃₄₅₆₇₈₉'[+digit]);
  return tokens.map((token, place) => {
    const repeated = tokens.indexOf(token) !== tokens.lastIndexOf(token);
    return visible(token) + (repeated ? subscript(place + 1) : '');
  });
}
