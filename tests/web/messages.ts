// The page's texts by their keys: a test presses and reads what the page says, and a sentence may change without
// changing the test. A key is the file's name and the path in it: `average.length.more` is `length.more` of
// average.yaml.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import MessageFormat from '@messageformat/core';
import { parse as parseMessage, type Select, type Token } from '@messageformat/parser';
import { parse } from 'yaml';

/** The language and the folder that the page was built from: see web/texts/plugin.ts. */
const { TRIL_LANGUAGE = 'en', TRIL_TEXTS = 'src/texts' } = process.env;
const web = fileURLToPath(new URL('../../web/', import.meta.url));
const folder = resolve(web, TRIL_TEXTS, TRIL_LANGUAGE);
const files = new Map<string, unknown>();

function sourceOf(key: string): string {
  const [file, ...path] = key.split('.');
  if (!files.has(file)) {
    const text = readFileSync(join(folder, `${file}.yaml`), 'utf8');
    files.set(file, parse(text, { logLevel: 'error' })); // ignores the tag !tex, which marks formulas
  }
  let found = files.get(file);
  for (const name of path) found = (found as Record<string, unknown> | undefined)?.[name];
  if (typeof found !== 'string') throw new Error(`The page has no message ${key}.`);
  return found.trim();
}

const format = new MessageFormat('en', { strict: true });

/** The message as the page writes it, with these values. */
export function message(key: string, values: Record<string, string | number> = {}): string {
  return format.compile(sourceOf(key))(values) as string;
}

type Values = Readonly<Record<string, string | number>>;
const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
const numeric = (value: string | number) =>
  typeof value === 'number' ? value.toLocaleString('en') : value;

/** The case that a value selects, or all cases if the value is unknown. */
function casesOf({ cases, type }: Select, value: string | number | undefined) {
  if (value === undefined) return cases;
  const keys = [`=${value}`, String(value), ...(type !== 'select' && +value === 1 ? ['one'] : [])];
  const found = keys.map((key) => cases.find((one) => one.key === key)).find(Boolean);
  return [found ?? cases.find(({ key }) => key === 'other')!];
}

type Unknown = (name: string) => string;

function patternOf(
  tokens: readonly Token[],
  values: Values,
  unknown: Unknown,
  counted: readonly [name: string, value?: string] = [''],
): string {
  const known = (name: string, value: string | undefined) =>
    value === undefined ? unknown(name) : escaped(value);
  return tokens
    .map((token) => {
      if (token.type === 'content') return escaped(token.value);
      if (token.type === 'octothorpe') return known(...counted);
      const value = values[token.arg];
      const written = value === undefined ? undefined : numeric(value);
      if (token.type === 'function') return known(token.arg, written);
      if (token.type === 'argument') return known(token.arg, value?.toString());
      const cases = casesOf(token, value).map((one) =>
        patternOf(one.tokens, values, unknown, [token.arg, written]),
      );
      return `(?:${cases.join('|')})`;
    })
    .join('');
}

/** A pattern of the message with these values, and any text for other values. */
export function messagePattern(key: string, values: Values = {}): RegExp {
  return new RegExp(
    patternOf(parseMessage(sourceOf(key)), values, () => '.*?'),
    'u',
  );
}

/** The values in this text, if it is that message. */
export function valuesIn(key: string, text: string): Readonly<Record<string, string>> | undefined {
  const named = new Set<string>();
  const unknown = (name: string) => {
    if (named.has(name)) return '.*?';
    named.add(name);
    return `(?<${name}>.*?)`;
  };
  const pattern = patternOf(parseMessage(sourceOf(key)), {}, unknown);
  return new RegExp(`^${pattern}$`, 'u').exec(text.trim())?.groups;
}

/** The window's title while a chapter is open. */
export const titleOf = (chapter: string) => `${message(`shell.about.${chapter}.title`)} · Tril`;
