import type { Context } from '../context.js';
import { TrilError } from '../error.js';
import { Model } from '../model.js';
import { bytesOf, isBlob, isResponse } from '../kinds.js';
import type { LoadModelOptions, ModelFile, ModelSource } from '../model-types.js';
import type { AdapterFiles } from '../trainer-types.js';
import {
  checkFunction,
  checkKeys,
  checkName,
  describe,
  integerOption,
  signalOption,
  stringOption,
} from '../names.js';
import { yieldToEventLoop } from '../event-loop.js';

const call = 'loadModel';
const none = new Uint8Array();
/** Bytes of a file that are in memory at once, besides those that are where they stay; 34, those of a block, divide the second. */
const pieces = { folder: 2 ** 23, gguf: 2 ** 23 - 128 };

/** What is read of: bytes, without a copy, or a Blob. */
type Readable = Uint8Array | Blob;

async function readable(name: string, file: ModelFile): Promise<Readable> {
  if (!isResponse(file)) return isBlob(file) ? file : bytesOf(file)!;
  if (file.ok) return file.blob();
  throw new TrilError(
    call,
    'files',
    `${name} could not be fetched: it was answered ${file.status}`,
  );
}

/** What is there, by names; of a path the last part counts. */
export async function filesOf(
  source: ModelSource | AdapterFiles,
  argument = 'files',
): Promise<Map<string, Readable>> {
  // Fetched where it is asked for: no page can read folders by their paths.
  if (typeof source === 'string') return (await import('../folder.js')).filesInFolder(call, source);
  const isObject = typeof source === 'object' && source !== null && !bytesOf(source);
  const entries: readonly (readonly [unknown, unknown])[] | undefined = !isObject
    ? undefined
    : Symbol.iterator in source
      ? [...source].map((file) => [file?.name, file])
      : Object.entries(source);
  const isFile = (entry: readonly [unknown, unknown]): entry is [string, ModelFile] =>
    typeof entry[0] === 'string' &&
    (bytesOf(entry[1]) !== undefined || isBlob(entry[1]) || isResponse(entry[1]));
  if (!entries?.every(isFile)) {
    const wrong = entries?.find((entry) => !isFile(entry));
    const problem =
      typeof wrong?.[0] === 'string'
        ? `${wrong[0]} must be bytes, a Blob or a Response, is ${describe(wrong[1])}`
        : `must be files by their names, a list of files or, in Node, the path of a folder, is ${describe(source)}`;
    throw new TrilError(call, argument, problem);
  }
  const named = entries.map(async ([path, file]) => {
    const name = path.replace(/.*\//, '');
    return [name, await readable(name, file)] as const;
  });
  return new Map(await Promise.all(named));
}

/** The options, once they are known to be right. */
export function loadingOptions(options: LoadModelOptions): LoadModelOptions {
  checkKeys(call, 'options', 'option', options, [
    'context',
    'weights',
    'lora',
    'progress',
    'signal',
  ]);
  const { progress } = options;
  const context =
    options.context === undefined ? 0 : integerOption(call, 'context', options.context, 0, 1);
  const weights = stringOption(call, 'weights', options.weights, '');
  if (options.weights !== undefined) checkName(call, 'weights', 'kind', weights, ['q8_0']);
  if (progress !== undefined) checkFunction(call, 'progress', progress);
  const signal = signalOption(call, 'signal', options.signal);
  return {
    ...(context > 0 && { context }),
    ...(options.weights !== undefined && { weights: options.weights }),
    ...(options.lora !== undefined && { lora: options.lora }),
    ...(progress && { progress }),
    ...(signal && { signal }),
  };
}

/** Reads the bytes `from` to before `to` of a file. */
export const readRange = async (file: Readable, from = 0, to = Infinity): Promise<Uint8Array> =>
  isBlob(file)
    ? new Uint8Array(await file.slice(from, Math.min(to, file.size)).arrayBuffer())
    : file.subarray(from, to);

export const sizeOf = (file: Readable) => (isBlob(file) ? file.size : file.length);

/** The one of this name. */
export function fileOf(files: ReadonlyMap<string, Readable>, name: string, argument = 'files') {
  const file = files.get(name);
  if (file !== undefined) return file;
  throw new TrilError(call, argument, `${name} is missing`);
}

/** The bytes of an adapter's files. */
export async function adapterOf(
  source: LoadModelOptions['lora'],
): Promise<AdapterFiles | undefined> {
  if (source === undefined) return undefined;
  const all = await filesOf(source, 'lora');
  const bytesOf = (name: string) => readRange(fileOf(all, name, 'lora'));
  return {
    'adapter_config.json': await bytesOf('adapter_config.json'),
    'adapter_model.safetensors': await bytesOf('adapter_model.safetensors'),
  };
}

/** The GGUF file among them, which has all of a model; nothing where the model is made of others. */
function ggufOf(files: ReadonlyMap<string, Readable>): string | undefined {
  if (files.has('config.json')) return undefined;
  const names = [...files.keys()].filter((name) => name.endsWith('.gguf'));
  if (names.length < 2) return names[0];
  const problem = `must have one .gguf file, or config.json, have ${names.join(', ')}`;
  throw new TrilError(call, 'files', problem);
}

export const modelCalls = (context: Context) => ({
  /**
   * A language model from its files, or in Node from the path of their folder: `config.json` of any family that `ModelSettings.family` names,
   * `model.safetensors`, or the parts that `model.safetensors.index.json` lists, and, for texts,
   * `tokenizer.json` or `vocab.json` with `merges.txt`. Texts end at `eos_token_id` of
   * `generation_config.json`, or, where that names none, of `config.json`; how tokens are drawn is for
   * `generate` to be told, whatever the file has. Matrices of `float16` and `bfloat16` keep their size
   * in memory, and are widened while they are multiplied with; with `weights: 'q8_0'` they are made half as large
   * again while they are read. At most 8 MiB are in memory besides the model:
   * of files that are Blobs, or in a folder, no more is read at once.
   *
   * Or from one `.gguf` file of these families, in Node also by its path: tensors of F32, F16, BF16 and Q8_0, the last of which are widened
   * to `float32` unless `weights` is `'q8_0'`, and its tokenizer (`tokenizer.ggml.model` `gpt2` or `llama`). What stands before its tensors is
   * in memory at once while they are looked for.
   *
   * With `lora` an adapter is merged into it, in `float32`, as it is read.
   *
   * @throws TrilError naming the file, and the tensor in it, where one is missing, cut short or not
   * what the others say; where the family is none of these; and where memory is out. And what `signal`
   * is aborted with. Nothing is kept then
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
    const given = loadingOptions(options);
    const { context: positions = 0, weights = '', progress, signal } = given;
    signal?.throwIfAborted();
    const all = await filesOf(files);
    const adapter = await adapterOf(given.lora);
    const bytesOf = (name: string) => readRange(fileOf(all, name));
    /** Of a file that may be missing: none only where it is. */
    const optional = async (name: string) => {
      const bytes = all.has(name) ? await bytesOf(name) : none;
      if (bytes.length > 0 || !all.has(name)) return bytes;
      throw new TrilError(call, name, 'is empty');
    };
    const raw = context.training(call);
    const { engine } = context;
    /** What stands in a file before its tensors. */
    const headerOf = async (name: string) => {
      const file = fileOf(all, name);
      for (let size = 64; ;) {
        const bytes = await readRange(file, 0, size);
        size = context.run(call, {}, () => raw._modelBegin(name, bytes, sizeOf(file)));
        if (size <= bytes.length) return bytes.subarray(0, size);
      }
    };
    const gguf = ggufOf(all);
    const openGguf = async (name: string) => {
      const header = await headerOf(name);
      return {
        names: [name],
        made: context.run(call, {}, () =>
          raw._ggufModel(engine, name, header, sizeOf(fileOf(all, name)), positions, weights)!,
        ),
      };
    };
    const openFolder = async () => {
      const config = await bytesOf('config.json');
      const generation = await optional('generation_config.json');
      const isPair = !all.has('tokenizer.json') && all.has('vocab.json');
      const tokenizer = await optional(isPair ? 'vocab.json' : 'tokenizer.json');
      const merges = isPair ? await bytesOf('merges.txt') : none;
      const index = 'model.safetensors.index.json';
      const isWhole = all.has('model.safetensors') || !all.has(index);
      const list = isWhole ? undefined : await bytesOf(index);
      const names = list
        ? context.run(call, {}, () => raw._modelShards(list))
        : ['model.safetensors'];
      names.forEach((name) => fileOf(all, name)); // before anything is made
      return {
        names,
        made: context.run(call, {}, () =>
          raw._model(engine, config, generation, tokenizer, merges, positions, weights)!,
        ),
      };
    };
    const { names, made } = await (gguf === undefined ? openFolder() : openGguf(gguf));
    const total = names.reduce((sum, name) => sum + sizeOf(fileOf(all, name)), 0);
    try {
      if (adapter) {
        const { 'adapter_config.json': config, 'adapter_model.safetensors': tensors } = adapter;
        context.run(call, {}, () => made.adapt(config, tensors));
      }
      // All headers first: they say of which type the numbers of each matrix are.
      const opened = [];
      for (const name of names) {
        const file = fileOf(all, name);
        const size = sizeOf(file);
        const header = await headerOf(name);
        const places = context.run(call, {}, () => made.open(name, header, size));
        opened.push({ name, file, size, places });
      }
      let done = 0;
      const piece = gguf === undefined ? pieces.folder : pieces.gguf;
      const pause = yieldToEventLoop();
      for (const { name, file, size, places } of opened) {
        const end = done + size;
        for (let i = 0; i < places.length / 2; i += 1) {
          const [first, count] = [places[2 * i]!, places[2 * i + 1]!];
          for (let begin = 0; begin < count; begin += piece) {
            const size = Math.min(piece, count - begin);
            const bytes = await readRange(file, first + begin, first + begin + size);
            context.run(call, {}, () => made.read(name, i, begin, bytes));
            if (i + begin > 0) progress?.(done, total);
            done += size;
            await pause();
            signal?.throwIfAborted();
          }
        }
        progress?.((done = end), total);
      }
      context.run(call, {}, () => made.finish());
      return new Model(context, made);
    } catch (error) {
      made.delete();
      throw error;
    }
  },
});
