// Files of strangers: good ones with some bytes changed, by a seed. Each is read or refused by a TrilError, nothing of
// a refused one stays, and what is read is no larger than its file can hold. FUZZ_SECONDS goes on that long.
import { TrilError } from 'tril';
import { expect, it } from 'vitest';
import { expectWorking, tril } from './helpers.js';
import { archive, fixture, text } from './stored-files.js';

/** Marsaglia's xorshift. */
function generator(seed: number) {
  let state = seed;
  return (count: number): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % count;
  };
}

const npy = fixture('f4_vector');
const [deflated, wide, stored] = [false, true, false].map((isWide, n) =>
  archive(
    ['a.npy', 'b.npy'].map((name) => ({ name, content: npy, stored: n === 2 })),
    isWide,
  ),
);
const files: Record<string, { seeds: Uint8Array[]; words: string[] }> = {
  'x.npz': { seeds: [deflated!, wide!, stored!], words: ['PK\x01\x02', '\xff\xff\xff\xff', '\0'] },
  'x.npy': { seeds: [npy, fixture('f4_scalar')], words: ['(2, 0)', '<U4', '=f4', '}', '9'] },
  'x.csv': {
    seeds: ['-nan,1\n2,"3"', ',a,b\n0,0.5,0.25', '"V1" "V2"\n"1" 1 2', '1,5;2\n3;4;'].map(text),
    words: ['"', ',', ';', '\t', '\n', '\r', ' ', '#', 'nan', 'x', '1e5', '-', '.', '#N/A', '""'],
  },
  'x.json': {
    seeds: ['{"a": [[1, null], [true, -2e3]]}', '[NaN, -Infinity, "\\"x"]', '[[], []]'].map(text),
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

/** A seed with some pieces cut, copied, or changed. */
function mutated(draw: (count: number) => number, seeds: Uint8Array[], words: string[]) {
  let file = [...seeds[draw(seeds.length)]!];
  for (let change = 1 + draw(4); change > 0; --change) {
    const at = draw(file.length + 1);
    const piece = file.slice(at, at + 1 + draw(8));
    const word = [...Buffer.from(words[draw(words.length)]!, 'latin1')];
    switch (draw(6)) {
      case 0:
        file.splice(at, piece.length);
        break;
      case 1:
        file.splice(draw(file.length + 1), 0, ...piece);
        break;
      case 2:
        file.splice(at, 0, ...word);
        break;
      case 3:
        file.splice(at, word.length, ...word);
        break;
      case 4:
        if (at < file.length) file[at] = draw(256);
        break;
      default:
        if (draw(8) === 0) file = file.slice(0, at);
        else if (at < file.length) file[at]! ^= 1 << draw(8);
    }
  }
  return Uint8Array.from(file);
}

const seconds = Number(process.env.FUZZ_SECONDS ?? 0);

it.each(Object.entries(files))(
  '%s',
  async (name, { seeds, words }) => {
    const draw = generator(20260101);
    const before = tril.memory().tensors;
    const end = Date.now() + 1000 * seconds;
    let [read, refused] = [0, 0];
    for (let n = 0; n < 2000 || Date.now() < end; ++n) {
      const file = mutated(draw, seeds, words);
      const shown = () => `${name}: ${JSON.stringify(Buffer.from(file).toString('latin1'))}`;
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
        ++refused;
      }
      expect(tril.memory().tensors, shown()).toBe(before);
    }
    expectWorking();
    expect(Math.min(read, refused)).toBeGreaterThan(20);
  },
  1000 * (seconds + 60),
);
