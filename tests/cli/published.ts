// tokenizer.json in the forms of published models, with small vocabularies: everything around the model is from the
// published files.
import { llamaVocabulary } from './llama.js';

const blank = '\u2581';
const contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const signs = (ends: string) => ` ?[^\\s\\p{L}\\p{N}]+[${ends}]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`;
const split = (Regex: string) => ({
  type: 'Split',
  pattern: { Regex },
  behavior: 'Isolated',
  invert: false,
});
const splitAt = (numbers: string) =>
  split(`${contractions}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${numbers}|${signs('\\r\\n')}`);
/** A split in which words end before a capital. */
const splitAtCapitals = (numbers: string, contractions: string) => {
  const before = '[^\\r\\n\\p{L}\\p{N}]?';
  const capitals = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]';
  const small = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]';
  const words = [`${before}${capitals}*${small}+`, `${before}${capitals}+${small}*`];
  const ends = words.map((word) => `${word}${contractions}`).join('|');
  return split(`${ends}|${numbers}|${signs('\\r\\n/')}`);
};
const byteLevel = (use_regex: boolean, add_prefix_space = false) => ({
  type: 'ByteLevel',
  add_prefix_space,
  trim_offsets: true,
  use_regex,
});
const sequence = (name: string, steps: object[]) => ({ type: 'Sequence', [name]: steps });

/** A template that puts <|begin|> before every text. */
const beginWith = (content: string, id: number) => ({
  type: 'TemplateProcessing',
  single: [{ SpecialToken: { id: content, type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
  pair: [
    { SpecialToken: { id: content, type_id: 0 } },
    { Sequence: { id: 'A', type_id: 0 } },
    { SpecialToken: { id: content, type_id: 1 } },
    { Sequence: { id: 'B', type_id: 1 } },
  ],
  special_tokens: { [content]: { id: content, ids: [id], tokens: [content] } },
});

const added = (contents: readonly string[], first: number) =>
  contents.map((content, n) => ({
    id: first + n,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }));

/** GPT-2's characters for the bytes. */
export const alphabet: readonly string[] = (() => {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const isItself = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    return String.fromCodePoint(isItself ? byte : next++);
  });
})();

type Merge = [string, string];

/** Merges of the most frequent pairs in an unsplit text, so that merges reach across all borders of a split. */
function learnMerges(symbols: string[], count: number): Merge[] {
  const merges: Merge[] = [];
  while (merges.length < count) {
    const counts = new Map<string, number>();
    for (let n = 1; n < symbols.length; ++n) {
      const pair = `${symbols[n - 1]} ${symbols[n]}`;
      counts.set(pair, (counts.get(pair) ?? 0) + 1);
    }
    const [best] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a));
    const [left, right] = best.split(' ') as Merge;
    merges.push([left, right]);
    const merged: string[] = [];
    for (const symbol of symbols) {
      if (merged.at(-1) === left && symbol === right) merged[merged.length - 1] = left + right;
      else merged.push(symbol);
    }
    symbols = merged;
  }
  return merges;
}

function bytes(text: string, lacking: readonly number[] = []) {
  const merges = learnMerges(
    [...Buffer.from(text)].filter((byte) => !lacking.includes(byte)).map((byte) => alphabet[byte]!),
    600,
  );
  const names = [
    ...new Set([
      ...alphabet.filter((_, byte) => !lacking.includes(byte)),
      ...merges.map(([left, right]) => left + right),
    ]),
  ];
  return { merges, names };
}

interface Parts {
  readonly merges: readonly (Merge | string)[];
  readonly names: readonly string[];
  readonly special: readonly string[]; // the first of the names, or after them
  readonly model?: object;
  readonly [step: string]: unknown;
}

function file({ merges, names, special, model, ...steps }: Parts) {
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added(special, names.includes(special[0]!) ? 0 : names.length),
    normalizer: null,
    post_processor: null,
    decoder: byteLevel(true),
    ...steps,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      ...model,
      vocab: Object.fromEntries(names.map((name, id) => [name, id])),
      merges,
    },
  };
}

/** Bytes, among others, for which SmolLM2's vocabulary has no token. */
export const lacking = [0xc0, 0xc1, 0xf1, 0xf2, 0xf5, 0xf6, 0xf7, 0xf8, 0xfe, 0xff];

/** Tokenizer files by model, with vocabularies learned from `text`, except Llama 2's, which is the published one. */
export function publishedTokenizers(text: string): Record<string, ReturnType<typeof file>> {
  text = text.replaceAll('<|endoftext|>', ''); // would be learned as a token
  const all = bytes(text);
  const llama = {
    ...llamaVocabulary(),
    special: ['<unk>', '<s>', '</s>'],
    post_processor: beginWith('<s>', 1),
    decoder: sequence('decoders', [
      { type: 'Replace', pattern: { String: blank }, content: ' ' },
      { type: 'ByteFallback' },
      { type: 'Fuse' },
      { type: 'Strip', content: ' ', start: 1, stop: 0 },
    ]),
    model: { unk_token: '<unk>', fuse_unk: true, byte_fallback: true },
  };
  const metaspace = { type: 'Metaspace', replacement: blank, split: false };
  return {
    Qwen2: file({
      ...all,
      special: ['<|endoftext|>', '<|im_start|>', '<|im_end|>'],
      normalizer: { type: 'NFC' },
      pre_tokenizer: sequence('pretokenizers', [splitAt('\\p{N}'), byteLevel(false)]),
      post_processor: byteLevel(false),
      model: { continuing_subword_prefix: '', end_of_word_suffix: '' },
    }),
    SmolLM2: file({
      ...bytes(text, lacking),
      special: ['<|endoftext|>', '<repo_name>'],
      pre_tokenizer: sequence('pretokenizers', [
        { type: 'Digits', individual_digits: true },
        byteLevel(true),
      ]),
    }),
    'Llama 3': file({
      ...all,
      special: ['<|begin_of_text|>', '<|end_of_text|>'],
      pre_tokenizer: sequence('pretokenizers', [splitAt('\\p{N}{1,3}'), byteLevel(false)]),
      post_processor: sequence('processors', [
        byteLevel(true),
        beginWith('<|begin_of_text|>', all.names.length),
      ]),
      model: { ignore_merges: true },
    }),
    // Phi-4-mini's form, whose split removes everything between the matches: nothing.
    'Phi-4-mini': file({
      ...all,
      special: ['<|endoftext|>', '<|end|>'],
      pre_tokenizer: sequence('pretokenizers', [
        {
          ...splitAtCapitals('\\p{N}{1,3}', `${contractions}?`),
          behavior: 'Removed',
          invert: true,
        },
        byteLevel(false),
      ]),
    }),
    'Mistral Nemo': file({
      ...all,
      special: ['<s>', '</s>'],
      pre_tokenizer: sequence('pretokenizers', [splitAtCapitals('\\p{N}', ''), byteLevel(false)]),
      post_processor: beginWith('<s>', all.names.length),
      model: { ignore_merges: true },
    }),
    'a blank before bytes': file({
      ...all,
      special: ['<|endoftext|>', '<s>'],
      pre_tokenizer: byteLevel(true, true),
    }),
    // Mistral's form, and TinyLlama's newer one.
    Mistral: file({
      ...llama,
      normalizer: null,
      pre_tokenizer: { ...metaspace, prepend_scheme: 'first' },
    }),
    'a blank before each text': file({
      ...llama,
      normalizer: null,
      pre_tokenizer: { ...metaspace, prepend_scheme: 'always' },
    }),
    'Llama 2': file({
      ...llama,
      normalizer: sequence('normalizers', [
        { type: 'Prepend', prepend: blank },
        { type: 'Replace', pattern: { String: ' ' }, content: blank },
      ]),
      pre_tokenizer: null,
    }),
  };
}
