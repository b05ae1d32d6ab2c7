// Runs the built program in a temporary folder, and makes and reads its files.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Golden } from '../wasm/golden.js';

/** The built program. */
export const program =
  process.env.TRIL_PROGRAM ??
  fileURLToPath(new URL('../../build/native/native/cli/tril', import.meta.url));

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tril-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** Runs `tril ARGUMENTS` in the folder of the test. */
export function tril(...args: string[]): Outcome {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
  });
  if (error) throw error;
  return { code: status, out: stdout, error: stderr };
}

/** The same with bytes on standard input and from standard output. */
export function trilPiped(input: Uint8Array, ...args: string[]) {
  const maxBuffer = 2 ** 28;
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: folder,
    input,
    maxBuffer,
  });
  if (error) throw error;
  return { code: status, out: stdout, error: stderr.toString() };
}

/** Expects success without output on stderr, and returns the report. */
export function report(...args: string[]) {
  const outcome = tril(...args, '--json');
  expect(outcome).toMatchObject({ code: 0, error: '' });
  return JSON.parse(outcome.out);
}

/** Expects exit code 2, nothing on stdout, no new file and one line of error, which it returns. */
export function failure(...args: string[]): string {
  const before = files();
  const { code, out, error } = tril(...args);
  expect({ code, out }, error).toEqual({ code: 2, out: '' });
  expect(error).toMatch(/^tril: [^\n]*\n$/);
  expect(files()).toEqual(before);
  return error.slice('tril: '.length, -1);
}

/** The files in the folder, sorted, with their bytes. */
export const files = () =>
  readdirSync(folder)
    .sort()
    .map((name) => [name, readFileSync(join(folder, name)).toString('base64')]);

export const write = (name: string, bytes: Uint8Array | string) =>
  writeFileSync(join(folder, name), bytes);
export const read = (name: string) => readFileSync(join(folder, name));

/** A .npy file with these bytes; `descr` is NumPy's code of the type. */
export function npy(descr: string, shape: readonly number[], data: Uint8Array): Uint8Array {
  const axes = shape.length === 1 ? `${shape[0]},` : shape.join(', ');
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${axes}), }`;
  const header = Buffer.from(`${text.padEnd(Math.ceil((text.length + 11) / 64) * 64 - 11)}\n`);
  const preamble = Buffer.from('\x93NUMPY\x01\x00\x00\x00', 'latin1');
  preamble.writeUInt16LE(header.length, 8);
  return Buffer.concat([preamble, header, data]);
}

export function writeNpy(name: string, shape: readonly number[], values: ArrayLike<number>) {
  write(name, npy('<f4', shape, new Uint8Array(Float32Array.from(values).buffer)));
}

/** The float32 array of a .npy file that the program wrote. */
export function readNpy(name: string): Golden {
  const file = read(name);
  const end = 10 + file.readUInt16LE(8);
  const header = file.toString('latin1', 10, end);
  expect(header).toMatch(/'descr': '<f4', 'fortran_order': False/);
  const shape = [.../\(([^)]*)\)/.exec(header)![1]!.matchAll(/\d+/g)].map(Number);
  const values = new Float32Array(
    file.buffer.slice(file.byteOffset + end, file.byteOffset + file.length),
  );
  expect(values.length).toBe(shape.reduce((product, size) => product * size, 1));
  return { shape, values };
}

/** A .safetensors file of float32 tensors. */
export function safetensors(
  tensors: Record<string, { shape: readonly number[]; values: Float32Array }>,
  metadata?: Record<string, string>,
): Uint8Array {
  let end = 0;
  const entries = Object.entries(tensors).map(([name, { shape, values }]) => {
    const begin = end;
    end += values.byteLength;
    return [name, { dtype: 'F32', shape, data_offsets: [begin, end] }];
  });
  if (metadata) entries.unshift(['__metadata__', metadata as never]);
  const header = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const data = Object.values(tensors).map(({ values }) => new Uint8Array(values.slice().buffer));
  return Buffer.concat([length, header, ...data]);
}

interface Entry {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** False numbers in the archive instead of the true ones. */
  readonly lies?: { readonly size?: number; readonly checksum?: number; readonly method?: number };
}

/** A .zip archive of deflated files, in the form of numpy.savez_compressed (APPNOTE 6.3, section 4.3). */
export function zip(entries: readonly Entry[]): Uint8Array {
  const fields = (...each: [size: 2 | 4, value: number][]) => {
    const bytes = Buffer.alloc(each.reduce((sum, [size]) => sum + size, 0));
    each.reduce((at, [size, value]) => bytes.writeUIntLE(value, at, size), 0);
    return bytes;
  };
  const files: Uint8Array[] = [];
  const list: Uint8Array[] = [];
  let offset = 0;
  for (const { name, bytes, lies = {} } of entries) {
    const { size = bytes.length, checksum = crc32(bytes), method = 8 } = lies;
    const packed = deflateRawSync(bytes);
    const about = Buffer.concat([
      fields([2, 20], [2, 0], [2, method], [2, 0], [2, 33], [4, checksum]),
      fields([4, packed.length], [4, size], [2, name.length], [2, 0]),
    ]);
    const file = Buffer.concat([fields([4, 0x04034b50]), about, Buffer.from(name), packed]);
    list.push(fields([4, 0x02014b50], [2, 20]), about);
    list.push(fields([2, 0], [2, 0], [2, 0], [4, 0], [4, offset]), Buffer.from(name));
    files.push(file);
    offset += file.length;
  }
  const listed = Buffer.concat(list);
  const end = fields([4, 0x06054b50], [2, 0], [2, 0], [2, entries.length], [2, entries.length]);
  const tail = fields([4, listed.length], [4, offset], [2, 0]);
  return Buffer.concat([...files, listed, end, tail]);
}

/** Whether the program was built with libzip. */
export const readsNpz = () => tril('--help').out.includes('.npz archives are read');

/** PyTorch's tolerance for float32: atol 1e-5, rtol 1.3e-6. */
export function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>) {
  expect(actual.length).toBe(expected.length);
  for (let i = 0; i < expected.length; ++i) {
    const error = Math.abs(actual[i]! - expected[i]!);
    if (!(error <= 1e-5 + 1.3e-6 * Math.abs(expected[i]!)))
      throw new Error(`element ${i}: expected ${expected[i]}, actual ${actual[i]}`);
  }
}
