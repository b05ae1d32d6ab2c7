import type { Context } from '../context.js';
import { Model } from '../model.js';
import type { LoadModelOptions, ModelSource } from '../model-types.js';
import {
  ModelReader,
  adapterOf,
  filesOf,
  ggufOf,
  loadingOptions,
  none,
  pieces,
  sizeOf,
} from './model-files.js';

const call = 'loadModel';

export const modelCalls = (context: Context) => ({
  /**
   * A language model from its files, or in Node from the path of their folder: `config.json` of any family that
   * `ModelSettings.family` names, `model.safetensors`, or the parts listed in `model.safetensors.index.json`, and, for
   * texts, `tokenizer.json` or `vocab.json` with `merges.txt`. Texts end at the `eos_token_id` of
   * `generation_config.json`, or, where that names none, of `config.json`. The file's sampling options are ignored:
   * they are options of `generate`. Matrices of `float16` and `bfloat16` keep their size in memory, and are widened
   * during multiplication; `weights: 'q8_0'` halves their size once more while they are read. Files that are Blobs, or
   * in a folder, are read in pieces of at most 8 MiB.
   *
   * Or a model from one `.gguf` file of these families, in Node also by its path: tensors of F32, F16, BF16 and Q8_0,
   * the last of which are widened to `float32` unless `weights` is `'q8_0'`, and its tokenizer (`tokenizer.ggml.model`
   * `gpt2` or `llama`). The part before its tensors is read at once.
   *
   * With `lora` an adapter is merged into the model, in `float32`, as it is read.
   *
   * @throws TrilError naming the file, and the tensor in it, where one is missing, cut short or does not match the
   * others; where the family is none of these; and where memory runs out. And the reason of `signal` where that aborts.
   * Nothing is kept then
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { trainer, loadModel } = await loadTril({ variant: 'simd' });
   * const settings = { family: 'llama', layers: 1, heads: 2, width: 16, context: 8, vocabulary: 30 } as const;
   * const model = await loadModel(trainer({ model: settings }).export());
   * model.config['model_type']; // 'llama'
   * model.dispose();
   * await loadModel({}); // throws TrilError: loadModel: files: config.json is missing
   * ```
   */
  async loadModel(files: ModelSource, options: LoadModelOptions = {}): Promise<Model> {
    const loading = loadingOptions(call, options, ['lora']);
    const { context: positions = 0, weights = '', signal } = loading;
    signal?.throwIfAborted();
    const all = await filesOf(call, files);
    const adapter = await adapterOf(call, loading.lora);
    const raw = context.training(call);
    const { engine } = context;
    const reader = new ModelReader(context, call, all);
    const gguf = ggufOf(call, all);
    if (gguf !== undefined) {
      const header = await reader.header(gguf);
      const made = context.run(call, {}, () =>
        raw._ggufModel(
          ...([
            engine,
            gguf,
            header,
            sizeOf(reader.file(gguf)),
            positions,
            weights,
            false,
          ] as const),
        )!,
      );
      return new Model(context, await reader.read(made, [gguf], pieces.gguf, loading, adapter));
    }
    const config = await reader.bytes('config.json');
    const generation = await reader.optional('generation_config.json');
    const isPair = !all.has('tokenizer.json') && all.has('vocab.json');
    const tokenizer = await reader.optional(isPair ? 'vocab.json' : 'tokenizer.json');
    const merges = isPair ? await reader.bytes('merges.txt') : none;
    const names = await reader.parameterFiles();
    const made = context.run(call, {}, () =>
      raw._model(engine, config, generation, tokenizer, merges, positions, weights)!,
    );
    return new Model(context, await reader.read(made, names, pieces.folder, loading, adapter));
  },
});
