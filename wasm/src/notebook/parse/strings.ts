// Strings and numbers of a program, by Python's rules.
import type { SyntaxNode } from './grammar.js';
import { kept, type Source } from './reader.js';
import type { Expression, FormatPart, Literal } from './syntax.js';

const escapes: Readonly<Record<string, string>> = {
  ...{ n: '\n', t: '\t', r: '\r', '\\': '\\', "'": "'", '"': '"', '\n': '' },
  ...{ a: '\x07', b: '\b', f: '\f', v: '\v', 0: '\0' },
};

/** Text with escapes replaced by their characters. */
const unescaped = (text: string): string =>
  text.replace(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|([^]))/g,
    (all, hex?: string, wide?: string, sign?: string) => {
      if (sign !== undefined) return escapes[sign] ?? all;
      return String.fromCharCode(parseInt((hex ?? wide)!, 16));
    },
  );

/** The positions of a string's quotes. */
function quotesOf(text: string): { prefix: string; open: number; close: number } {
  const [, prefix = '', quote = ''] = /^([A-Za-z]*)("""|'''|"|')/.exec(text) ?? [];
  const open = prefix.length + quote.length;
  const isClosed = text.length >= open + quote.length && text.endsWith(quote) && quote !== '';
  return { prefix: prefix.toLowerCase(), open, close: isClosed ? text.length - quote.length : -1 };
}

/** The number in a literal; undefined where it is complex or no number. */
export function readNumber(written: string): Literal | undefined {
  const text = written.replace(/(?<=[\da-fA-F])_(?=[\da-fA-F])/g, '');
  if (/^0[xob][\da-f]+$/i.test(text) || /^(?:0+|[1-9]\d*)$/.test(text)) {
    return Number.isNaN(Number(text)) ? undefined : { type: 'int', value: Number(text) };
  }
  if (!/^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) || /^\d+$/.test(text)) return undefined;
  return { type: 'float', value: Number(text) };
}

/** The value of a string literal. */
export function stringOf(source: Source, node: SyntaxNode): string {
  const text = source.text(node);
  const { prefix, open, close } = quotesOf(text);
  if (close < 0) throw source.wrong(node, 'unterminated string literal');
  if (prefix.includes('b')) throw source.outside(node, 'a string of bytes');
  const inner = text.slice(open, close);
  return prefix.includes('r') ? inner : unescaped(inner);
}

/** The reader of expressions in f-strings. */
interface Reader {
  readonly source: Source;
  readList(nodes: readonly SyntaxNode[], near: SyntaxNode): Expression;
}

/** The parts of an f-string: texts and replacement fields. */
export function formatParts(reader: Reader, node: SyntaxNode): FormatPart[] {
  const { source } = reader;
  const { prefix, open, close } = quotesOf(source.text(node));
  if (close < 0) throw source.wrong(node, 'unterminated string literal');
  const nodes = source.children(node).filter(({ name }) => name === 'FormatReplacement');
  const read = prefix.includes('r') ? (text: string) => text : unescaped;
  return partsOf(reader, node.from + open, node.from + close, nodes, read);
}

/** The texts and replacement fields between two positions. */
function partsOf(
  reader: Reader,
  from: number,
  to: number,
  nodes: readonly SyntaxNode[],
  read: (text: string) => string,
): FormatPart[] {
  const { source } = reader;
  const parts: FormatPart[] = [];
  const add = (start: number, end: number) => {
    const text = read(source.code.slice(start, end).replace(/\{\{|\}\}/g, ([sign]) => sign!));
    if (text) parts.push(text);
  };
  let last = from;
  for (const node of nodes) {
    add(last, node.from);
    last = node.to;
    parts.push(replacement(reader, node, read));
  }
  add(last, to);
  return parts;
}

/** A replacement field of an f-string. */
function replacement(reader: Reader, node: SyntaxNode, read: (text: string) => string): FormatPart {
  const { source } = reader;
  const nodes = kept(source.children(node));
  const find = (name: string) => nodes.find((each) => each.name === name);
  const extra = ['FormatSpec', 'FormatConversion', 'FormatSelfDoc'];
  const values = nodes.filter(({ name }) => !extra.includes(name));
  const value = reader.readList(values, node);
  const [spec, label, conversion] = [
    find('FormatSpec'),
    find('FormatSelfDoc'),
    find('FormatConversion'),
  ];
  const inner = spec ? source.children(spec) : [];
  const replaced = inner.filter(({ name }) => name === 'FormatReplacement');
  return {
    value,
    conversion: conversion ? source.text(conversion).slice(1) : '',
    spec: spec ? partsOf(reader, spec.from + 1, spec.to, replaced, read) : [],
    label: label ? source.code.slice(node.from + 1, label.to) : '',
  };
}
