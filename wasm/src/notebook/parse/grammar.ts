// Lezer's grammar of Python. Only this file imports it: build.mjs bundles it into the package.
import { parser } from '@lezer/python';

/** A node of the grammar's tree. */
export interface SyntaxNode {
  /** `BinaryExpression`, or the text itself for words and signs; `⚠` at a syntax error. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly firstChild: SyntaxNode | null;
  readonly nextSibling: SyntaxNode | null;
}

/**
 * A point that ends a number, as in `1. / x`, which the grammar would take for an attribute's
 * point.
 */
const lastPoint = /(?<![\w.])(\d[\d_]*)\.(?=e[+-]?\d|[^\w.]|$)/gi;

/** The syntax tree, with positions in the code: the grammar sees a 0 in place of a number's trailing point. */
export const parseTree = (code: string): SyntaxNode =>
  parser.parse(code.replace(lastPoint, '$10')).topNode;
