// Array files for tests: the results of readArrays, the requirements for its errors, and archives.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { TrilError, type StoredArray } from 'tril';
import { expect } from 'vitest';
import { expectWorking, tril } from './helpers.js';

export const goldenFiles = join(import.meta.dirname, '..', 'golden', 'files');
/** A file that NumPy wrote. */
export const fixture = (name: string) =>
  new Uint8Array(readFileSync(join(goldenFiles, `${name}.npy`)));

export const text = (value: string) => new TextEncoder().encode(value);

/** The arrays with their numbers; the tensors are disposed. */
export function released(arrays: StoredArray[]) {
  return arrays.map(({ tensor, ...about }) => {
    const [values, held] = [[...tensor.read()], tensor.shape];
    tensor.dispose();
    return { ...about, values, held };
  });
}

/** The only array of a file. */
export async function only(file: Uint8Array, name = '') {
  const arrays = await tril.readArrays(file, name);
  expect(arrays).toHaveLength(1);
  return released(arrays)[0]!;
}

/**
 * Expects a message to be one line and no longer than a sentence with two quotes, whatever the file holds: 60
 * characters of each, with up to six letters for an escaped one.
 */
export function expectReadable(message: string, about: string) {
  expect(message, about).not.toMatch(/\p{Cc}/u);
  expect(message.length, about).toBeLessThan(1000);
}

/** Expects the file to be refused with this message, without a trace of it in memory, and with a working module. */
export async function expectRefused(file: unknown, name: string, says: string | RegExp) {
  const before = tril.memory().tensors;
  const error: unknown = await tril.readArrays(file as Uint8Array, name).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error, String(says)).toBeInstanceOf(TrilError);
  expect(error).toMatchObject({ call: 'readArrays' });
  const { message } = error as TrilError;
  expectReadable(message, String(says));
  if (typeof says === 'string') expect(message).toContain(says);
  else expect(message).toMatch(says);
  expect(tril.memory().tensors).toBe(before);
  expectWorking();
}

function checksum(content: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of content) {
    crc ^= byte;
    for (let bit = 0; bit < 8; ++bit) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

type Field = [size: 2 | 4 | 8, value: number];
function fields(...all: Field[]): Buffer {
  const bytes = Buffer.alloc(all.reduce((sum, [size]) => sum + size, 0));
  let at = 0;
  for (const [size, value] of all) {
    if (size === 8) at = bytes.writeBigUInt64LE(BigInt(value), at);
    else at = bytes.writeUIntLE(value, at, size);
  }
  return bytes;
}

export interface Entry {
  readonly name: string;
  readonly content: Uint8Array;
  /** Stored without compression. */
  readonly stored?: boolean;
  /** The size in the central directory. */
  readonly size?: number;
}

/**
 * An archive as zip programs write it; with `wide` all sizes are in 64-bit fields, as from writers that do not know
 * them beforehand (Python's force_zip64).
 */
export function archive(entries: readonly Entry[], wide = false): Uint8Array {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let offset = 0;
  for (const { name, content, stored = false, size = content.length } of entries) {
    const packed = stored ? content : deflateRawSync(content);
    const title = text(name);
    const number = (value: number): Field => [4, wide ? 0xffffffff : value];
    const about = (extra: Buffer): Field[] => [
      ...([
        [2, wide ? 45 : 20],
        [2, 0x800],
        [2, stored ? 0 : 8],
        [2, 0],
        [2, 33],
      ] as Field[]),
      ...([[4, checksum(content)], number(packed.length), number(size)] as Field[]),
      ...([
        [2, title.length],
        [2, extra.length],
      ] as Field[]),
    ];
    const sizes: Field[] = [
      [8, size],
      [8, packed.length],
    ];
    const none = Buffer.alloc(0);
    const local = wide ? fields([2, 1], [2, 16], ...sizes) : none;
    // Archives often begin with another field.
    const time: Field[] = [
      [2, 0x5455],
      [2, 1],
    ];
    const listed = wide
      ? Buffer.concat([
          fields(...time),
          Buffer.of(3),
          fields([2, 1], [2, 24], ...sizes, [8, offset]),
        ])
      : none;
    const entry = Buffer.concat([fields([4, 0x04034b50], ...about(local)), title, local, packed]);
    const place: Field[] = [[2, 0], [2, 0], [2, 0], [4, 0], number(offset)];
    list.push(
      fields([4, 0x02014b50], [2, 20], ...about(listed), ...place),
      Buffer.from(title),
      listed,
    );
    parts.push(entry);
    offset += entry.length;
  }
  const all = Buffer.concat(list);
  const count = entries.length;
  const wideEnd = wide
    ? [
        fields([4, 0x06064b50], [8, 44], [2, 45], [2, 45], [4, 0], [4, 0], [8, count], [8, count]),
        fields([8, all.length], [8, offset]),
        fields([4, 0x07064b50], [4, 0], [8, offset + all.length], [4, 1]),
      ]
    : [];
  const counts: Field[] = wide
    ? [
        [2, 0xffff],
        [2, 0xffff],
        [4, 0xffffffff],
        [4, 0xffffffff],
      ]
    : [
        [2, count],
        [2, count],
        [4, all.length],
        [4, offset],
      ];
  const end = fields([4, 0x06054b50], [2, 0], [2, 0], ...counts, [2, 0]);
  return new Uint8Array(Buffer.concat([...parts, all, ...wideEnd, end]));
}
