import type { Context } from './context.js';
import { TrilError } from './error.js';
import { eachStep } from './learner.js';
import { describe, integerOption } from './names.js';
import { OwnedObject } from './owned.js';
import type { RawWordVectors } from './raw.js';
import type { Tensor } from './tensor.js';
import type { WordNeighbour, WordVectorSettings, WordVectorStep } from './word-vector-types.js';

/**
 * Vectors of words in training, in the memory of one loaded module. Made by `wordVectors` of `tril/training`; its
 * memory is freed by `dispose`, and at the end of a `using` declaration or of a `tril.scope`.
 *
 * The vectors depend on texts and settings alone, not on the number of threads.
 */
export class WordVectors extends OwnedObject<RawWordVectors, Context> {
  /** All settings, with defaults. */
  readonly settings: Readonly<Required<WordVectorSettings>>;
  /** All words, the most frequent first. */
  readonly words: readonly string[];
  /** The number of occurrences of each word. */
  readonly counts: readonly number[];
  /** The total number of steps. */
  readonly allSteps: number;

  /** @internal Word vectors are made by `wordVectors`. */
  constructor(
    context: Context,
    raw: RawWordVectors,
    settings: Readonly<Required<WordVectorSettings>>,
  ) {
    super(context, raw, 'wordVectors', [
      'WordVectors',
      'options',
      'word vectors are made by wordVectors',
    ]);
    this.settings = settings;
    this.words = Object.freeze(raw.words());
    this.counts = Object.freeze(raw.frequencies());
    this.allSteps = raw.counts()[0]!;
  }

  /** The number of steps done. */
  get done(): number {
    return this.run('done', (raw) => raw.counts()[2]!);
  }

  /**
   * Trains on the next 10 000 words of the texts. After `allSteps`, further steps start over with the
   * lowest rate.
   *
   * @throws TrilError where the loss is not finite: the learning rate is too high, and the vectors are
   * no longer usable
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { wordVectors } = await loadTril({ variant: 'simd' });
   * const vectors = wordVectors({ data: 'the cat sat on the mat. '.repeat(20), width: 8 });
   * const { step, words, learningRate } = vectors.step();
   * [step, words, learningRate]; // [0, 120, 0.025]
   * vectors.allSteps; // 5
   * vectors.dispose();
   * ```
   */
  step(): WordVectorStep {
    return this.run('step', (raw) => {
      const [step, words, pairs, loss, learningRate, milliseconds] = raw.step() as Six;
      return { step, words, pairs, loss, learningRate, milliseconds };
    });
  }

  /**
   * Takes `count` steps one after the other (default: all that are left).
   *
   * @throws TrilError as `step`; the steps before the failed one are done, and their reports are
   * the error's `steps`
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { wordVectors } = await loadTril({ variant: 'simd' });
   * const vectors = wordVectors({ data: 'the cat sat on the mat. '.repeat(20), width: 8 });
   * vectors.steps().length; // 5
   * vectors.done; // 5
   * vectors.dispose();
   * ```
   */
  steps(count?: number): WordVectorStep[] {
    return [...this.each(count)];
  }

  /** @internal The reports of `steps`, one by one. */
  each(
    count: number = Math.max(0, this.allSteps - this.done),
  ): Generator<WordVectorStep, void, undefined> {
    return eachStep(count, () => this.step());
  }

  /**
   * A copy of all vectors, `[words, width]`.
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { wordVectors } = await loadTril({ variant: 'simd' });
   * const vectors = wordVectors({ data: 'the cat sat on the mat. '.repeat(20), width: 8 });
   * vectors.vectors().shape; // [5, 8]
   * vectors.words[0]; // 'the'
   * vectors.dispose();
   * ```
   */
  vectors(): Tensor {
    return this.run('vectors', (raw) => this.context.adopt(raw.vectors()!));
  }

  /**
   * The words nearest to one, the nearest first, without itself (default 10).
   *
   * @throws TrilError for an unknown word
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { wordVectors } = await loadTril({ variant: 'simd' });
   * const data = ['cat dog hen. '.repeat(300), 'one two six. '.repeat(300)];
   * const vectors = wordVectors({ data, width: 8, sample: 0, epochs: 10 });
   * vectors.steps();
   * vectors.similar('cat', 2).map(({ word }) => word).sort(); // ['dog', 'hen']
   * vectors.similar('cow'); // throws TrilError: similar: word: "cow" is none of the 6 words
   * ```
   */
  similar(word: string, count?: number): WordNeighbour[] {
    const wanted = integerOption('similar', 'count', count, 10, 1);
    checkWords('similar', { word });
    return this.#neighbours('similar', (raw) => raw.similar(word, wanted));
  }

  /**
   * The words that are to `c` as `b` is to `a`: those nearest to b - a + c, each of length 1, without
   * these three (default 10).
   *
   * @throws TrilError for an unknown word
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { wordVectors } = await loadTril({ variant: 'simd' });
   * const data = ['cat dog hen. '.repeat(300), 'one two six. '.repeat(300)];
   * const vectors = wordVectors({ data, width: 8, sample: 0, epochs: 10 });
   * vectors.steps();
   * vectors.analogy('cat', 'dog', 'one', 1).length; // 1
   * vectors.dispose();
   * ```
   */
  analogy(a: string, b: string, c: string, count?: number): WordNeighbour[] {
    const wanted = integerOption('analogy', 'count', count, 10, 1);
    checkWords('analogy', { a, b, c });
    return this.#neighbours('analogy', (raw) => raw.analogy(a, b, c, wanted));
  }

  /**
   * The bytes of a .safetensors file: `vectors`, and in its metadata `words` and `counts`, lists in
   * JSON. The command `tril vectors --vectors` reads it.
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { wordVectors, readArrays } = await loadTril({ variant: 'simd' });
   * const vectors = wordVectors({ data: 'the cat sat on the mat. '.repeat(20), width: 8 });
   * const [array] = await readArrays(vectors.save(), 'vectors.safetensors');
   * [array?.name, array?.tensor.shape]; // ['vectors', [5, 8]]
   * vectors.dispose();
   * ```
   */
  save(): Uint8Array {
    return this.run('save', (raw) => raw.save());
  }

  /** `WordVectors 5 words, 8 wide`. */
  override toString(): string {
    return `WordVectors ${this.words.length} words, ${this.settings.width} wide`;
  }

  #neighbours(call: string, ask: (raw: RawWordVectors) => number[]): WordNeighbour[] {
    const pairs = this.run(call, ask);
    return Array.from({ length: pairs.length / 2 }, (_, i) => ({
      word: this.words[pairs[2 * i]!]!,
      cosine: pairs[2 * i + 1]!,
    }));
  }
}

function checkWords(call: string, words: Readonly<Record<string, unknown>>): void {
  for (const [name, word] of Object.entries(words)) {
    if (typeof word === 'string') continue;
    throw new TrilError(call, name, `must be a string, is ${describe(word)}`);
  }
}

type Six = [number, number, number, number, number, number];
