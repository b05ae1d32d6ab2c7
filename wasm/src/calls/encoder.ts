import type { Context } from '../context.js';
import { Encoder } from '../encoder.js';
import type { LoadModelOptions, ModelSource } from '../model-types.js';
import { ModelReader, filesOf, ggufOf, loadingOptions, pieces, sizeOf } from './model-files.js';

const call = 'loadEncoder';

export const encoderCalls = (context: Context) => ({
  /**
   * A sentence encoder from the files of its folder, or in Node from its path, as sentence-transformers writes it:
   * all-MiniLM-L6-v2, bge-small-en and other models of the family `bert`. It reads `config.json`; `model.safetensors`,
   * or its parts; `tokenizer.json`, or `vocab.txt` with `tokenizer_config.json`; and, if present, `modules.json`,
   * `1_Pooling/config.json` (`cls`, `mean` or `max`) and `sentence_bert_config.json`. Without those, as in
   * sentence-transformers, a sentence's vector is the mean of its tokens' vectors, not normalised, and a text may be
   * as long as the context. In a list of files, the folder is the one of a browser's folder picker
   * (`webkitRelativePath`). Options are those of `loadModel`, except `lora`.
   *
   * Or an encoder from one `.gguf` file of the architecture `bert`, in Node also by its path, with tensors of the
   * types that `loadModel` reads. `bert.pooling_type` is mean or cls, and the mean where it is missing. Such files do
   * not say whether vectors are normalised, or how long a text may be: vectors have length 1, as with other programs
   * that read these files, and a text may be as long as the context. Capitals become lower-case where the file says
   * so, or where it says nothing and its vocabulary lacks some letters of A to Z.
   *
   * @throws TrilError naming the file, where one is missing or does not match the others, where it is a language
   * model, and where memory runs out. Nothing is kept then
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
    const all = await filesOf(call, files);
    const reader = new ModelReader(context, call, all);
    const { engine } = context;
    const gguf = ggufOf(call, all);
    if (gguf !== undefined) {
      const header = await reader.header(gguf);
      const made = context.run(call, {}, () =>
        raw._ggufModel(
          ...([engine, gguf, header, sizeOf(reader.file(gguf)), positions, weights, true] as const),
        )!,
      );
      return new Encoder(context, await reader.read(made, [gguf], pieces.gguf, loading));
    }
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
        ...([engine, config, tokenizer, vocabulary, tokenizerConfig] as const),
        ...([modules, pooling, sentence, positions, weights] as const),
      )!,
    );
    return new Encoder(context, await reader.read(made, names, pieces.folder, loading));
  },
});
