// The kind of the file that `readArrays` is given.
import { TrilError } from './error.js';
import { bytesOf } from './kinds.js';
import { describe } from './names.js';

const call = 'readArrays';
const kinds = '.npy, .npz, .safetensors, .json and .csv can be read';

type Kind = 'npy' | 'npz' | 'safetensors' | 'json' | 'csv';
const endings = new Map<string, Kind>([
  ...(['npy', 'npz', 'safetensors', 'json', 'csv'] as const).map((kind) => [kind, kind] as const),
  ...(['tsv', 'txt'] as const).map((ending) => [ending, 'csv'] as const),
]);

/**
 * The kind of a file: by its first bytes, else by its name, else by its content. `known` names
 * other kinds by their first bytes.
 */
export function kindOf(
  bytes: Uint8Array,
  name: string,
  known: (bytes: Uint8Array) => string,
): Kind {
  const begins = (...expected: number[]) => expected.every((byte, i) => bytes[i] === byte);
  if (begins(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59)) return 'npy'; // \x93NUMPY
  if (begins(0x50, 0x4b)) return 'npz'; // PK
  const isHeader = bytes[8] === 0x7b; // {, after a length, which may be any bytes
  const other = isHeader ? '' : known(bytes);
  if (other) throw new TrilError(call, 'file', other);
  const [, ending = ''] = /\.([a-z]+)$/i.exec(name) ?? [];
  const named = endings.get(ending.toLowerCase());
  if (named) return named;
  if (isHeader) return 'safetensors';
  throw new TrilError(
    call,
    'name',
    `is ${describe(name)}, a kind of file that is not known; ${kinds}`,
  );
}

export function checkBytes(file: unknown): Uint8Array {
  const bytes = bytesOf(file);
  if (bytes) return bytes;
  const problem = `must be an ArrayBuffer or a Uint8Array, is ${describe(file)}`;
  throw new TrilError(call, 'file', problem);
}

export function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new TrilError(call, 'file', 'is not text in UTF-8');
  }
}
