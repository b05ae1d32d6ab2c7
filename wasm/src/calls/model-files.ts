import type { Context } from '../context.js';
import { TrilError } from '../error.js';
import { yieldToEventLoop } from '../event-loop.js';
import { bytesOf, isBlob, isResponse } from '../kinds.js';
import type { LoadModelOptions, ModelFile, ModelSource } from '../model-types.js';
import {
  checkFunction,
  checkKeys,
  checkName,
  describe,
  integerOption,
  signalOption,
  stringOption,
} from '../names.js';
import type { RawModel } from '../raw.js';
import type { AdapterFiles } from '../trainer-types.js';

/** The bytes of an optional file that is missing. */
export const none = new Uint8Array();
/**
 * Bytes of a file that are read at once, besides any held in memory already; the second is divisible by 34, the bytes of a block.
 */
export const pieces = { folder: 2 ** 23, gguf: 2 ** 23 - 128 };

/** A source of bytes: bytes in memory, read without a copy, or a Blob. */
export type Readable = Uint8Array | Blob;

async function readable(call: string, name: string, file: ModelFile): Promise<Readable> {
  if (!isResponse(file)) return isBlob(file) ? file : bytesOf(file)!;
  const refuse = (problem: string): never => {
    throw new TrilError(call, 'files', `${name} could not be fetched: ${problem}`);
  };
  if (!file.ok) return refuse(`it was answered ${file.status}`);
  if (file.bodyUsed) return refuse('the body of its Response has been read already');
  return file.blob().catch((error: unknown) => refuse(String(error)));
}

/** The last part of a path, preceded by the numbered folder for a module of a sentence encoder. */
const nameOf = (path: string) =>
  /\d+_\w+\/config\.json$/.exec(path)?.[0] ?? path.replace(/.*\//, '');

/** The files by name; of several with one name, the least deep one counts. */
export async function filesOf(
  call: string,
  source: ModelSource | AdapterFiles,
  argument = 'files',
): Promise<Map<string, Readable>> {
  // Fetched on demand: no page can read folders by their paths.
  if (typeof source === 'string') return (await import('../folder.js')).filesInFolder(call, source);
  const isObject = typeof source === 'object' && source !== null && !bytesOf(source);
  const entries: readonly (readonly [unknown, unknown])[] | undefined = !isObject
    ? undefined
    : Symbol.iterator in source
      ? [...source].map((file) => [file?.webkitRelativePath || file?.name, file])
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
  const depth = (path: string) => path.split('/').length;
  const deepestFirst = [...entries].sort(([a], [b]) => depth(b) - depth(a));
  const named = deepestFirst.map(async ([path, file]) => {
    const name = nameOf(path);
    return [name, await readable(call, name, file)] as const;
  });
  return new Map(await Promise.all(named));
}

const optionNames = ['context', 'weights', 'progress', 'signal'];

/** The options, once known to be right; `more` are the additional options of this call. */
export function loadingOptions(
  call: string,
  options: LoadModelOptions,
  more: readonly string[] = [],
): LoadModelOptions {
  checkKeys(call, 'options', 'option', options, [...optionNames, ...more]);
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

export const sizeOf = (file: Readable) => (isBlob(file) ? file.size : file.length);

/** The file with this name. */
export function fileOf(
  call: string,
  files: ReadonlyMap<string, Readable>,
  name: string,
  argument = 'files',
): Readable {
  const file = files.get(name);
  if (file !== undefined) return file;
  throw new TrilError(call, argument, `${name} is missing`);
}

/** Reads the bytes from `from` to before `to` of the file with this name. */
export async function readRange(
  call: string,
  files: ReadonlyMap<string, Readable>,
  name: string,
  { from = 0, to = Infinity, argument = 'files' } = {},
): Promise<Uint8Array> {
  const file = fileOf(call, files, name, argument);
  if (!isBlob(file)) return file.subarray(from, to);
  const part = file.slice(from, Math.min(to, file.size));
  return new Uint8Array(
    await part.arrayBuffer().catch((error: unknown) => {
      throw new TrilError(call, argument, `${name} could not be read: ${String(error)}`);
    }),
  );
}

/** The GGUF file among the files, which contains the whole model; undefined where there is none. */
export function ggufOf(call: string, files: ReadonlyMap<string, Readable>): string | undefined {
  if (files.has('config.json')) return undefined;
  const names = [...files.keys()].filter((name) => name.endsWith('.gguf'));
  if (names.length < 2) return names[0];
  const problem = `must have one .gguf file, or config.json, have ${names.join(', ')}`;
  throw new TrilError(call, 'files', problem);
}

/** The bytes of an adapter's files. */
export async function adapterOf(
  call: string,
  source: LoadModelOptions['lora'],
): Promise<AdapterFiles | undefined> {
  if (source === undefined) return undefined;
  const all = await filesOf(call, source, 'lora');
  const bytes = (name: string) => readRange(call, all, name, { argument: 'lora' });
  return {
    'adapter_config.json': await bytes('adapter_config.json'),
    'adapter_model.safetensors': await bytes('adapter_model.safetensors'),
  };
}

/** The files of a model while it is read, for one call. */
export class ModelReader {
  constructor(
    readonly context: Context,
    readonly call: string,
    readonly files: ReadonlyMap<string, Readable>,
  ) {}

  file(name: string): Readable {
    return fileOf(this.call, this.files, name);
  }

  bytes(name: string): Promise<Uint8Array> {
    return readRange(this.call, this.files, name);
  }

  /** The bytes of an optional file: none only where it is missing. */
  async optional(name: string): Promise<Uint8Array> {
    const bytes = this.files.has(name) ? await this.bytes(name) : none;
    if (bytes.length > 0 || !this.files.has(name)) return bytes;
    throw new TrilError(this.call, name, 'is empty');
  }

  /** The files of the parameters. */
  async parameterFiles(): Promise<string[]> {
    const index = 'model.safetensors.index.json';
    const isWhole = this.files.has('model.safetensors') || !this.files.has(index);
    const list = isWhole ? undefined : await this.bytes(index);
    const raw = this.context.training(this.call);
    const names = list
      ? [...this.context.run(this.call, {}, () => raw._modelShards(list))]
      : ['model.safetensors'];
    names.forEach((name) => this.file(name)); // before anything is made
    return names;
  }

  /** The part of a file before its tensors. */
  async header(name: string): Promise<Uint8Array> {
    const file = this.file(name);
    const raw = this.context.training(this.call);
    for (let size = 64; ;) {
      const bytes = await readRange(this.call, this.files, name, { to: size });
      size = this.context.run(this.call, {}, () => raw._modelBegin(name, bytes, sizeOf(file)));
      if (size <= bytes.length) return bytes.subarray(0, size);
    }
  }

  /** Reads the parameters of a model, piece by piece, and merges an adapter. A failure disposes the model. */
  async read(
    made: RawModel,
    names: readonly string[],
    piece: number,
    { progress, signal }: Pick<LoadModelOptions, 'progress' | 'signal'>,
    adapter?: AdapterFiles,
  ): Promise<RawModel> {
    const { context, call } = this;
    const total = names.reduce((sum, name) => sum + sizeOf(this.file(name)), 0);
    try {
      if (adapter) {
        const { 'adapter_config.json': config, 'adapter_model.safetensors': tensors } = adapter;
        context.run(call, {}, () => made.adapt(config, tensors));
      }
      // All headers first: they tell the type of each matrix.
      const opened = [];
      for (const name of names) {
        const size = sizeOf(this.file(name));
        const header = await this.header(name);
        const places = context.run(call, {}, () => made.open(name, header, size));
        opened.push({ name, size, places });
      }
      let done = 0;
      const pause = yieldToEventLoop();
      for (const { name, size, places } of opened) {
        const end = done + size;
        for (let i = 0; i < places.length / 2; i += 1) {
          const [first, count] = [places[2 * i]!, places[2 * i + 1]!];
          for (let begin = 0; begin < count; begin += piece) {
            const size = Math.min(piece, count - begin);
            const from = first + begin;
            const bytes = await readRange(call, this.files, name, { from, to: from + size });
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
      return made;
    } catch (error) {
      made.delete();
      throw error;
    }
  }
}
