import type { Context } from './context.js';
import { describe } from './describe.js';
import { TrilError } from './error.js';
import type { ModelAttention, ModelParameters } from './model-types.js';
import { stringOption } from './names.js';
import { OwnedObject } from './owned.js';
import type { RawModel } from './raw.js';
import { Tensor } from './tensor.js';
import { flattenIntegers, type NestedNumbers } from './values.js';

/** The settings of an encoder's sentence vectors. */
export interface EncoderSettings {
  /** C, the width of a vector. */
  readonly width: number;
  /**
   * The pooling: the mean of the tokens' vectors, the vector of the first token, or the maximum of
   * each element.
   */
  readonly pooling: 'mean' | 'cls' | 'max';
  /** Whether vectors have length 1. */
  readonly normalised: boolean;
  /**
   * Maximum number of tokens; the rest of a longer text is cut off. The tokens added around each
   * text count.
   */
  readonly maxTokens: number;
}

/** The output of an encoder's last layer for a text. */
export interface EncodedTokens {
  /** The tokens of the text, `[T]`, with those added around it. */
  readonly tokens: Int32Array;
  /** The vector of each token, `[T, C]`; pooling makes the sentence's vector of them. */
  readonly vectors: Tensor;
}

/**
 * A sentence encoder, in the memory of one loaded module. Made by `loadEncoder` of `tril/training`; its memory is
 * freed by `dispose`, and at the end of a `using` declaration or of a `tril.scope`, to which `own` gives it as it
 * does a `Model`.
 */
export class Encoder extends OwnedObject<RawModel, Context> {
  /** Its `config.json`, as Tril writes it. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The number, the types and the memory of its parameters. */
  readonly parameters: ModelParameters;
  /** The settings of its sentence vectors. */
  readonly settings: EncoderSettings;

  /** @internal Encoders are made by `loadEncoder`. */
  constructor(context: Context, raw: RawModel) {
    super(context, raw, 'encoder', ['Encoder', 'files', 'encoders are made by loadEncoder']);
    const read = (text: string) => Object.freeze(JSON.parse(text) as Record<string, unknown>);
    this.config = read(raw.config());
    this.parameters = read(raw.parameters()) as unknown as ModelParameters;
    const settings = context.training('loadEncoder')._encoderSettings(raw);
    this.settings = read(String(settings)) as unknown as EncoderSettings;
  }

  /**
   * The vector of a text, `[C]`, or those of several, `[N, C]`. Each text is run on its own, so none is padded, and
   * its vector does not depend on the others.
   *
   * @throws TrilError for no texts, and for one without tokens
   *
   * @example
   * ```ts
   * import type { Encoder } from 'tril/training';
   *
   * // The vectors of texts, one after the other, to be kept.
   * function vectorsOf(encoder: Encoder, texts: readonly string[]): Float32Array {
   *   const vectors = encoder.encode(texts); // [N, C]
   *   const numbers = vectors.read();
   *   vectors.dispose();
   *   return numbers;
   * }
   * ```
   */
  encode(texts: string | readonly string[]): Tensor {
    const call = 'encode';
    const isOne = typeof texts === 'string';
    const vectors = this.#encoded(call, 'texts', isOne ? [texts] : texts);
    if (!isOne) return vectors;
    const { raw, engine } = this.context;
    const one = this.context.run(call, {}, () => raw._tensor(engine, [this.settings.width])!);
    const vector = this.context.adopt(one).write(vectors.read());
    vectors.dispose();
    return vector;
  }

  /**
   * The cosines of the angles between texts, or between vectors `[N, C]` from `encode`: `[N, M]`, of `a` with `b`,
   * or with itself. 1 means the same direction, 0 a right angle.
   *
   * @throws TrilError as `encode`, and where the vectors differ in width
   *
   * @example
   * ```ts
   * import type { Encoder } from 'tril/training';
   *
   * // Which of the texts is nearest to a question.
   * function nearest(encoder: Encoder, question: string, texts: readonly string[]): number {
   *   const cosines = encoder.similarity([question], texts).read(); // [1, N]
   *   return cosines.indexOf(Math.max(...cosines));
   * }
   * ```
   */
  similarity(a: readonly string[] | Tensor, b: readonly string[] | Tensor = a): Tensor {
    const call = 'similarity';
    const made: Tensor[] = [];
    const vectorsOf = (name: string, of: readonly string[] | Tensor): Tensor => {
      if (of instanceof Tensor) return of;
      made.push(this.#encoded(call, name, of));
      return made.at(-1)!;
    };
    try {
      const rows = vectorsOf('a', a);
      const columns = a === b ? rows : vectorsOf('b', b);
      const { engine } = this.context;
      const training = this.context.training(call);
      this.run(call, () => undefined);
      return this.context.adopt(
        this.context.run(call, { a: rows, b: columns }, (t) =>
          training._encoderSimilarity(engine, t.a, t.b)!,
        ),
      );
    } finally {
      made.forEach((each) => each.dispose());
    }
  }

  /**
   * The attention weights of every head in a text, as for a `Model`. Every token sees all others.
   *
   * @throws TrilError where the text has no tokens
   *
   * @example
   * ```ts
   * import type { Encoder } from 'tril/training';
   *
   * // What a head takes for [CLS], which stands first, of each token.
   * function ofFirst(encoder: Encoder, text: string, layer: number, head: number): number[] {
   *   const { weights } = encoder.attention(text);
   *   return weights.toArray<number[][][][]>()[layer]![head]![0]!;
   * }
   * ```
   */
  attention(text: string): ModelAttention {
    const call = 'attention';
    const tokens = this.#tokensOf(call, 'text', text);
    const weights = this.run(call, (raw) => raw.attention(tokens)!);
    return { tokens, weights: this.context.adopt(weights) };
  }

  /**
   * The vectors of a text's tokens, `[T, C]`, from which pooling makes the vector of the text.
   *
   * @throws TrilError where the text has no tokens
   *
   * @example
   * ```ts
   * import type { Encoder } from 'tril/training';
   *
   * // A text's tokens in words, each with its vector.
   * function read(encoder: Encoder, text: string): [string, number[]][] {
   *   const { tokens, vectors } = encoder.hidden(text);
   *   const rows = vectors.toArray<number[][]>();
   *   return [...tokens].map((token, t) => [encoder.decode([token]), rows[t]!]);
   * }
   * ```
   */
  hidden(text: string): EncodedTokens {
    const call = 'hidden';
    const tokens = this.#tokensOf(call, 'text', text);
    const training = this.context.training(call);
    const vectors = this.run(call, (raw) => training._encoderHidden(raw, tokens)!);
    return { tokens, vectors: this.context.adopt(vectors) };
  }

  /**
   * The text of tokens. Each word follows a space, since WordPiece keeps no others; a continuation is joined to its word.
   *
   * @throws TrilError for a number that is not a token
   *
   * @example
   * ```ts
   * import type { Encoder } from 'tril/training';
   *
   * function wordsOf(encoder: Encoder, text: string): string {
   *   return encoder.decode(encoder.attention(text).tokens); // '[CLS] the cat sat . [SEP]'
   * }
   * ```
   */
  decode(tokens: NestedNumbers | Int32Array): string {
    const { values } = flattenIntegers('decode', 'tokens', tokens);
    const bytes = this.run('decode', (raw) => raw.decode(values));
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  }

  #tokensOf(call: string, name: string, text: unknown): Int32Array {
    const bytes = new TextEncoder().encode(stringOption(call, name, text as string, ''));
    const training = this.context.training(call);
    return this.run(call, (raw) => training._encoderTokens(raw, bytes));
  }

  #encoded(call: string, name: string, texts: readonly string[]): Tensor {
    if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string')) {
      throw new TrilError(call, name, `must be a list of texts, is ${describe(texts)}`);
    }
    if (texts.length === 0) throw new TrilError(call, name, 'is empty: there must be a text');
    const all = texts.map((text) => this.#tokensOf(call, name, text));
    const lengths = Int32Array.from(all, (tokens) => tokens.length);
    const tokens = new Int32Array(lengths.reduce((sum, length) => sum + length, 0));
    let at = 0;
    for (const each of all) {
      tokens.set(each, at);
      at += each.length;
    }
    const training = this.context.training(call);
    const made = this.run(call, (raw) => training._encoderEncode(raw, tokens, lengths)!);
    return this.context.adopt(made);
  }
}
