// A tokenizer alone: it gives the same tokens as a model's tokenizer.
import { describe, expect, it } from 'vitest';
import { expectRefused as refuse } from './helpers.js';
import { text as data, tril } from './trained.js';

const model = { layers: 1, heads: 1, width: 8, context: 4 };
const filesBy = (tokenizer: 'bytes' | 'chars' | 'words' | 'bpe') => {
  const trainer = tril.trainer({ model, data, tokenizer });
  const files = trainer.export();
  trainer.dispose();
  return files;
};
const texts = ['', 'the cat', 'sat on ä mat', '\ufeffthe ö', 'the\n\nrug 🐈 lay'];
const bytesOf = (text: string) => new TextEncoder().encode(text);

describe('a tokenizer', () => {
  it.each(['bytes', 'chars', 'words', 'bpe'] as const)('is that of a model: %s', async (kind) => {
    const files = filesBy(kind);
    const loaded = await tril.loadModel(files);
    const tokenizer = tril.tokenizer(files);
    expect(tokenizer.size).toBe(loaded.config['vocab_size']);
    for (const text of texts) {
      const tokens = tokenizer.encode(text);
      expect(tokens).toEqual(loaded.encode(text));
      expect(tokenizer.decode(tokens)).toBe(loaded.decode(tokens));
      const found = tokenizer.encodeWithOffsets(text);
      expect(found.tokens).toEqual(tokens);
      // Each token's text is at its offsets; parts of a character have the offsets of the whole character.
      for (const [n, [begin, end]] of found.offsets.entries()) {
        const alone = tokenizer.decode([tokens[n]!]);
        if (!alone.includes('\ufffd')) expect(text.slice(begin, end)).toBe(alone);
        else expect(text.slice(begin, end)).toMatch(/^.$/u);
      }
    }
    expect(tril.tokenizer(files['tokenizer.json']!).encode('the')).toEqual(tokenizer.encode('the'));
    expect(tokenizer.export()).toEqual(files['tokenizer.json']);
    loaded.dispose();
    tokenizer.dispose();
  });

  it('is read from a vocabulary and merges, with special tokens and affixes as they are asked for', () => {
    const alphabet = JSON.parse(new TextDecoder().decode(filesBy('bytes')['tokenizer.json'])) as {
      model: { vocab: Record<string, number> };
    };
    const names = Object.keys(alphabet.model.vocab);
    const vocabulary = [...names, 'ab', '<|endoftext|>'];
    const files = {
      'vocab.json': bytesOf(JSON.stringify(Object.fromEntries(vocabulary.map((t, n) => [t, n])))),
      'merges.txt': bytesOf('#version: 0.2\na b\n'),
    };
    const tokenizer = tril.tokenizer(files);
    expect(tokenizer.size).toBe(258);
    expect([...tokenizer.encode('abc<|endoftext|>')]).toEqual([256, 99, 257]);
    const plain = tokenizer.encode('<|endoftext|>', { specialTokens: false });
    expect([...plain]).toEqual([...bytesOf('<|endoftext|>')]);
    expect(tokenizer.encodeWithOffsets('ßab<|endoftext|>').offsets).toEqual([
      ...[
        [0, 1],
        [0, 1],
        [1, 3],
        [3, 16],
      ],
    ]);
    tokenizer.dispose();
  });

  it('belongs to its scope', () => {
    const files = filesBy('chars');
    const inner = tril.scope(() => {
      const kept = tril.tokenizer(files);
      const gone = tril.tokenizer(files);
      return { kept, isGone: () => gone.disposed };
    });
    expect(inner.isGone()).toBe(true);
    expect(inner.kept.disposed).toBe(false);
    expect(String(inner.kept)).toBe(`Tokenizer of ${inner.kept.size} tokens`);
    inner.kept.dispose();
    inner.kept.dispose();
    expect(inner.kept.disposed).toBe(true);
  });

  it('refuses files that are none, and texts and tokens that are not', () => {
    const refused = (body: () => unknown, call: string, argument: string, says: string) =>
      refuse(body, { call, argument, says }, tril);
    const made = (files: unknown) => () => tril.tokenizer(files as Uint8Array);
    refused(made({}), 'tokenizer', 'files', 'tokenizer.json is missing');
    refused(made('{}'), 'tokenizer', 'files', 'must be the bytes of tokenizer.json');
    refused(made(null), 'tokenizer', 'files', 'must be the bytes of tokenizer.json');
    refused(made([1]), 'tokenizer', 'files', 'must be the bytes of tokenizer.json');
    refused(made({ 'tokenizer.json': 3 }), 'tokenizer', 'files', 'tokenizer.json must be bytes');
    refused(made({ 'vocab.json': bytesOf('{}') }), 'tokenizer', 'files', 'merges.txt is missing');
    refused(made(new Uint8Array()), 'tokenizer', 'tokenizer.json', 'is empty');
    refused(made(bytesOf('{"version": 1')), 'tokenizer', 'tokenizer.json', 'byte');
    const both = { 'vocab.json': bytesOf('{'), 'merges.txt': bytesOf('a b') };
    refused(made(both), 'tokenizer', 'vocab.json', 'byte');
    const tokenizer = tril.tokenizer(filesBy('chars'));
    refused(() => tokenizer.encode(3 as never), 'encode', 'text', 'must be a string');
    refused(() => tokenizer.encode('a', { affix: true } as never), 'encode', 'affix', 'unknown');
    refused(() => tokenizer.encode('a', { affixes: 1 } as never), 'encode', 'affixes', 'true or');
    refused(() => tokenizer.decode([99_999]), 'decode', 'ids', '99999');
    expect(tokenizer.decode(tokenizer.encode('the'))).toBe('the');
    tokenizer.dispose();
    refused(() => tokenizer.encode('a'), 'encode', 'tokenizer', 'has been disposed');
  });
});
