// .zip archives, to the extent of .npz files: entries that are stored or deflated (PKWARE's APPNOTE
// 6.3, sections 4.3 and 4.4), not encrypted, and in a single part.
import { shown } from './describe.js';
import { TrilError } from './error.js';

export interface ZipEntry {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const call = 'readArrays';
const refuse = (problem: string): never => {
  throw new TrilError(call, 'file', problem);
};

/** The cyclic redundancy check of archives (polynomial 0xEDB88320). */
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

const signatures = {
  ...{ entry: 0x04034b50, listed: 0x02014b50, end: 0x06054b50 },
  ...{ wideEnd: 0x06064b50, wideEndAt: 0x07064b50 },
} as const;
const endLength = 22;
const longestComment = 65535;
/** The value of a 32-bit field whose number is in a 64-bit field elsewhere. */
const elsewhere = 0xffffffff;

/** An entry in the archive's list. */
export interface ListedEntry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly size: number;
  /** The bytes in the archive. */
  readonly packed: Uint8Array;
}

/** A 64-bit number; one that is too large to be exact is too large for any use. */
const wide = (view: DataView, at: number) => Number(view.getBigUint64(at, true));

/** The position of the list of entries, and their number. */
function findList(view: DataView): { offset: number; count: number } {
  const first = Math.max(0, view.byteLength - endLength - longestComment);
  for (let at = view.byteLength - endLength; at >= first; --at) {
    if (view.getUint32(at, true) !== signatures.end) continue;
    const before = at - 20;
    if (before >= 0 && view.getUint32(before, true) === signatures.wideEndAt) {
      const end = wide(view, before + 8);
      if (end + 56 <= before && view.getUint32(end, true) === signatures.wideEnd) {
        return { offset: wide(view, end + 48), count: wide(view, end + 32) };
      }
      refuse(`the archive's end of 64 bits is not where it should be, byte ${end}`);
    }
    return { offset: view.getUint32(at + 16, true), count: view.getUint16(at + 10, true) };
  }
  return refuse('the archive has no list of its entries; it may be cut short');
}

/** The sizes and the position of an entry; 64-bit ones follow its name. */
function placeOf(view: DataView, at: number, extra: number, extraEnd: number) {
  let wider = extraEnd;
  for (let next = extra; next + 4 <= extraEnd; next += 4 + view.getUint16(next + 2, true)) {
    if (view.getUint16(next, true) === 1) wider = Math.min(wider, next + 4);
  }
  const numberAt = (field: number): number => {
    const number = view.getUint32(at + field, true);
    if (number !== elsewhere || wider + 8 > extraEnd) return number;
    wider += 8;
    return wide(view, wider - 8);
  };
  // The order of the fields in the format.
  return { size: numberAt(24), packedSize: numberAt(20), start: numberAt(42) };
}

/**
 * The entries of an archive, each of at most `largest` bytes. Their contents are not checked: see
 * unpack.
 *
 * @throws TrilError where the archive is malformed
 */
export function listArchive(bytes: Uint8Array, largest: number): ListedEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { offset, count } = findList(view);
  const entries: ListedEntry[] = [];
  let at = offset;
  let allPacked = 0;
  for (let entry = 0; entry < count; ++entry) {
    if (at + 46 > view.byteLength || view.getUint32(at, true) !== signatures.listed) {
      refuse(`entry ${entry} of the archive's list is not where it should be, byte ${at}`);
    }
    const flags = view.getUint16(at + 8, true);
    const method = view.getUint16(at + 10, true);
    const crc = view.getUint32(at + 16, true);
    const extra = at + 46 + view.getUint16(at + 28, true);
    const extraEnd = extra + view.getUint16(at + 30, true);
    if (extraEnd > view.byteLength) refuse(`entry ${entry} of the archive is cut short`);
    const name = new TextDecoder().decode(bytes.subarray(at + 46, extra));
    const { size, packedSize, start } = placeOf(view, at, extra, extraEnd);
    at = extraEnd + view.getUint16(at + 32, true);

    if (flags & 1) refuse(`${shown(name)} in the archive is encrypted`);
    if (method !== 0 && method !== 8) {
      refuse(`${shown(name)} in the archive is packed by method ${method}; 0 and 8 can be read`);
    }
    if (size > largest)
      refuse(`${shown(name)} in the archive has ${size} bytes; at most ${largest}`);
    if (start + 30 > view.byteLength || view.getUint32(start, true) !== signatures.entry) {
      refuse(`${shown(name)} in the archive is not where its list says, byte ${start}`);
    }
    const data = start + 30 + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
    if (data + packedSize > view.byteLength) refuse(`${shown(name)} in the archive is cut short`);
    if (method === 0 && size !== packedSize) {
      refuse(`${shown(name)} in the archive is stored, but its two sizes differ`);
    }
    // Many entries may share one piece of data, with which a small archive could become very large.
    allPacked += packedSize;
    if (allPacked > view.byteLength) refuse(`${shown(name)} in the archive overlaps another entry`);
    entries.push({ name, method, crc, size, packed: bytes.subarray(data, data + packedSize) });
  }
  return entries;
}

/** Takes memory as data arrives, whatever size the archive states. */
async function inflate({ name, packed, size }: ListedEntry): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const stream = new Blob([packed as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream('deflate-raw'));
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      return refuse(`${shown(name)} in the archive cannot be unpacked`);
    });
    if (done) break;
    parts.push(value);
    length += value.length;
    if (length > size) {
      await reader.cancel();
      refuse(`${shown(name)} in the archive is longer than the ${size} bytes that it says`);
    }
  }
  if (length < size)
    refuse(`${shown(name)} in the archive ends after ${length} of its ${size} bytes`);
  return join(parts);
}

/**
 * The contents of an entry.
 *
 * @throws TrilError where it cannot be unpacked, or its size or checksum is not what the list says
 */
export async function unpack(entry: ListedEntry): Promise<Uint8Array> {
  const content = entry.method === 0 ? entry.packed : await inflate(entry);
  if (checksum(content) !== entry.crc) {
    refuse(`the checksum of ${shown(entry.name)} in the archive is wrong`);
  }
  return content;
}

/** An archive of uncompressed entries. */
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
