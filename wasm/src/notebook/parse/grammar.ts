// Lezer's grammar of Python. The only file that sees it: build.mjs bundles it into the package.
import { parser } from '@lezer/python';

/** A node of the tree that the grammar gives. */
export interface SyntaxNode {
  /** `BinaryExpression`, or the text itself of words and signs; `⚠` where something does not fit. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly firstChild: SyntaxNode | null;
  readonly nextSibling: SyntaxNode | null;
}

/** A point that ends a number, as in `1. / x`, which the grammar takes for one before a name. */
const lastPoint = /(?<![\w.])(\d[\d_]*)\.(?=e[+-]?\d|[^\w.]|$)/gi;

/** The tree, whose places are those of the code: for the grammar a 0 stands where a number's last point is. */
export const parseTree = (code: string): SyntaxNode =>
  parser.parse(code.replace(lastPoint, '$10')).topNode;
