// Untrusted files: valid ones with some bytes changed, by a seed. Each is read or refused with a TrilError, a refused
// one leaves nothing behind, and a tensor is no larger than its file can hold. FUZZ_SECONDS sets the duration.
import { TrilError } from 'tril';
import { expect, it } from 'vitest';
import { mutated, seeded } from '../mutations.js';
import { expectWorking, tril } from './helpers.js';
import { archive, expectReadable, fixture } from './stored-files.js';

const latin = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
const npy = fixture('f4_vector');
const [deflated, wide, stored] = [false, true, false].map((isWide, n) =>
  archive(
    ['a.npy', 'b.npy'].map((name) => ({ name, content: npy, stored: n === 2 })),
    isWide,
  ),
);
const files: Record<string, { seeds: string[]; words: string[] }> = {
  'x.npz': {
    seeds: [deflated!, wide!, stored!].map(latin),
    words: ['PK\x01\x02', '\xff\xff\xff\xff', '\0'],
  },
  'x.npy': {
    seeds: [npy, fixture('f4_scalar')].map(latin),
    words: ['(2, 0)', '<U4', '=f4', '}', '9'],
  },
  'x.csv': {
    seeds: ['-nan,1\n2,"3"', ',a,b\n0,0.5,0.25', '"V1" "V2"\n"1" 1 2', '1,5;2\n3;4;'],
    words: ['"', ',', ';', '\t', '\n', '\r', ' ', '#', 'nan', 'x', '1e5', '-', '.', '#N/A', '""'],
  },
  'x.json': {
    seeds: ['{"a": [[1, null], [true, -2e3]]}', '[NaN, -Infinity, "\\"x"]', '[[], []]'],
    words: [
      '[',
      ']',
      '{',
      '}',
      '"',
      '\\',
      ',',
      ':',
      'NaN',
      'Infinity',
      '-',
      'null',
      '1',
      '__proto__',
    ],
  },
};

const seconds = Number(process.env.FUZZ_SECONDS ?? 0);

it.each(Object.entries(files))(
  '%s',
  async (name, { seeds, words }) => {
    const below = seeded(20260101);
    const before = tril.memory().tensors;
    const end = Date.now() + 1000 * seconds;
    let [read, refused] = [0, 0];
    for (let n = 0; n < 2000 || Date.now() < end; ++n) {
      const content = mutated(seeds[below(seeds.length)]!, words, below);
      const file = Uint8Array.from(Buffer.from(content, 'latin1'));
      const shown = () => `${name}: ${JSON.stringify(content)}`;
      try {
        const arrays = await tril.readArrays(file, name);
        for (const { tensor, shape } of arrays) {
          expect(tensor.size, shown()).toBe(shape.reduce((product, size) => product * size, 1));
          // Deflate makes at most 1032 bytes of one.
          expect(tensor.size, shown()).toBeLessThanOrEqual(1032 * file.length);
          tensor.dispose();
        }
        ++read;
      } catch (error) {
        expect(error, shown()).toBeInstanceOf(TrilError);
        expect((error as TrilError).call, shown()).toBe('readArrays');
        expectReadable((error as TrilError).message, shown());
        ++refused;
      }
      expect(tril.memory().tensors, shown()).toBe(before);
    }
    expectWorking();
    expect(Math.min(read, refused)).toBeGreaterThan(20);
  },
  1000 * (seconds + 60),
);
