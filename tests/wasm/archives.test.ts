// Archives of other programs: 64-bit fields, entries that are not arrays, wrong sizes.
import { spawnSync } from 'node:child_process';
import { loadTril } from 'tril/worker';
import { describe, expect, it, vi } from 'vitest';
import { tril } from './helpers.js';
import { archive, expectRefused, fixture, released, text } from './stored-files.js';

const npy = (values: number[]) => {
  const x = tril.tensor(values);
  const file = tril.writeNpy(x);
  x.dispose();
  return file;
};
/** An array of texts and one of Python objects, as numpy.savez writes them. */
const header = (descr: string, shape: string, data: number) => {
  const dictionary = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }\n`;
  const begin = [0x93, ...text('NUMPY'), 1, 0, dictionary.length, 0];
  return Uint8Array.from([...begin, ...text(dictionary), ...new Uint8Array(data)]);
};
const words = header('<U4', '(3,)', 48);
const objects = header('|O', '()', 12);

describe('archives', () => {
  it('may have fields of 64 bits', async () => {
    for (const stored of [true, false]) {
      const entries = [
        { name: 'a.npy', content: npy([1, 2]), stored },
        { name: 'b.npy', content: npy([3]), stored },
      ];
      const arrays = released(await tril.readArrays(archive(entries, true), 'x.npz'));
      expect(arrays).toMatchObject([
        { name: 'a', values: [1, 2] },
        { name: 'b', values: [3] },
      ]);
    }
    const file = archive([{ name: 'a.npy', content: npy([1, 2]) }], true);
    for (let length = 4; length < file.length; length += 3) {
      await expectRefused(file.slice(0, length), 'x.npz', /./);
    }
  });

  it('are read as Python writes them to streams', async ({ skip }) => {
    const program = [
      'import sys, zipfile',
      'with zipfile.ZipFile(sys.stdout.buffer, "w", zipfile.ZIP_DEFLATED) as archive:',
      '  for name in "a", "b":',
      '    with archive.open(name + ".npy", "w", force_zip64=True) as entry:',
      '      entry.write(sys.stdin.buffer.read(136))',
    ].join('\n');
    const input = Buffer.concat([npy([1, 2]), npy([3, 4])]);
    const { status, stdout } = spawnSync('python3', ['-c', program], { input });
    if (status !== 0) skip();
    const arrays = released(await tril.readArrays(new Uint8Array(stdout), 'x.npz'));
    expect(arrays).toMatchObject([{ values: [1, 2] }, { values: [3, 4] }]);
  });

  it('are read without their entries that are no numbers, which are named', async () => {
    const file = archive([
      { name: 'words.npy', content: words },
      { name: 'q.npy', content: npy([1, 2]) },
      { name: 'objects.npy', content: objects },
      { name: 'folder/', content: text(''), stored: true },
      { name: 'read me.txt', content: text('hello') },
    ]);
    const arrays = await tril.readArrays(file, 'x.npz');
    expect(arrays.skipped).toEqual([
      { name: 'words', problem: expect.stringContaining('element type "<U4" is not read') },
      { name: 'objects', problem: expect.stringContaining('Python objects are never read') },
      { name: 'read me.txt', problem: '"read me.txt" in the archive is no .npy file' },
    ]);
    expect(released(arrays)).toMatchObject([{ name: 'q', values: [1, 2] }]);
    const whole = await tril.readArrays(archive([{ name: 'q.npy', content: npy([1]) }]));
    expect(whole.skipped).toBeUndefined();
    released(whole);
    // The Worker reports it, too.
    const remote = await loadTril({ variant: 'simd' });
    const there = await remote.readArrays(file, 'x.npz');
    expect(there).toHaveLength(1);
    expect(there.skipped).toEqual(arrays.skipped);
    remote.close();
  });

  it('are refused by the name of the first entry where there are no numbers at all', async () => {
    const bad = archive([{ name: 'words.npy', content: words }]);
    await expectRefused(bad, 'x.npz', /"words": byte \d+: element type "<U4" is not read/);
    const cut = fixture('f4_little').slice(0, -1);
    await expectRefused(archive([{ name: 'cut.npy', content: cut }]), 'x.npz', /"cut": byte \d+: /);
    const long = archive([{ name: 'a\n'.repeat(1000), content: words }]);
    await expectRefused(
      long,
      'x.npz',
      /^readArrays: file: "(a\\n){30}"\.\.\. in the archive is no \.npy/,
    );
  });

  it('hand on the arrays of an entry one by one: calls take some 125,000 arguments', async () => {
    const scalar = fixture('f4_scalar');
    const content = new Uint8Array(Buffer.concat(Array<Uint8Array>(1000).fill(scalar)));
    const push = Reflect.get(Array.prototype, 'push') as (...values: unknown[]) => number;
    let most = 0;
    const counting = function (this: unknown[], ...values: unknown[]) {
      most = Math.max(most, values.length);
      return Reflect.apply(push, this, values);
    };
    Reflect.set(Array.prototype, 'push', counting);
    const arrays = await tril
      .readArrays(archive([{ name: 'x.npy', content }]))
      .finally(() => Reflect.set(Array.prototype, 'push', push));
    expect([arrays.length, arrays.at(-1)!.name]).toEqual([1000, 'x.arr_999']);
    for (const { tensor } of arrays) tensor.dispose();
    expect(most).toBeLessThan(100);
  });

  it('take memory for what they hold, not for what they say', async () => {
    const lies = archive([{ name: 'x.npy', content: npy([1, 2]), size: 2 ** 31 - 1 }]);
    let most = 0;
    const counting = new Proxy(Uint8Array, {
      construct(target, args: [unknown]) {
        if (typeof args[0] === 'number') most = Math.max(most, args[0]);
        return Reflect.construct(target, args) as Uint8Array;
      },
    });
    vi.stubGlobal('Uint8Array', counting);
    try {
      await expectRefused(lies, 'x.npz', 'ends after 136 of its 2147483647 bytes');
    } finally {
      vi.unstubAllGlobals();
    }
    expect(most).toBeLessThan(2 ** 20);
  });

  it('are refused where entries share their data', async () => {
    const content = npy(Array.from({ length: 1000 }, (_, n) => n));
    const file = archive([{ name: 'x.npy', content, stored: true }]);
    // The central directory's only entry, a thousand times.
    const listed = file.slice(-22 - 46 - 5, -22);
    const end = file.slice(-22);
    new DataView(end.buffer).setUint16(10, 1000, true);
    const parts = [
      file.slice(0, -22 - listed.length),
      ...Array.from({ length: 1000 }, () => listed),
    ];
    const bomb = new Uint8Array(Buffer.concat([...parts, end]));
    await expectRefused(bomb, 'x.npz', '"x.npy" in the archive overlaps another entry');
  });
});
