// A picture of strengths before any script has run: a mask over one colour, which follows the theme. Used only in Node,
// while pages are prerendered.
import { crc32, deflateSync } from 'node:zlib';

function chunk(name: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** A style with a mask as strong as each of the values, row by row, from 0 to 1. */
export function maskOf(cols: number, strengths: readonly number[]): string {
  const rows = strengths.length / cols;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(cols, 0);
  head.writeUInt32BE(rows, 4);
  head.set([8, 4], 8); // 8 bits each of grey and alpha
  const lines = Buffer.alloc(rows * (2 * cols + 1));
  strengths.forEach((strength, i) => {
    const row = Math.floor(i / cols);
    lines[row * (2 * cols + 1) + 2 * (i % cols) + 2] = Math.round(255 * strength);
  });
  const png = Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  return `mask:url(data:image/png;base64,${png.toString('base64')}) 0 0/100% 100%`;
}
