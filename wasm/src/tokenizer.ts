import type { Context } from './context.js';
import { booleanOption, checkKeys, stringOption } from './names.js';
import { OwnedObject } from './owned.js';
import type { RawTokenizer } from './raw.js';
import { flattenIntegers, type NestedNumbers } from './values.js';

/** The options of encoding a text. */
export interface EncodeOptions {
  /** Whether special tokens in the text are recognised; else they are ordinary text (default true). */
  readonly specialTokens?: boolean;
  /** Whether to add the tokens that the file puts before and after every text (default true). */
  readonly affixes?: boolean;
}

/** The tokens of a text, with their offsets. */
export interface EncodedText {
  readonly tokens: Int32Array;
  /**
   * The range of each token in the text: `text.slice(begin, end)`. Tokens that are parts of a character have the
   * whole character; tokens that are not from the text have an empty range.
   */
  readonly offsets: readonly (readonly [begin: number, end: number])[];
}

/**
 * A tokenizer alone, in the memory of one loaded module. Made by `tokenizer` of `tril/training`; its memory is freed
 * by `dispose`, and at the end of a `using` declaration or of a `tril.scope`.
 */
export class Tokenizer extends OwnedObject<RawTokenizer, Context> {
  /** Number of tokens, which are 0 to `size - 1`. */
  readonly size: number;

  /** @internal Tokenizers are made by `tokenizer`. */
  constructor(context: Context, raw: RawTokenizer) {
    super(context, raw, 'tokenizer', [
      'Tokenizer',
      'files',
      'tokenizers are made by tril.tokenizer',
    ]);
    this.size = raw.size();
  }

  /**
   * The tokens of a text.
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { trainer, tokenizer } = await loadTril({ variant: 'simd' });
   * const model = { layers: 1, heads: 1, width: 8, context: 4 };
   * const files = trainer({ model, data: 'abcd'.repeat(9), tokenizer: 'bytes' }).export();
   * tokenizer(files).encode('abc'); // Int32Array.of(97, 98, 99)
   * ```
   */
  encode(text: string, options: EncodeOptions = {}): Int32Array {
    return this.#encoded('encode', text, options, false);
  }

  /**
   * The tokens of a text, with the range of each.
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { trainer, tokenizer } = await loadTril({ variant: 'simd' });
   * const model = { layers: 1, heads: 1, width: 8, context: 4 };
   * const files = trainer({ model, data: 'abcd'.repeat(9), tokenizer: 'bytes' }).export();
   * const { tokens, offsets } = tokenizer(files).encodeWithOffsets('aß');
   * tokens; // Int32Array.of(97, 195, 159)
   * offsets; // [[0, 1], [1, 2], [1, 2]]
   * ```
   */
  encodeWithOffsets(text: string, options: EncodeOptions = {}): EncodedText {
    const found = this.#encoded('encodeWithOffsets', text, options, true);
    const tokens = Int32Array.from({ length: found.length / 3 }, (_, i) => found[3 * i]!);
    const { from, to } = positionsOf(text);
    const offsets = Array.from(tokens, (_, i): [number, number] => [
      from[found[3 * i + 1]!]!,
      to[found[3 * i + 2]!]!,
    ]);
    return { tokens, offsets };
  }

  /**
   * The text of tokens; invalid UTF-8 becomes the replacement character.
   *
   * @throws TrilError for a number that is not a token
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { trainer, tokenizer } = await loadTril({ variant: 'simd' });
   * const model = { layers: 1, heads: 1, width: 8, context: 4 };
   * const files = trainer({ model, data: 'abcd'.repeat(9), tokenizer: 'bytes' }).export();
   * tokenizer(files).decode([97, 98, 99]); // 'abc'
   * ```
   */
  decode(tokens: NestedNumbers | Int32Array): string {
    const { values } = flattenIntegers('decode', 'tokens', tokens);
    const bytes = this.run('decode', (raw) => raw.decode(values));
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  }

  /**
   * The bytes of a `tokenizer.json` for Hugging Face's libraries.
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { trainer, tokenizer } = await loadTril({ variant: 'simd' });
   * const model = { layers: 1, heads: 1, width: 8, context: 4 };
   * const files = trainer({ model, data: 'abcd'.repeat(9), tokenizer: 'bytes' }).export();
   * tokenizer(files).export(); // files['tokenizer.json']
   * ```
   */
  export(): Uint8Array {
    return this.run('export', (raw) => raw.file());
  }

  /** `Tokenizer of 50257 tokens`. */
  override toString(): string {
    return `Tokenizer of ${this.size} tokens`;
  }

  #encoded(call: string, text: string, options: EncodeOptions, offsets: boolean): Int32Array {
    checkKeys(call, 'options', 'option', options, ['specialTokens', 'affixes']);
    const bytes = new TextEncoder().encode(stringOption(call, 'text', text, ''));
    const special = booleanOption(call, 'specialTokens', options.specialTokens, true);
    const affixes = booleanOption(call, 'affixes', options.affixes, true);
    return this.run(call, (raw) => raw.encode(bytes, special, affixes, offsets));
  }
}

/**
 * The positions in a string for each byte of its UTF-8, and for its end: `from` is the beginning of the byte's
 * character, `to` the end of the character of the bytes before it.
 */
function positionsOf(text: string) {
  const [from, to]: [number[], number[]] = [[], [0]];
  let position = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    const bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (let n = 0; n < bytes; n += 1) {
      from.push(position);
      to.push(position + character.length);
    }
    position += character.length;
  }
  from.push(position);
  return { from, to };
}
