// Failures: exit code 2, one line that names the problem and the place, and no new file.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { failure, files, npy, safetensors, tril, write, writeNpy } from './program.js';

const four = Float32Array.of(1, 2, 3, 4);
const commands = [
  'attention',
  'matmul',
  'block',
  'bench',
  'check',
  'info',
  'tokenizer',
  'train',
  'generate',
  'vectors',
  'look',
  'embed',
];

describe('help', () => {
  it.each(commands)('of %s shows examples', (command) => {
    const { code, out, error } = tril(command, '--help');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toContain(`Examples:\n  tril ${command}`);
  });

  it('of the program names all commands; all files name one version', () => {
    for (const command of commands) expect(tril('--help').out).toContain(`\n  ${command} `);
    const root = new URL('../../', import.meta.url);
    const { version } = JSON.parse(readFileSync(new URL('wasm/package.json', root), 'utf8'));
    expect(tril('--version')).toEqual({ code: 0, out: `tril ${version}\n`, error: '' });
    for (const [file, text] of [
      ['native/cli/tril.1', `"tril ${version}"`],
      ['CITATION.cff', `\nversion: ${version}\n`],
      ['docs/CHANGELOG.md', `\n## ${version}`],
    ] as const) {
      expect(readFileSync(new URL(file, root), 'utf8'), file).toContain(text);
    }
  });

  it.each(commands)('and the man page know the same options of %s', (command) => {
    const path = fileURLToPath(new URL('../../native/cli/tril.1', import.meta.url));
    const page = readFileSync(path, 'utf8').replaceAll('\\-', '-');
    const section = page.split(/^\.SH /m).filter((text) => {
      return text.startsWith(`TRIL ${command.toUpperCase()}`) || /^OPTIONS OF ALL/.test(text);
    });
    expect(section).toHaveLength(2);
    const help = tril(command, '--help').out;
    expect(section.join('').includes('.gguf'), 'a .gguf file').toBe(help.includes('or a .gguf'));
    const options = [...help.matchAll(/(?<=[ ,])--[a-z-]+/g)].map(String);
    expect(options.length).toBeGreaterThan(1);
    for (const option of options) expect(section.join(''), option).toContain(option);
  });
});

describe('TRIL_FORCE_ISA', () => {
  const forced = (isa: string) => {
    process.env.TRIL_FORCE_ISA = isa;
    try {
      return tril('bench', '--sizes', '8', '--tokens', '8', '--rounds', '1', '--json');
    } finally {
      delete process.env.TRIL_FORCE_ISA;
    }
  };

  it('chooses the instruction set', () => {
    const { code, out } = forced('baseline');
    expect(code).toBe(0);
    expect(JSON.parse(out).isa).toBe('baseline');
  });

  it('that is unknown is said before anything is done', () => {
    const { code, out, error } = forced('avx9');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toMatch(
      /^tril: TRIL_FORCE_ISA: avx9: no such instruction set; there are baseline.*\n$/,
    );
  });
});

describe('options that are wrong', () => {
  it.each([
    [[], /^A subcommand is required \(`tril --help` lists the options\)$/],
    [['multiply'], /^multiply: there is no such command \(`tril --help`/],
    [['attenton'], /^attenton: there is no such command; did you mean attention\? \(`tril --help`/],
    [['--json', 'trian'], /^trian: there is no such command; did you mean train\?/],
    [['train', '--widht', '32', '-o', 'run'], /^--widht: .*; did you mean --width\? \(`tril train/],
    [['train', '--ouput=run'], /^--ouput: there is no such option; did you mean --output\?/],
    [['matmul', 'a.npy'], /^b is required \(`tril matmul --help`/],
    [['matmul', 'a.npy', 'a.npy'], /^--output is required/],
    [['matmul', 'a.npy', 'a.npy', '-o', 'out.npy', '--method', 'best'], /best not in/],
    [['matmul', 'a.npy', 'a.npy', '-o', 'out.npy', '--threads', '0'], /--threads.*0/],
    [['attention', '--colour', 'red'], /^--colour: there is no such option \(`tril attention --h/],
    [['check', 'a.npy', 'a.npy', '--atol', 'small'], /--atol.*small/],
    [['bench', '--sizes', '0'], /^--sizes: must be from 1 to 8192, is 0 \(/],
    [['generate', '--temperature', '-1'], /^--temperature: must be at least 0, is -1 \(/],
    [['generate', '--top-p', '1.0000001'], /^--top-p: must be from 0 to 1, is 1\.0000001 \(/],
  ])('%j', (args, message) => {
    writeNpy('a.npy', [2, 2], four);
    expect(failure(...args)).toMatch(message);
  });

  it('are found by the core, too', () => {
    writeNpy('a.npy', [2, 2], four);
    writeNpy('b.npy', [4, 1], four);
    expect(failure('matmul', 'a.npy', 'b.npy', '-o', 'out.npy')).toMatch(
      /^matmul: .*\[2, 2\].*\[4, 1\]/,
    );
    const inputs = ['--q', 'a.npy', '--k', 'a.npy', '--v', 'b.npy', '-o', 'out.npy'];
    expect(failure('attention', ...inputs)).toMatch(/^attention: value: /);
    const same = ['--q', 'a.npy', '--k', 'a.npy', '--v', 'a.npy', '-o', 'out.npy'];
    expect(failure('attention', ...same, '--softcap', '-1')).toMatch(/^attention: softcap: /);
    expect(failure('attention', ...same, '--scale', 'nan')).toMatch(/^attention: scale: /);
    expect(failure('check', 'a.npy', 'a.npy', '--rtol', '-1')).toMatch(/^compare: relative: /);
  });

  it('shapes that are none of heads', () => {
    writeNpy('a.npy', [2, 2], four);
    writeNpy('b.npy', [4], four);
    writeNpy('c.npy', [1, 1, 2, 2], four);
    const attend = (file: string, ...more: string[]) =>
      failure('attention', '--q', file, '--k', file, '--v', file, '-o', 'out.npy', ...more);
    expect(attend('b.npy')).toBe(
      'b.npy: must have shape [B, H, T, D], [H, T, D] or [T, D], has [4]',
    );
    expect(attend('c.npy', '--heads', '2')).toBe(
      'c.npy: must have shape [B, T, H*D] or [T, H*D] with --heads, has [1, 1, 2, 2]',
    );
    expect(attend('a.npy', '--heads', '3')).toBe(
      'a.npy: 3 heads do not divide the last axis of [2, 2]',
    );
    expect(attend('a.npy', '--weights', './out.npy')).toBe(
      './out.npy: is named by both --weights and --output',
    );
    expect(attend('a.npy', '--mask', 'b.npy')).toMatch(/^b\.npy: a mask has shape/);
    write('i.npy', npy('<i4', [2, 2], new Uint8Array(16)));
    expect(attend('a.npy', '--mask', 'i.npy')).toMatch(/^i\.npy: a mask is bool .* this is int32$/);
  });

  it('weights that are none', () => {
    writeNpy('x.npy', [2, 2], four);
    const block = (file: string) =>
      failure('block', '--weights', file, '--x', 'x.npy', '--heads', '1', '-o', 'out.npy');
    expect(block('x.npy')).toBe('x.npy: is a .npy file; a .safetensors file is needed here');
    const tensor = { shape: [2, 2], values: four };
    write('w.safetensors', safetensors({ 'linear1.bias': tensor }));
    expect(block('w.safetensors')).toBe(
      'w.safetensors: linear1.bias: must have 1 axis, has shape [2, 2]',
    );
    write('w.safetensors', safetensors({ 'linear3.weight': tensor }));
    expect(block('w.safetensors')).toMatch(/^w\.safetensors: "linear3.weight" is not a weight/);
    write('w.safetensors', safetensors({ 'linear1.weight': tensor }));
    expect(block('w.safetensors')).toBe('transformer_block: linear2.weight: no tensor given');
  });
});

describe('files that are wrong', () => {
  const whole = npy('<f4', [2, 2], new Uint8Array(four.buffer));
  const header = Buffer.from('{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,9]}}');
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));

  it.each<[string, string, Uint8Array | string, RegExp]>([
    ['empty', 'bad.npy', '', /^bad\.npy: is empty$/],
    ['text', 'bad.npy', 'hello', /^bad\.npy: is no \.npy file/],
    ['cut in the header', 'bad.npy', whole.subarray(0, 60), /^bad\.npy: byte 8: the header should/],
    ['cut in the data', 'bad.npy', whole.subarray(0, 130), /takes 16 bytes, but 2 follow$/],
    ['objects', 'bad.npy', npy('|O', [1], new Uint8Array(8)), /Python objects are never read$/],
    [
      'said to be larger than memory',
      'bad.npy',
      npy('<f4', [2 ** 50], new Uint8Array(16)),
      /takes 4503599627370496 bytes, but 16 follow$/,
    ],
    [
      'said to be larger than any memory',
      'bad.npy',
      npy('<f4', [2 ** 40, 2 ** 40], new Uint8Array(16)),
      /is too large to address$/,
    ],
    ['a pickle', 'bad.pt', Uint8Array.of(0x80, 2, 0x8a, 10), /^bad\.pt: is a pickle, as PyTorch's/],
    [
      'packed by gzip',
      'bad.npy',
      Uint8Array.of(0x1f, 0x8b, 8, 0),
      /: is packed by gzip: unpack it/,
    ],
    [
      'a text',
      'glove.txt',
      'the 0.418 0.24968 -0.41242\n',
      /: is no \.safetensors file: it begins/,
    ],
    [
      'a .gguf file',
      'bad.gguf',
      `GGUF\x03${'\0'.repeat(20)}`,
      /: is a \.gguf file, which is not read/,
    ],
    ['an archive', 'bad.npz', 'PK\x03\x04', /^bad\.npz: (is|cannot be read as) a \.npz archive/],
    ['short weights', 'bad.safetensors', 'abc', /^bad\.safetensors: .*only 3 bytes long$/],
    [
      'weights beyond the end',
      'bad.safetensors',
      Buffer.concat([length, header, Buffer.alloc(8)]),
      /^bad\.safetensors: byte 13: tensor "a": shape \[2\] of float32 takes 8 bytes/,
    ],
    [
      'a header with an escape for the terminal',
      'bad.npy',
      npy('<\x1b[2J\n', [1], new Uint8Array(8)),
      /element type "<\\u001b\[2J\\u000a" is not read/,
    ],
  ])('%s', (_, name, bytes, message) => {
    write(name, bytes);
    writeNpy('a.npy', [2, 2], four);
    expect(failure('info', name)).toMatch(message);
    expect(failure('matmul', 'a.npy', name, '-o', 'out.npy')).toMatch(message);
  });

  it('missing ones and folders', () => {
    writeNpy('a.npy', [2, 2], four);
    expect(failure('info', 'none.npy')).toBe('none.npy: No such file or directory');
    expect(failure('info', '.')).toBe('.: Is a directory');
    expect(failure('matmul', 'a.npy', 'a.npy', '-o', 'none/out.npy')).toBe(
      'none/out.npy: No such file or directory',
    );
    expect(failure('matmul', 'a.npy', 'a.npy', '-o', '.')).toBe('.: Is a directory');
  });

  it('no room left: the error is told, the old file stays', () => {
    writeNpy('a.npy', [2, 2], four);
    expect(failure('matmul', 'a.npy', 'a.npy', '-o', '/dev/full')).toBe(
      '/dev/full: No space left on device',
    );
    write('out.npy', 'old');
    const before = files();
    expect(failure('matmul', 'a.npy', 'bad.npy', '-o', 'out.npy')).toMatch(/^bad\.npy: /);
    expect(files()).toEqual(before);
  });
});
