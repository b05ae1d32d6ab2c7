// .zip archives, as far as .npz files are some: entries that are stored or deflated (PKWARE's
// APPNOTE 6.3, sections 4.3 and 4.4). Not encrypted ones, and none of several parts.
import { TrilError } from './error.js';

export interface ZipEntry {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const call = 'readArrays';
const refuse = (problem: string): never => {
  throw new TrilError(call, 'file', problem);
};

/** The cyclic redundancy check that archives hold (polynomial 0xEDB88320). */
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; ++bit) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});
function checksum(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of bytes) rest = table[(rest ^ byte) & 255]! ^ (rest >>> 8);
  return ~rest >>> 0;
}

const signatures = { entry: 0x04034b50, listed: 0x02014b50, end: 0x06054b50 } as const;
const endLength = 22;
const longestComment = 65535;

/** Inflates to exactly `size` bytes, and takes no more memory than that. */
async function inflate(name: string, packed: Uint8Array, size: number): Promise<Uint8Array> {
  const out = new Uint8Array(size);
  let at = 0;
  const stream = new Blob([packed as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream('deflate-raw'));
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      return refuse(`"${name}" in the archive cannot be unpacked`);
    });
    if (done) break;
    if (at + value.length > size) {
      await reader.cancel();
      refuse(`"${name}" in the archive is longer than the ${size} bytes that it says`);
    }
    out.set(value, at);
    at += value.length;
  }
  if (at < size) refuse(`"${name}" in the archive ends after ${at} of its ${size} bytes`);
  return out;
}

/** Where the list of entries begins, and how many there are. */
function findList(view: DataView): { offset: number; count: number } {
  const first = Math.max(0, view.byteLength - endLength - longestComment);
  for (let at = view.byteLength - endLength; at >= first; --at) {
    if (view.getUint32(at, true) !== signatures.end) continue;
    const count = view.getUint16(at + 10, true);
    const offset = view.getUint32(at + 16, true);
    if (count === 0xffff || offset === 0xffffffff) refuse('archives of over 4 GB cannot be read');
    return { offset, count };
  }
  return refuse('the archive has no list of its entries; it may be cut short');
}

/**
 * The entries of an archive, one after the other, none of which may be larger than `largest` bytes.
 *
 * @throws TrilError, before memory is taken, where the archive is malformed, and after it where its
 * checksums are wrong
 */
export async function* unzip(bytes: Uint8Array, largest: number): AsyncGenerator<ZipEntry> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { offset, count } = findList(view);
  let at = offset;
  for (let entry = 0; entry < count; ++entry) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== signatures.listed) {
      refuse(`entry ${entry} of the archive's list is not where it should be, byte ${at}`);
    }
    const flags = view.getUint16(at + 8, true);
    const method = view.getUint16(at + 10, true);
    const crc = view.getUint32(at + 16, true);
    const [packedSize, size] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)];
    const nameLength = view.getUint16(at + 28, true);
    const skipped = view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    const start = view.getUint32(at + 42, true);
    if (at + 46 + nameLength > view.byteLength)
      refuse(`entry ${entry} of the archive is cut short`);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength));
    at += 46 + nameLength + skipped;

    if (flags & 1) refuse(`"${name}" in the archive is encrypted`);
    if (method !== 0 && method !== 8) {
      refuse(`"${name}" in the archive is packed by method ${method}; 0 and 8 can be read`);
    }
    if (size > largest) refuse(`"${name}" in the archive has ${size} bytes; at most ${largest}`);
    if (start + 30 > view.byteLength || view.getUint32(start, true) !== signatures.entry) {
      refuse(`"${name}" in the archive is not where its list says, byte ${start}`);
    }
    const data = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
    if (data + packedSize > view.byteLength) refuse(`"${name}" in the archive is cut short`);
    const packed = bytes.subarray(data, data + packedSize);
    if (method === 0 && size !== packedSize) {
      refuse(`"${name}" in the archive is stored, but its two sizes differ`);
    }
    const content = method === 0 ? packed : await inflate(name, packed, size);
    if (checksum(content) !== crc) refuse(`the checksum of "${name}" in the archive is wrong`);
    yield { name, bytes: content };
  }
}

/** An archive of entries that are stored as they are. */
export function zip(entries: readonly ZipEntry[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const list: Uint8Array[] = [];
  let offset = 0;
  for (const { name, bytes } of entries) {
    const text = new TextEncoder().encode(name);
    const head = new DataView(new ArrayBuffer(26));
    head.setUint16(0, 20, true); // version 2.0
    head.setUint16(2, 0x0800, true); // names in UTF-8
    head.setUint16(8, 0x21, true); // 1 January 1980
    head.setUint32(10, checksum(bytes), true);
    head.setUint32(14, bytes.length, true);
    head.setUint32(18, bytes.length, true);
    head.setUint16(22, text.length, true);
    const shared = new Uint8Array(head.buffer);
    parts.push(uint32(signatures.entry), shared, text, bytes);
    const where = new DataView(new ArrayBuffer(14));
    where.setUint32(10, offset, true);
    list.push(
      uint32(signatures.listed),
      Uint8Array.of(20, 0),
      shared,
      new Uint8Array(where.buffer),
    );
    list.push(text);
    offset += 30 + text.length + bytes.length;
  }
  const end = new DataView(new ArrayBuffer(endLength));
  end.setUint32(0, signatures.end, true);
  end.setUint16(8, entries.length, true);
  end.setUint16(10, entries.length, true);
  end.setUint32(
    12,
    list.reduce((sum, part) => sum + part.length, 0),
    true,
  );
  end.setUint32(16, offset, true);
  return join([...parts, ...list, new Uint8Array(end.buffer)]);
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
