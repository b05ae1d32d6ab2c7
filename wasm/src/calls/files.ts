import type { Context } from '../context.js';
import { TrilError } from '../error.js';
import type { Bytes } from '../kinds.js';
import { checkBytes, kindOf, textOf } from '../file-kinds.js';
import { shown } from '../describe.js';
import { checkKeys, checkName, describe, stringOption } from '../names.js';
import type { RawTensor } from '../raw.js';
import type { Tensor } from '../tensor.js';
import { flatten, inferShape } from '../values.js';
import { readCsv } from '../csv.js';
import { numbersOf, readJson } from '../json.js';
import { listArchive, unpack, zip } from '../zip.js';

/** An array of a file, with its numbers rounded to float32. */
export interface StoredArray {
  /** Its name in the file; '' where a file holds one array without a name. */
  readonly name: string;
  /** NumPy's name of its elements' type, such as `'float16'`, or `'bfloat16'`. */
  readonly type: string;
  /** Its shape in the file: `[]` for a single number, whose tensor is `[1]`. */
  readonly shape: readonly number[];
  readonly tensor: Tensor;
}

/** An entry of a file that cannot be read. */
export interface SkippedEntry {
  readonly name: string;
  /** Why it cannot be read. */
  readonly problem: string;
}

/** The arrays in a file. */
export type StoredArrays = StoredArray[] & {
  /**
   * Entries that cannot be read, if any: text and Python's objects in an archive, complex numbers and
   * floats of 8 bits or fewer in a .safetensors file.
   */
  readonly skipped?: readonly SkippedEntry[];
};

/** The types in which numbers can be written to .npy and .npz; NumPy has no bfloat16. */
export type NumpyType = 'float32' | 'float16';

/** The options of the calls that write files. */
export interface WriteOptions<Type extends string = NumpyType> {
  /**
   * Type of the elements (default `'float32'`, which loses nothing). Other types are rounded to
   * nearest, with ties to even, and to infinity beyond their range.
   */
  readonly dtype?: Type;
}

/** The most bytes that a module with 32-bit addresses can hold. */
const largest = 2 ** 31 - 1;
const call = 'readArrays';

const withSkipped = (made: StoredArray[], skipped: readonly SkippedEntry[]): StoredArrays =>
  skipped.length > 0 ? Object.assign(made, { skipped }) : made;

export const fileCalls = (context: Context) => {
  const { raw, engine } = context;

  /** Reads a file in the module: one array, or several by name. */
  const readStored = (kind: 'npy' | 'safetensors', bytes: Uint8Array, name = ''): StoredArrays =>
    context.run(call, {}, () => {
      if (bytes.length > largest) {
        throw new TrilError(call, 'file', `has ${bytes.length} bytes; at most ${largest}`);
      }
      const made: StoredArray[] = [];
      const skipped: SkippedEntry[] = [];
      for (const each of raw._readFile(engine, kind, bytes)) {
        if ('problem' in each) {
          skipped.push(each);
          continue;
        }
        const { tensor, ...about } = each;
        const full = [name, about.name].filter(Boolean).join('.');
        made.push({ ...about, name: full, tensor: context.adopt(tensor) });
      }
      const [first] = skipped;
      if (first && made.length === 0) {
        throw new TrilError(call, 'file', `${shown(first.name)}: ${first.problem}`);
      }
      return withSkipped(made, skipped);
    });

  const tensorOf = (
    name: string,
    { numbers, type }: { readonly numbers: unknown; readonly type: string },
  ): StoredArray => {
    const shape = inferShape(call, numbers, 'file');
    const values = flatten(call, numbers, shape, 'file');
    return context.run(call, {}, () => {
      const handle = raw._tensor(engine, [...shape])!;
      handle.write(values);
      return { name, type, shape, tensor: context.adopt(handle) };
    });
  };

  /** The error of one part of a file, whose name it adds. */
  const ofPart = (name: string, error: unknown): unknown =>
    error instanceof TrilError && error.argument === 'file'
      ? new TrilError(call, 'file', `${shown(name)}: ${error.problem}`)
      : error;

  const arraysOf = (text: string): StoredArray[] => {
    const data = readJson(text);
    if (Array.isArray(data)) return [tensorOf('', numbersOf(data))];
    if (typeof data !== 'object' || data === null) {
      const problem = `must be an array or an object of arrays, is ${describe(data ?? NaN)}`;
      throw new TrilError(call, 'file', problem);
    }
    const made: StoredArray[] = [];
    for (const [name, part] of Object.entries(data)) {
      try {
        made.push(
          tensorOf(name, Array.isArray(part) ? numbersOf(part) : { numbers: part, type: '' }),
        );
      } catch (error) {
        for (const { tensor } of made) tensor.dispose();
        throw ofPart(name, error);
      }
    }
    return made;
  };

  const knownFile = (bytes: Uint8Array): string => raw._knownFile(bytes.subarray(0, 1024));

  const readArchive = async (bytes: Uint8Array): Promise<StoredArrays> => {
    const made: StoredArray[] = [];
    const skipped: SkippedEntry[] = [];
    let first: unknown; // what is wrong with the first one that is skipped
    const skip = (name: string, problem: string, error: unknown) => {
      first ??= error;
      skipped.push({ name, problem });
    };
    try {
      for (const entry of listArchive(bytes, largest)) {
        if (entry.name.endsWith('/')) continue; // a folder
        const name = entry.name.replace(/\.npy$/, '');
        if (name === entry.name) {
          const problem = `${shown(name)} in the archive is no .npy file`;
          skip(name, problem, new TrilError(call, 'file', problem));
          continue;
        }
        const content = await unpack(entry);
        try {
          for (const array of readStored('npy', content, name)) made.push(array);
        } catch (error) {
          if (!(error instanceof TrilError) || error.argument !== 'file') throw error;
          skip(name, error.problem, ofPart(name, error));
        }
      }
      if (first !== undefined && made.length === 0) {
        const known = knownFile(bytes);
        throw known ? new TrilError(call, 'file', known) : first;
      }
    } catch (error) {
      for (const { tensor } of made) tensor.dispose();
      throw error;
    }
    return withSkipped(made, skipped);
  };

  const numpyTypes: readonly string[] = ['float32', 'float16'] satisfies NumpyType[];
  const checkType = (name: string, options: WriteOptions<string>, known = numpyTypes): string => {
    checkKeys(name, 'options', 'option', options, ['dtype']);
    const type = stringOption(name, 'dtype', options.dtype, 'float32');
    checkName(name, 'dtype', 'type', type, known);
    return type;
  };
  const written = (
    kind: 'npy' | 'safetensors',
    name: string,
    tensors: Record<string, Tensor>,
    type: string,
  ) =>
    context.run(name, tensors, (handles) => {
      const names = Object.keys(tensors);
      const half = names.find((each) => /\p{Surrogate}/u.test(each));
      if (half !== undefined) {
        throw new TrilError(name, 'tensors', `the name ${JSON.stringify(half)} is not Unicode`);
      }
      const inOrder = Object.fromEntries(names.map((each, i) => [i, handles[each] as RawTensor]));
      return raw._writeFile(kind, inOrder, names, type);
    });
  const checkNamed = (name: string, tensors: unknown): Record<string, Tensor> => {
    if (typeof tensors === 'object' && tensors !== null && !Array.isArray(tensors)) {
      return tensors as Record<string, Tensor>;
    }
    const problem = `must be an object of tensors by name, is ${describe(tensors)}`;
    throw new TrilError(name, 'tensors', problem);
  };

  return {
    /**
     * The arrays in a file: NumPy's .npy and .npz, .safetensors, .json (nested numbers, or an object
     * of such, with NaN and Infinity as Python writes them, null for NaN, true and false for 1 and 0)
     * and .csv. Numbers of any type become float32. The kind of the file is told by its first bytes,
     * else by its name. Several arrays in a .npy file are named `arr_0`, `arr_1` and so on. Entries
     * of an archive or a .safetensors file that cannot be read are left out, and listed in `skipped`.
     *
     * @throws TrilError where the file is malformed or holds no numbers, with the place; nothing of
     * it is kept then
     *
     * @example
     * ```ts
     * const file = tril.writeNpz({ q: tril.tensor([[1, 2], [3, 4]]) }); // or the bytes of any file
     * const [array] = await tril.readArrays(file, 'arrays.npz');
     * array?.name; // 'q'
     * array?.type; // 'float32'
     * array?.tensor.toArray(); // [[1, 2], [3, 4]]
     * await tril.readArrays(file.slice(0, 50), 'arrays.npz'); // throws TrilError: readArrays: file:
     * ```
     */
    async readArrays(file: Bytes, name = ''): Promise<StoredArrays> {
      const bytes = checkBytes(file);
      switch (kindOf(bytes, name, knownFile)) {
        case 'npy':
          return readStored('npy', bytes);
        case 'npz':
          return readArchive(bytes);
        case 'safetensors':
          return readStored('safetensors', bytes);
        case 'json':
          return arraysOf(textOf(bytes));
        case 'csv':
          return [tensorOf('', readCsv(textOf(bytes)))];
      }
    },

    /**
     * The bytes of a .npy file, as `numpy.save` writes it.
     *
     * @throws TrilError where x is no tensor, or for a type that NumPy lacks
     *
     * @example
     * ```ts
     * const x = tril.tensor([[1, 2], [3, 4]]);
     * tril.writeNpy(x).length; // 144
     * tril.writeNpy(x, { dtype: 'float16' }).length; // 136
     * ```
     */
    writeNpy(x: Tensor, options: WriteOptions = {}): Uint8Array {
      return written('npy', 'writeNpy', { x }, checkType('writeNpy', options));
    },

    /**
     * The bytes of an .npz file, as `numpy.savez` writes it: an archive of .npy files.
     *
     * @throws TrilError where a value is no tensor, or for a type that NumPy lacks
     *
     * @example
     * ```ts
     * const normal = (seed: number) => tril.randomNormal([10, 64], { seed });
     * const [q, k] = [normal(1), normal(2)];
     * const bytes = tril.writeNpz({ q, k }, { dtype: 'float16' });
     * const arrays = await tril.readArrays(bytes);
     * arrays.map(({ name, type }) => `${name}: ${type}`); // ['q: float16', 'k: float16']
     * ```
     */
    writeNpz(tensors: Record<string, Tensor>, options: WriteOptions = {}): Uint8Array {
      const type = checkType('writeNpz', options);
      const entries = Object.entries(checkNamed('writeNpz', tensors));
      return zip(
        entries.map(([name, tensor]) => ({
          name: `${name}.npy`,
          bytes: written('npy', 'writeNpz', { [name]: tensor }, type),
        })),
      );
    },

    /**
     * The bytes of a .safetensors file, as Hugging Face's library writes it.
     *
     * @throws TrilError where a value is no tensor, a name cannot stand in such a file, or for
     * another type
     *
     * @example
     * ```ts
     * const weight = tril.tensor([[1, 2], [3, 4]]);
     * const bytes = tril.writeSafetensors({ 'linear.weight': weight }, { dtype: 'bfloat16' });
     * const [array] = await tril.readArrays(bytes, 'layer.safetensors');
     * array?.name; // 'linear.weight'
     * array?.tensor.toArray(); // [[1, 2], [3, 4]]
     * ```
     */
    writeSafetensors(
      tensors: Record<string, Tensor>,
      options: WriteOptions<NumpyType | 'bfloat16'> = {},
    ): Uint8Array {
      const name = 'writeSafetensors';
      const type = checkType(name, options, [...numpyTypes, 'bfloat16']);
      return written('safetensors', name, checkNamed(name, tensors), type);
    },
  };
};
