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

export const parseTree = (code: string): SyntaxNode => parser.parse(code).topNode;
