import type { Context } from '../context.js';
import { TrilError } from '../error.js';
import { arrayKind } from '../kinds.js';
import { booleanOption, checkKeys, describe, integerOption, numberOption } from '../names.js';
import type { WordText, WordVectorOptions } from '../word-vector-types.js';
import { WordVectors } from '../word-vectors.js';
import { checkSeed } from './tensor.js';

const call = 'wordVectors';
const names = [
  ...['data', 'width', 'window', 'negative', 'epochs', 'minCount', 'sample'],
  ...['learningRate', 'seed', 'keepCase'],
];

export const wordVectorCalls = (context: Context) => ({
  /**
   * Vectors of words, learned from texts by skip-gram with negative sampling (Mikolov et al. 2013), as
   * `tril vectors` does. Words are runs of letters, with combining marks, and numbers.
   *
   * @throws TrilError for settings out of range, data that is not UTF-8 or has fewer than two words
   * that occur `minCount` times, and where memory runs out
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { wordVectors } = await loadTril({ variant: 'simd' });
   * const data = ['cat dog hen. '.repeat(300), 'one two six. '.repeat(300)];
   * const vectors = wordVectors({ data, width: 8, sample: 0, epochs: 10, seed: 1 });
   * const [first, ...rest] = vectors.steps();
   * first!.loss > rest.at(-1)!.loss; // true
   * vectors.similar('two', 2).map(({ word }) => word).sort(); // ['one', 'six']
   * vectors.dispose();
   * wordVectors({ data: 'one word' }); // throws TrilError: wordVectors: data: have 0 words
   * ```
   */
  wordVectors(options: WordVectorOptions): WordVectors {
    checkKeys(call, 'options', 'option', options, names);
    const count = (name: string, value: number | undefined, otherwise: number) =>
      integerOption(call, name, value, otherwise, 1);
    const settings = Object.freeze({
      width: count('width', options.width, 100),
      window: count('window', options.window, 5),
      negative: count('negative', options.negative, 5),
      epochs: count('epochs', options.epochs, 5),
      minCount: count('minCount', options.minCount, 5),
      sample: numberOption(call, 'sample', options.sample, 1e-3),
      learningRate: numberOption(call, 'learningRate', options.learningRate, 0.025),
      seed: options.seed === undefined ? 1 : checkSeed(call, options.seed),
      keepCase: booleanOption(call, 'keepCase', options.keepCase, false),
    });
    const { bytes, lengths } = bytesOf(options.data);
    const { width, window, negative, epochs, minCount, sample, learningRate, seed } = settings;
    const numbers = [minCount, width, window, negative, epochs, sample, learningRate, seed];
    return context.run(call, {}, () => {
      const raw = context.training(call);
      const { engine } = context;
      const made = raw._wordVectors(engine, bytes, lengths, !settings.keepCase, numbers)!;
      return context.own(new WordVectors(context, made, settings));
    });
  },
});

function bytesOf(data: unknown) {
  const texts = (Array.isArray(data) ? data : [data]) as readonly WordText[];
  const parts = texts.map((text) => {
    if (typeof text === 'string') return new TextEncoder().encode(text);
    if (arrayKind(text) === 'Uint8Array') return text as Uint8Array;
    const problem = `must be a string, a Uint8Array or a list of them, is ${describe(text)}`;
    throw new TrilError(call, 'data', problem);
  });
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    bytes.set(part, end);
    end += part.length;
  }
  return { bytes, lengths: Int32Array.from(parts, ({ length }) => length) };
}
