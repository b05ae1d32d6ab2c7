// A chapter's messages, in YAML, to a module: what has no arguments is a string, what has some a function of them,
// compiled from ICU MessageFormat with no more of the library than it needs. A text tagged !tex is a formula, typeset
// here; one tagged !display is on a line of its own. One that names a \size{n} is a function of its sizes.
import MessageFormat from '@messageformat/core';
import compileModule from '@messageformat/core/compile-module';
import { parse, type Token } from '@messageformat/parser';
import { isMap, isScalar, isSeq, parseDocument, type Document, type Node } from 'yaml';
import { sizesIn, typeset, typesetAround } from './formula';

/** The tree of a file, its leaves not yet compiled. */
export type Tree = { readonly [key: string]: Tree } | readonly Tree[] | Leaf;
export class Leaf {
  constructor(
    readonly source: string,
    readonly formula: 'inline' | 'display' | null,
    readonly path: string,
  ) {}
}

const formulas: Readonly<Record<string, 'inline' | 'display'>> = {
  '!tex': 'inline',
  '!display': 'display',
};
const tags = Object.keys(formulas).map((tag) => ({ tag, resolve: (text: string) => text }));

export function parseMessages(source: string): Document {
  const document = parseDocument(source, { customTags: tags });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw problem;
  return document;
}

export function treeOf(node: Node | null, path = ''): Tree {
  const below = (key: unknown) => (path ? `${path}.${String(key)}` : String(key));
  if (isMap(node)) {
    return Object.fromEntries(
      node.items.map(({ key, value }) => {
        const name = String(isScalar(key) ? key.value : key);
        return [name, treeOf(value as Node, below(name))];
      }),
    );
  }
  if (isSeq(node)) return node.items.map((item, index) => treeOf(item as Node, below(index)));
  if (!isScalar(node) || typeof node.value !== 'string') {
    throw new Error(`${path}: not a text; put it in quotes`);
  }
  return new Leaf(node.value.trim(), formulas[node.tag ?? ''] ?? null, path);
}

/** Whether each argument has to be a number. */
function collect(tokens: readonly Token[], found: Map<string, boolean>): Map<string, boolean> {
  for (const token of tokens) {
    if (!('arg' in token)) continue;
    const number =
      token.type === 'plural' || token.type === 'selectordinal' || token.type === 'function';
    found.set(token.arg, number || (found.get(token.arg) ?? false));
    if ('cases' in token) for (const { tokens } of token.cases) collect(tokens, found);
  }
  return found;
}

export function argumentsOf({ source, formula, path }: Leaf): ReadonlyMap<string, boolean> {
  if (formula) return new Map(sizesIn(source).map((name) => [name, true]));
  try {
    return collect(parse(source), new Map());
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`);
  }
}

export function leavesOf(tree: Tree): readonly Leaf[] {
  if (tree instanceof Leaf) return [tree];
  return Object.values(tree).flatMap((value: Tree) => leavesOf(value));
}

/** Writes the tree as source code, each leaf as `write` has it. */
export function writeTree(tree: Tree, write: (leaf: Leaf) => string): string {
  if (tree instanceof Leaf) return write(tree);
  if (Array.isArray(tree))
    return `[${tree.map((each: Tree) => writeTree(each, write)).join(', ')}]`;
  const entries = Object.entries(tree as Record<string, Tree>);
  return `{ ${entries.map(([key, value]) => `${JSON.stringify(key)}: ${writeTree(value, write)}`).join(', ')} }`;
}

/** Of a message without arguments. */
const plain = (source: string) =>
  parse(source)
    .map((token) => ('value' in token ? token.value : ''))
    .join('');

export function compileMessages(source: string, language: string): string {
  const tree = treeOf(parseMessages(source).contents as Node);
  const functions = leavesOf(tree).filter((leaf) => !leaf.formula && argumentsOf(leaf).size > 0);
  const numbers = new Map(functions.map((leaf, index) => [leaf, index]));
  const format = new MessageFormat(language, { strict: true });
  const compiled = compileModule(
    format,
    Object.fromEntries(functions.map((leaf, index) => [`m${index}`, leaf.source])),
  ).replace('export default', 'const made =');
  const write = (leaf: Leaf): string => {
    const number = numbers.get(leaf);
    if (number !== undefined) return `made.m${number}`;
    if (!leaf.formula) return JSON.stringify(plain(leaf.source));
    const display = leaf.formula === 'display';
    if (argumentsOf(leaf).size === 0) return JSON.stringify(typeset(leaf.source, display));
    const { pieces, names } = typesetAround(leaf.source, display);
    const sizes = names.map((name, i) => ` + sizes.${name} + ${JSON.stringify(pieces[i + 1])}`);
    return `(sizes) => ${JSON.stringify(pieces[0])}${sizes.join('')}`;
  };
  return `${compiled}\nexport default ${writeTree(tree, write)};\n`;
}
