// The pieces of tokenizers that put a space before every word and drop it at a text's beginning, as Llama's do: the
// space belongs to the token, wherever it is. The test runs in Node, on the code of the chapter's Worker.
import { loadTril } from 'tril/training';
import { expect, test } from '@playwright/test';
import { inWords, joint, pieceText } from '../../web/src/chapters/model/pieces.ts';
import { piecesOf, readingOf } from '../../web/src/compute/worker/opened/reading.ts';
import { shapeOf } from '../../web/src/compute/worker/opened/shape.ts';
import { modelFiles } from './oracles/folders.ts';

const words = ['▁once', '▁upon', '▁a', '▁time', '▁', 'a', 'o', 'n', 'c', 'e', ','];
const bytes = Array.from({ length: 256 }, (_, i) => {
  return `<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`;
});

/** A tokenizer of `size` tokens: three special tokens, all bytes, words, and filler. */
function tokenizer(size: number): Uint8Array {
  const all = ['<unk>', '<s>', '</s>', ...bytes, ...words].slice(0, size);
  for (let i = 0; all.length < size; ++i) all.push(`filler${i}`);
  const replace = (from: string, to: string) => ({
    ...{ type: 'Replace', pattern: { String: from }, content: to },
  });
  const special = all.slice(0, 3).map((content, id) => ({
    ...{ id, content, special: true, normalized: false },
    ...{ single_word: false, lstrip: false, rstrip: false },
  }));
  return new TextEncoder().encode(
    JSON.stringify({
      version: '1.0',
      added_tokens: special,
      normalizer: {
        type: 'Sequence',
        normalizers: [{ type: 'Prepend', prepend: '▁' }, replace(' ', '▁')],
      },
      pre_tokenizer: null,
      post_processor: null,
      decoder: {
        type: 'Sequence',
        decoders: [
          ...[replace('▁', ' '), { type: 'ByteFallback' }, { type: 'Fuse' }],
          { type: 'Strip', content: ' ', start: 1, stop: 0 },
        ],
      },
      model: {
        ...{ type: 'BPE', unk_token: '<unk>', byte_fallback: true, fuse_unk: true },
        vocab: Object.fromEntries(all.map((token, id) => [token, id])),
        merges: [],
      },
    }),
  );
}

test('blanks before words stay, in pieces and in prose', async () => {
  const tril = await loadTril();
  const files = await modelFiles('llama');
  const { vocab_size: size } = JSON.parse(new TextDecoder().decode(files['config.json']));
  const model = await tril.loadModel({ ...files, 'tokenizer.json': tokenizer(size) });
  const opened = { tril, model, shape: shapeOf(model.config), tokenizer: true };
  const id = (token: string) => 3 + 256 + words.indexOf(token);
  const asked = [...words.map(id), 3 + 0x41, 3 + 0xc3];
  const texts = piecesOf(opened, asked).map(({ text }) => text);
  const blanks = words.map((word) => word.replace('▁', ' '));
  expect(texts).toEqual([...blanks, 'A', '\ufffd']);
  const then = ['▁upon', '▁a', '▁time'].map(id);
  const { written, tokens } = readingOf(opened, { text: 'once', then });
  expect(written).toBe(' upon a time');
  expect(tokens.slice(-3).map(({ text }) => text)).toEqual([' upon', ' a', ' time']);
  expect(readingOf(opened, { text: 'once', then: [] }).written).toBe('');
  // The first byte of a two-byte letter, and both of its bytes.
  const begun = { text: 'once', then: [3 + 0xc3] };
  expect(readingOf(opened, begun).written).toBe('\ufffd');
  expect(readingOf(opened, { ...begun, then: [3 + 0xc3, 3 + 0xa9] }).written).toBe('é');
  model.dispose();
});

test('only what goes on a word is marked, and blanks alone are to be seen', () => {
  for (const [text, before, shown] of [
    [' peace', undefined, 'peace'],
    ['ful', undefined, `${joint}ful`],
    ['ful', ' peace', `${joint}ful`],
    // Words at the start of a text, or after a token that is not a word.
    ['W', '', 'W'],
    ['the', '(', 'the'],
    ['.', ' peace', '.'],
    // Words without a space before them; letters of more than one code point.
    ['東', '東', '東'],
    ['é', ' caf', `${joint}é`],
    [' ', ' peace', '␣'],
    ['  ', undefined, '␣␣'],
    ['\n', ' peace', '↵'],
    ['', undefined, '∅'],
  ] as const) {
    expect(pieceText(text, before), JSON.stringify([text, before])).toBe(shown);
  }
  expect([' peace', 'ful', '\n', ' '].map(inWords)).toEqual(['peace', 'ful', '↵', '␣']);
});
