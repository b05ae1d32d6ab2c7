// .npz archives in place of .npy and .safetensors files, and archives with false entries.
import { describe, expect, it } from 'vitest';
import { failure, npy, readNpy, readsNpz, report, safetensors, tril } from './program.js';
import { write, writeNpy, zip } from './program.js';

const values = Float32Array.of(1, 2, 3, 4);
const file = npy('<f4', [2, 2], new Uint8Array(values.buffer));
const half = npy('<f2', [2], Uint8Array.of(0x00, 0x3c, 0x00, 0xc0));

it('says in its help whether it reads .npz', () => {
  expect(tril('--help').out).toMatch(/\.npz archives are (not )?read/);
});

// Without libzip the program refuses all archives: failure.test.ts.
describe('.npz', () => {
  it('is told array by array', ({ skip }) => {
    if (!readsNpz()) skip();
    write(
      'x.npz',
      zip([
        { name: 'q.npy', bytes: file },
        { name: 'a/b.npy', bytes: half },
      ]),
    );
    const { format, tensors } = report('info', 'x.npz');
    expect(format).toBe('npz');
    expect(tensors).toMatchObject([
      { name: 'q', type: 'float32', shape: [2, 2], mean: 2.5 },
      { name: 'a/b', type: 'float16', shape: [2], smallest: -2, largest: 1 },
    ]);
    expect(tril('info', 'x.npz').out).toMatch(/^q: float32 \[2, 2\].*\na\/b: float16 \[2\]/);
  });

  it('is compared by names, with .safetensors, too', ({ skip }) => {
    if (!readsNpz()) skip();
    write('a.npz', zip([{ name: 'q.npy', bytes: file }]));
    write('b.safetensors', safetensors({ q: { shape: [2, 2], values } }));
    expect(report('check', 'a.npz', 'b.safetensors')).toMatchObject({ passes: true });
    write('c.npz', zip([{ name: 'k.npy', bytes: file }]));
    expect(tril('check', 'a.npz', 'c.npz').code).toBe(1);
  });

  it('of one array stands for it', ({ skip }) => {
    if (!readsNpz()) skip();
    write('a.npz', zip([{ name: 'arr_0.npy', bytes: file }]));
    writeNpy('b.npy', [2, 2], [1, 0, 0, 1]);
    report('matmul', 'a.npz', 'b.npy', '-o', 'out.npy');
    expect([...readNpy('out.npy').values]).toEqual([1, 2, 3, 4]);
    write('two.npz', zip(['q.npy', 'k.npy'].map((name) => ({ name, bytes: file }))));
    expect(failure('matmul', 'two.npz', 'b.npy', '-o', 'out.npy')).toBe(
      'two.npz: holds 2 arrays; one is needed here',
    );
    expect(failure('matmul', 'a.npz', 'empty.npz', '-o', 'out.npy')).toMatch(/^empty\.npz: /);
  });

  it('is read without what holds no numbers, which is named', ({ skip }) => {
    if (!readsNpz()) skip();
    const words = { name: 'words.npy', bytes: npy('<U4', [3], new Uint8Array(48)) };
    const objects = { name: 'objects.npy', bytes: npy('|O', [1], new Uint8Array(8)) };
    const note = { name: 'read me.txt', bytes: Buffer.from('hello') };
    write('x.npz', zip([words, { name: 'q.npy', bytes: file }, objects, note]));
    const { tensors, unread } = report('info', 'x.npz');
    expect(tensors).toMatchObject([{ name: 'q', shape: [2, 2] }]);
    expect(unread).toMatchObject([
      { name: 'words', problem: expect.stringContaining('element type "<U4" is not read') },
      { name: 'objects', problem: expect.stringContaining('Python objects are never read') },
      { name: 'read me.txt', problem: '"read me.txt" in the archive is no .npy file' },
    ]);
    expect(tril('info', 'x.npz').out).toMatch(/^q: .*\nwords: not read: .*\nobjects: not read: /);
    writeNpy('b.npy', [2, 2], [1, 0, 0, 1]);
    report('matmul', 'x.npz', 'b.npy', '-o', 'out.npy');
    // Arrays that were not read have not been compared.
    const { code, out } = tril('check', 'x.npz', 'x.npz');
    expect(code).toBe(1);
    expect(out).toContain('words: not read in x.npz: ');
    write('none.npz', zip([words, note]));
    expect(failure('info', 'none.npz')).toMatch(/^none\.npz: words: byte \d+: element type "<U4"/);
    write('model.pt', zip([{ name: 'archive/data.pkl', bytes: Buffer.from('x') }]));
    expect(failure('info', 'model.pt')).toMatch(/^model\.pt: is a pickle, as PyTorch's/);
  });

  it('that lies is refused', ({ skip }) => {
    if (!readsNpz()) skip();
    const refused = (archive: Uint8Array) => {
      write('bad.npz', archive);
      return failure('info', 'bad.npz');
    };
    const lying = (lies: object) => refused(zip([{ name: 'q.npy', bytes: file, lies }]));
    expect(lying({ checksum: 1 })).toMatch(/^bad\.npz: "q\.npy" in the archive: CRC error/);
    expect(lying({ size: 2 ** 31 })).toMatch(/said to be 2147483648 bytes long, which \d+ packed/);
    expect(lying({ size: file.length + 1 })).toContain('"q.npy" in the archive');
    expect(lying({ size: file.length - 1 })).toContain('"q.npy" in the archive');
    expect(lying({ method: 1 })).toContain('"q.npy" in the archive: Compression method');
    const entry = { name: 'q.npy', bytes: file };
    expect(refused(zip([entry, entry]))).toContain('have the same name');
    expect(refused(zip([{ ...entry, name: 'q\n.txt' }]))).toContain(
      '"q\\n.txt" in the archive is no',
    );
    expect(refused(zip([{ name: 'q.npy', bytes: file.slice(0, 60) }]))).toMatch(
      /^bad\.npz: q: byte 8/,
    );
    const whole = zip([entry]);
    for (let length = 4; length < whole.length; length += 9) {
      expect(refused(whole.slice(0, length))).toMatch(/^bad\.npz: /);
    }
  });
});

describe('.safetensors', () => {
  it('is read without what is of another type, which is named', () => {
    const both = safetensors({ q: { shape: [2, 2], values }, s: { shape: [1], values } });
    const text = Buffer.from(both).toString('latin1');
    const of = (type: string, from: number) =>
      Buffer.from(text.slice(0, from) + text.slice(from).replace('"F32"', type), 'latin1');
    write('x.safetensors', of('"C64"', text.indexOf('"s"')));
    const { tensors, unread } = report('info', 'x.safetensors');
    expect(tensors).toMatchObject([{ name: 'q', shape: [2, 2] }]);
    const problem = 'element type "C64" is not read';
    expect(unread).toEqual([{ name: 's', problem }]);
    const { code, out } = tril('check', 'x.safetensors', 'x.safetensors');
    expect(code).toBe(1);
    expect(out).toContain(`s: not read in x.safetensors: ${problem}`);
    const one = Buffer.from(safetensors({ s: { shape: [2, 2], values } })).toString('latin1');
    write('s.safetensors', Buffer.from(one.replace('"F32"', '"C64"'), 'latin1'));
    expect(failure('info', 's.safetensors')).toBe(`s.safetensors: s: ${problem}`);
  });

  it('may have names that a terminal would obey: these are written out', () => {
    const name = 'a\x1b[2J\nb';
    const shown = 'a\\u001b[2J\\nb: ';
    const one = safetensors({ [name]: { shape: [2, 2], values } });
    write('n.safetensors', one);
    expect(report('info', 'n.safetensors').tensors).toMatchObject([{ name }]);
    expect(tril('info', 'n.safetensors').out.startsWith(shown)).toBe(true);
    expect(tril('check', 'n.safetensors', 'n.safetensors').out.startsWith(shown)).toBe(true);
    const both = safetensors({ q: { shape: [2, 2], values }, [name]: { shape: [2, 2], values } });
    const text = Buffer.from(both).toString('latin1');
    const at = text.indexOf('a\\u001b');
    write(
      'u.safetensors',
      Buffer.from(text.slice(0, at) + text.slice(at).replace('"F32"', '"C64"'), 'latin1'),
    );
    expect(tril('info', 'u.safetensors').out).toContain(`\n${shown}not read: `);
  });
});
