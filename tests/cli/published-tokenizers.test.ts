// Tokenizers in the forms of Qwen2, SmolLM2, Llama 3 and Llama 2 (TinyLlama) against Hugging Face's library and against
// llama-tokenizer-js; each file is written again as it was read.
import { Tokenizer } from '@huggingface/tokenizers';
import llama2 from 'llama-tokenizer-js';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { drawLines, escape } from './lines.js';
import { report, trilPiped, write } from './program.js';
import { lacking, publishedTokenizers } from './published.js';

const prose =
  "It's said that the theory of the thing is the thing itself, in 1945 and 2024.\n\n  They'll SEE 123456!\r\n";
// Hugging Face's JavaScript library, unlike the Rust one, does not know the long s in contractions.
const lines = drawLines(10_000, 21)
  .map((line) => line.toString())
  .filter((line) => !line.includes('\ufffd') && !line.includes("'\u017f"));
const texts = [
  ...lines,
  "IT'S they'LL x 'RE",
  'e\u0301 A\u030a \u1100\u1161\u11a8 q\u0323\u0307 \u212b \u0344\u0958 >\u0338',
  '   x   y  ',
  'a<s>b</s> <|im_start|>c<|end_of_text|>',
];
const files = publishedTokenizers(`${lines.slice(0, 250).join('\n')}\n${prose.repeat(6)}`);

/** The tokenizers that add a space before a text, as part of its first token. */
const putsBlank = ['Llama 2', 'Mistral', 'a blank before each text', 'a blank before bytes'];

/** Whether the JavaScript library agrees with the Rust one: it does not take non-ASCII numerals for digits. */
const isAgreedOn = (name: string, text: string) =>
  name !== 'SmolLM2' ||
  !(/[^\P{N}0-9]/u.test(text) || [...Buffer.from(text)].some((byte) => lacking.includes(byte)));

const idsOf = (out: Buffer) =>
  out
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ').filter(Boolean).map(Number));
const encode = (text: string, ...options: string[]) => {
  const outcome = trilPiped(Buffer.from(text), 'tokenizer', ...options, '--encode', '-');
  expect(outcome).toMatchObject({ code: 0, error: '' });
  return idsOf(outcome.out);
};
const decode = (ids: readonly number[], ...options: string[]) =>
  trilPiped(Buffer.from(ids.join(' ')), 'tokenizer', ...options, '--decode', '-').out.toString();

/** Expects the program to encode each text like `encodeOther`; in parts, since that takes long. */
async function expectSame(
  texts: readonly string[],
  encodeOther: (text: string) => ArrayLike<number>,
  ...options: string[]
) {
  const ours = encode(texts.map((text) => `${text}\n`).join(''), ...options, '--lines');
  expect(ours.length).toBe(texts.length);
  for (const [n, text] of texts.entries()) {
    if (n % 200 === 0) await setImmediate();
    if (String(Array.from(encodeOther(text))) === String(ours[n])) continue;
    expect(ours[n], `line ${n}: ${JSON.stringify(text)}`).toEqual(Array.from(encodeOther(text)));
  }
}

describe.each(Object.entries(files))('%s', (name, file) => {
  const own = ['--tokenizer', 'published.json'];
  const other = new Tokenizer(structuredClone(file), { clean_up_tokenization_spaces: false });
  beforeAll(() => write('published.json', JSON.stringify(file)));

  const agreed = texts.filter((text) => isAgreedOn(name, text));
  const whole = [...agreed.slice(0, 1500), prose, '\n', ' \n', prose].join('\n');

  it('makes the tokens that Hugging Face makes, of thousands of lines and of lines together', async () => {
    expect(agreed.length).toBeGreaterThan(5000);
    await expectSame(agreed, (text) => other.encode(text).ids, ...own);
    expect(encode(whole, ...own)[0]).toEqual([...other.encode(whole).ids]);
    const without = encode(prose, ...own, '--no-template')[0];
    expect(without).toEqual([...other.encode(prose, { add_special_tokens: false }).ids]);
  });

  it('and the text that Hugging Face makes of them', () => {
    for (const text of [prose, whole, ...texts.slice(-4)]) {
      const ids = [...other.encode(text).ids];
      expect(decode(ids, ...own)).toBe(other.decode(ids));
    }
  });

  it('tells which part of the text each token is', () => {
    for (const text of [prose, ...texts.slice(-3)]) {
      const { tokens, offsets } = report('tokenizer', ...own, '--encode', text);
      const bytes = Buffer.from(text);
      const parts = offsets.map(([begin, end]: [number, number]) =>
        bytes.subarray(begin, end).toString().normalize('NFC'),
      );
      tokens.forEach((token: string, n: number) => {
        const [begin, end] = offsets[n];
        if (begin === end || token.includes('\ufffd')) return; // an added token, or part of a character
        const isBlank = putsBlank.includes(name) && token === ` ${parts[n]}`;
        if (!isBlank) expect(parts[n]).toBe(token);
      });
      expect(offsets.at(-1)[1]).toBe(bytes.length);
    }
  });
});

describe('the published vocabulary of Llama 2', () => {
  const own = ['--tokenizer', 'llama.json'];
  beforeAll(() => write('llama.json', JSON.stringify(files['Llama 2'])));

  it('makes the tokens that llama-tokenizer-js makes', async () => {
    const plain = texts.filter((text) => !text.includes('<s>') && text !== '');
    await expectSame(plain, (text) => llama2.encode(text), ...own);
  });

  it('gives bytes back that are no UTF-8', () => {
    const broken = drawLines(1000, 3).filter((line) => /[\uf780-\uf7ff]/.test(escape(line)));
    expect(broken.length).toBeGreaterThan(100);
    const bytes = Buffer.concat(broken);
    const ids = trilPiped(bytes, 'tokenizer', ...own, '--no-template', '--encode', '-').out;
    expect(trilPiped(ids, 'tokenizer', ...own, '--decode', '-').out.equals(bytes)).toBe(true);
  });
});

it('a vocabulary that lacks bytes leaves their characters out, as SmolLM2 does', () => {
  write('smol.json', JSON.stringify(files['SmolLM2']));
  const own = ['--tokenizer', 'smol.json'];
  expect(lacking).toContain(0xf1);
  const { ids, offsets } = report('tokenizer', ...own, '--encode', 'a\u{46131}b');
  expect(decode(ids, ...own)).toBe(`a${Buffer.of(0x86, 0x84, 0xb1).toString()}b`);
  expect(offsets.at(-1)).toEqual([5, 6]);
});

describe('Unicode’s normal form C', () => {
  const own = ['--tokenizer', 'qwen2.json'];
  beforeAll(() => write('qwen2.json', JSON.stringify(files['Qwen2'])));
  const normal = (text: string) => decode(encode(text, ...own)[0]!, ...own);

  it('of every character is what JavaScript says', () => {
    const characters = Array.from({ length: 0x110000 }, (_, code) => code)
      .filter(
        (code) => (code < 0xd800 || code >= 0xe000) && !/\p{Cn}/u.test(String.fromCodePoint(code)),
      )
      .map((code) => String.fromCodePoint(code));
    const text = characters.join('\n');
    expect(normal(text) === text.normalize('NFC')).toBe(true);
  });

  it('and of letters with marks in any order', () => {
    const marks = Array.from({ length: 0x70 }, (_, n) => String.fromCodePoint(0x300 + n));
    const more = [
      ...'\u0591\u05b0\u093c\u09be\u0f71\u0f72\u0f74\u3099\u1161\u11a8\u{1d165}\u{1d16e}',
    ];
    const all = [
      ...'aAeioOuUyqsw',
      '\u00e2',
      '\u01a1',
      '\uac00',
      '\u1100',
      '\u304b',
      '\u0915',
      ...marks,
      ...more,
    ];
    let state = 7;
    const any = () => all[(state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % all.length]!;
    const text = Array.from({ length: 60_000 }, any).join('');
    expect(text.normalize('NFC')).not.toBe(text);
    expect(normal(text) === text.normalize('NFC')).toBe(true);
  });
});

describe.each(['nfc', 'lower_case', 'letter_case'])('the table %s', (name) => {
  it('is what its script makes', (context) => {
    const folder = new URL('../../core/tril/text/', import.meta.url);
    const table = readFileSync(new URL(`${name}_table.cc`, folder), 'utf8');
    const version = /from Unicode ([\d.]+)\./.exec(table)![1];
    if (version !== process.versions.unicode) context.skip(); // another Node may know other characters
    const script = fileURLToPath(new URL(`make_${name}_table.mjs`, folder));
    const { status, stdout } = spawnSync(process.execPath, [script, '-'], { encoding: 'utf8' });
    expect(status).toBe(0);
    expect(stdout).toBe(table);
  });
});
