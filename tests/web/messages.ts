// The page's words by their keys, so that a test presses and reads what the page says, and a sentence may change without it.
// A key is the file's name and the path in it: `average.length.more` is `length.more` of average.yaml.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import MessageFormat from '@messageformat/core';
import { parse as parseMessage, type Token } from '@messageformat/parser';
import { parse } from 'yaml';

const folder = new URL('../../web/src/texts/en/', import.meta.url);
const files = new Map<string, unknown>();

function sourceOf(key: string): string {
  const [file, ...path] = key.split('.');
  if (!files.has(file)) {
    const text = readFileSync(fileURLToPath(new URL(`${file}.yaml`, folder)), 'utf8');
    files.set(file, parse(text, { logLevel: 'error' })); // not of the tag !tex, which marks formulas
  }
  let found = files.get(file);
  for (const name of path) found = (found as Record<string, unknown> | undefined)?.[name];
  if (typeof found !== 'string') throw new Error(`The page has no message ${key}.`);
  return found.trim();
}

const format = new MessageFormat('en', { strict: true });

/** The message as the page writes it, with these values in it. */
export function message(key: string, values: Record<string, string | number> = {}): string {
  return format.compile(sourceOf(key))(values) as string;
}

type Values = Readonly<Record<string, string | number>>;
const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
const numeric = (value: string | number) =>
  typeof value === 'number' ? value.toLocaleString('en') : value;

function patternOf(tokens: readonly Token[], values: Values, counted?: string): string {
  const known = (value: string | undefined) => (value === undefined ? '.*?' : escaped(value));
  return tokens
    .map((token) => {
      if (token.type === 'content') return escaped(token.value);
      if (token.type === 'octothorpe') return known(counted);
      const value = values[token.arg];
      const written = value === undefined ? undefined : numeric(value);
      if (token.type === 'function') return known(written);
      if (token.type === 'argument') return known(value === undefined ? undefined : String(value));
      const cases = token.cases.map((one) => patternOf(one.tokens, values, written));
      return `(?:${cases.join('|')})`;
    })
    .join('');
}

/** The message with these values in it, and anything at all where others stand. */
export function messagePattern(key: string, values: Values = {}): RegExp {
  return new RegExp(patternOf(parseMessage(sourceOf(key)), values), 'u');
}
