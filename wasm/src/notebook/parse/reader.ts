// The common base of readers of statements and expressions: text, lines, children, and errors with a
// line.
import { outside, Raised } from '../language/errors.js';
import type { SyntaxNode } from './grammar.js';

/** Maximum depth of brackets, operators and blocks. */
const deepest = 150;

export class Source {
  readonly #starts: number[] = [0];
  #depth = 0;

  /** `before` is the number of lines before its first one. */
  constructor(
    readonly code: string,
    readonly before = 0,
  ) {
    for (let at = code.indexOf('\n'); at >= 0; at = code.indexOf('\n', at + 1)) {
      this.#starts.push(at + 1);
    }
  }

  /** The line of a position, counted from 1. */
  lineAt(place: number): number {
    let [low, high] = [0, this.#starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! <= place) low = middle;
      else high = middle;
    }
    return this.before + low + 1;
  }

  text = (node: SyntaxNode): string => this.code.slice(node.from, node.to);

  lineOf = (node: SyntaxNode): number => this.lineAt(node.from);

  /** The children of a node, without comments. @throws Raised for a syntax error among them */
  children(node: SyntaxNode): SyntaxNode[] {
    const all: SyntaxNode[] = [];
    for (let child = node.firstChild; child; child = child.nextSibling) {
      if (child.name === '⚠') throw this.wrong(child);
      if (child.name !== 'Comment') all.push(child);
    }
    return all;
  }

  /** An error for code that Python does not accept either. */
  wrong(node: SyntaxNode, problem?: string): Raised {
    // The line of a missing part is that of the last word before it.
    const before = this.code.slice(0, node.to).trimEnd().length;
    const line = this.lineAt(Math.min(node.from, Math.max(0, before - 1)));
    const own = line - this.before;
    const near = this.code.split('\n', own)[own - 1]!.trim().slice(0, 60);
    return new Raised('SyntaxError', problem ?? `invalid syntax: ${near}`, line);
  }

  /** An error for code that only Python accepts. */
  outside = (node: SyntaxNode, what: string, instead = ''): Raised =>
    outside(what, instead, this.lineOf(node));

  /** Reads a nested part, up to the maximum depth. */
  inside<Result>(node: SyntaxNode, read: () => Result): Result {
    if (++this.#depth > deepest) {
      const text = `brackets, operators and blocks are nested more than ${deepest} deep`;
      throw new Raised('RecursionError', text, this.lineOf(node));
    }
    const result = read();
    --this.#depth;
    return result;
  }
}

/** Nodes between commas. */
export function split(nodes: readonly SyntaxNode[]): SyntaxNode[][] {
  const parts: SyntaxNode[][] = [[]];
  for (const node of nodes) {
    if (node.name === ',') parts.push([]);
    else parts.at(-1)!.push(node);
  }
  if (parts.at(-1)!.length === 0) parts.pop();
  return parts;
}

/** The nodes between brackets, without the brackets. */
export const kept = (nodes: readonly SyntaxNode[]): SyntaxNode[] => nodes.slice(1, -1);
