import { TrilError } from './error.js';

/**
 * JSON's grammar has no NaN and no infinities; null replaces the former, and 1e999 overflows to
 * infinity.
 */
const written: Readonly<Record<string, string>> = {
  ...{ NaN: ' null ', Infinity: ' 1e999 ', '-Infinity': ' -1e999 ' },
};

/** The text with JSON's substitutes for these words outside strings. */
function inJson(text: string): string {
  const wordOrQuote = /"|NaN|-?Infinity/g;
  const quoteOrEscape = /["\\]/g;
  let [json, from] = ['', 0];
  for (let found = wordOrQuote.exec(text); found; found = wordOrQuote.exec(text)) {
    if (found[0] !== '"') {
      json += text.slice(from, found.index) + written[found[0]]!;
      from = wordOrQuote.lastIndex;
      continue;
    }
    quoteOrEscape.lastIndex = wordOrQuote.lastIndex;
    let end = quoteOrEscape.exec(text);
    while (end && end[0] !== '"') {
      ++quoteOrEscape.lastIndex;
      end = quoteOrEscape.exec(text);
    }
    if (!end) break;
    wordOrQuote.lastIndex = quoteOrEscape.lastIndex;
  }
  return json + text.slice(from);
}

/**
 * Parses JSON, with the numbers of Python's `json.dumps`: NaN, which becomes null, Infinity and
 * -Infinity.
 *
 * @throws TrilError for any other text, with the engine's reason
 */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    try {
      return JSON.parse(inJson(text));
    } catch (error) {
      // Engines quote the text in their messages, line ends included.
      const reason = (error as Error).message.replace(/\p{Cc}+/gu, ' ');
      throw new TrilError('readArrays', 'file', `is not JSON: ${reason}`);
    }
  }
}

/**
 * Turns nested parts of JSON into numbers, in place: null, which JavaScript writes for NaN, becomes
 * NaN, and true becomes 1. `type` is 'bool' where all of them are true or false.
 */
export function numbersOf(data: unknown): { numbers: unknown; type: 'float64' | 'bool' } {
  const all = [data];
  let [booleans, others] = [0, 0];
  // Level by level, without recursion: a text may be nested deeper than the stack allows.
  const open = [all];
  for (let level = open.pop(); level; level = open.pop()) {
    for (const [i, part] of level.entries()) {
      if (Array.isArray(part)) {
        open.push(part as unknown[]);
        continue;
      }
      if (typeof part === 'boolean') ++booleans;
      else ++others;
      if (part === null) level[i] = NaN;
      else if (typeof part === 'boolean') level[i] = Number(part);
    }
  }
  return { numbers: all[0], type: booleans > 0 && others === 0 ? 'bool' : 'float64' };
}
