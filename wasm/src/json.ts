import { TrilError } from './error.js';

/** A string, whole, so that nothing within it is taken for a word; or a word. */
const stringOrWord = /"[^"\\]*(?:\\[^][^"\\]*)*"|NaN|-?Infinity|null|true|false/g;

/**
 * JSON has no NaN and no infinities: they are read as the words that stand for no number, and where
 * a file has such a word itself, it is read as text.
 */
const written: Readonly<Record<string, string>> = {
  ...{ NaN: 'null', Infinity: 'true', '-Infinity': 'false' },
  ...{ null: '"null"', true: '"true"', false: '"false"' },
};

function numberOf(_: string, value: unknown): unknown {
  if (value === null) return NaN;
  if (value === true) return Infinity;
  return value === false ? -Infinity : value;
}

/**
 * JSON, and as Python's `json.dumps` writes them the numbers NaN, Infinity and -Infinity.
 *
 * @throws TrilError where it is something else, with the engine's reason
 */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    try {
      const rewritten = text.replace(stringOrWord, (part) => written[part] ?? part);
      return JSON.parse(rewritten, numberOf);
    } catch (error) {
      throw new TrilError('readArrays', 'file', `is not JSON: ${(error as Error).message}`);
    }
  }
}
