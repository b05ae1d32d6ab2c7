import type { Context } from '../context.js';
import { Encoder } from '../encoder.js';
import type { LoadModelOptions, ModelSource } from '../model-types.js';
import { ModelReader, filesOf, loadingOptions, pieces } from './model-files.js';

const call = 'loadEncoder';

export const encoderCalls = (context: Context) => ({
  /**
   * A sentence encoder from the files of its folder, or in Node from its path, as sentence-transformers writes it:
   * all-MiniLM-L6-v2, bge-small-en and other models of the family `bert`. It reads `config.json`;
   * `model.safetensors`, or its parts; `tokenizer.json`, or `vocab.txt` with `tokenizer_config.json`; and, where they
   * are, `modules.json`, `1_Pooling/config.json` (`cls`, `mean` or `max`) and `sentence_bert_config.json`. Without
   * those a sentence's vector is the mean of its tokens', not normalised, and a text may be as long as the context, as
   * sentence-transformers has it. In a list of files the folder counts that a browser's folder picker says
   * (`webkitRelativePath`). Options are those of `loadModel`, but for `lora`.
   *
   * @throws TrilError naming the file, where one is missing or not what the others say, where it is a language model,
   * and where memory is out. Nothing is kept then
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { loadEncoder } = await loadTril({ variant: 'simd' });
   * async function cosinesOf(folder: string, texts: readonly string[]): Promise<Float32Array> {
   *   using encoder = await loadEncoder(folder); // in Node: 'all-MiniLM-L6-v2'
   *   return encoder.similarity(texts).read(); // [N, N]
   * }
   * await loadEncoder({}); // throws TrilError: loadEncoder: files: config.json is missing
   * ```
   */
  async loadEncoder(
    files: ModelSource,
    options: Omit<LoadModelOptions, 'lora'> = {},
  ): Promise<Encoder> {
    const loading = loadingOptions(call, options);
    const { context: positions = 0, weights = '', signal } = loading;
    signal?.throwIfAborted();
    const raw = context.training(call);
    const reader = new ModelReader(context, call, await filesOf(call, files));
    const config = await reader.bytes('config.json');
    const tokenizer = await reader.optional('tokenizer.json');
    const vocabulary = await reader.optional('vocab.txt');
    const tokenizerConfig = await reader.optional('tokenizer_config.json');
    const modules = await reader.optional('modules.json');
    const folder = context.run(call, {}, () => raw._encoderPoolingFolder(modules));
    const pooling = await reader.optional(`${String(folder)}/config.json`);
    const sentence = await reader.optional('sentence_bert_config.json');
    const names = await reader.parameterFiles();
    const made = context.run(call, {}, () =>
      raw._encoder(
        ...([context.engine, config, tokenizer, vocabulary, tokenizerConfig] as const),
        ...([modules, pooling, sentence, positions, weights] as const),
      )!,
    );
    return new Encoder(context, await reader.read(made, names, pieces.folder, loading));
  },
});
