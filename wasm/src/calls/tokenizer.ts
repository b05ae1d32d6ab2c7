import type { Context } from '../context.js';
import { TrilError } from '../error.js';
import { bytesOf, type Bytes } from '../kinds.js';
import { describe } from '../names.js';
import type { ModelFiles } from '../trainer-types.js';
import { Tokenizer } from '../tokenizer.js';

const call = 'tokenizer';
const none = new Uint8Array();

/** The files of a tokenizer: the bytes of `tokenizer.json`, or files by their names, as those of a model. */
export type TokenizerSource = Bytes | ModelFiles | Readonly<Record<string, Bytes>>;

export const tokenizerCalls = (context: Context) => ({
  /**
   * A tokenizer alone, from the bytes of `tokenizer.json`, or from files by their names: `tokenizer.json`, or
   * `vocab.txt`, perhaps with `tokenizer_config.json`, or `vocab.json` with `merges.txt`. Other files are ignored, so
   * that all files of a model can be given. It reads the formats of GPT-2, SmolLM2, Qwen2, Llama 3, Llama 2, Gemma and
   * BERT, and those of `trainer.export()`.
   *
   * @throws TrilError where a file is missing, or is in no supported format, with the offset of the byte
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { trainer, tokenizer } = await loadTril({ variant: 'simd' });
   * const model = { layers: 1, heads: 1, width: 8, context: 4 };
   * const words = tokenizer(trainer({ model, data: 'abcd'.repeat(9), tokenizer: 'bytes' }).export());
   * words.size; // 256
   * words.decode(words.encode('any text')); // 'any text'
   * words.dispose();
   * tokenizer({}); // throws TrilError: tokenizer: files: tokenizer.json is missing
   * ```
   */
  tokenizer(files: TokenizerSource): Tokenizer {
    const whole = bytesOf(files);
    if (!whole && (typeof files !== 'object' || files === null || Array.isArray(files))) {
      const problem = `must be the bytes of tokenizer.json, or files by their names, is ${describe(files)}`;
      throw new TrilError(call, 'files', problem);
    }
    const all = (whole ? { 'tokenizer.json': whole } : files) as Readonly<Record<string, unknown>>;
    if (all['tokenizer.json'] === undefined && all['vocab.txt'] !== undefined) {
      const words = fileOf('vocab.txt', all['vocab.txt']);
      const config = all['tokenizer_config.json'];
      const settings = config === undefined ? none : fileOf('tokenizer_config.json', config);
      return context.run(call, {}, () => {
        const made = context.training(call)._wordPieces(words, settings)!;
        return context.own(new Tokenizer(context, made));
      });
    }
    const isPair = all['tokenizer.json'] === undefined && all['vocab.json'] !== undefined;
    const [first, ...rest] = (isPair ? ['vocab.json', 'merges.txt'] : ['tokenizer.json']).map(
      (name) => fileOf(name, all[name]),
    );
    const merges = rest[0] ?? none;
    return context.run(call, {}, () => {
      const made = context.training(call)._tokenizer(first!, merges)!;
      return context.own(new Tokenizer(context, made));
    });
  },
});

function fileOf(name: string, file: unknown): Uint8Array {
  if (file === undefined) throw new TrilError(call, 'files', `${name} is missing`);
  const bytes = bytesOf(file);
  if (!bytes) throw new TrilError(call, 'files', `${name} must be bytes, is ${describe(file)}`);
  if (bytes.length === 0) throw new TrilError(call, name, 'is empty');
  return bytes;
}
