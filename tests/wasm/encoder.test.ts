// Sentence encoders against PyTorch in float64 (tests/golden/make_encoders.py), here and in a Worker, and wrong input.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TrilError, type Tensor } from 'tril';
import type { Encoder } from 'tril/training';
import { describe, expect, it } from 'vitest';
import { golden } from './golden.js';
import {
  encoderFilesOf as filesOf,
  filesOf as plainFilesOf,
  folder,
  tril,
  values,
} from './golden-models.js';
import { smallLlama } from './gguf.js';
import { tril as remote } from './remote.js';

const pooling = '1_Pooling/config.json';
const text = readFileSync(new URL('../golden/word_pieces.json', import.meta.url), 'utf8');
const pieces = JSON.parse(text) as {
  sentences: string[];
  uncased: { text: string; ids: number[] }[];
  cased: { text: string; ids: number[] }[];
};
const names = ['minilm', 'bge'];
const ggufOf = (name: string) =>
  readFileSync(new URL(`../golden/models/${name}.gguf`, import.meta.url));

async function withEncoder(
  files: Parameters<typeof tril.loadEncoder>[0],
  body: (encoder: Encoder) => void,
) {
  const before = tril.memory();
  const encoder = await tril.loadEncoder(files);
  tril.scope(() => body(encoder));
  encoder.dispose();
  expect(encoder.disposed).toBe(true);
  expect(tril.memory()).toEqual(before);
}

function expectNear(actual: Tensor, name: string) {
  const expected = golden(`models/${name}`);
  expect(actual.shape).toEqual(expected.shape);
  values(actual).forEach((value, i) => expect(value).toBeCloseTo(expected.values[i]!, 5));
}

describe('encode', () => {
  it.each(names)('gives the vectors of sentences that PyTorch gives: %s', (name) =>
    withEncoder(filesOf(name), (encoder) => {
      const all = encoder.encode(pieces.sentences);
      expectNear(all, `${name}/sentences`);
      const one = encoder.encode(pieces.sentences[1]!);
      expect(one.shape).toEqual([16]);
      expect(values(one)).toEqual(values(all).slice(16, 32));
    }),
  );

  it('knows how vectors are made', async () => {
    const minilm = { width: 16, pooling: 'mean', normalised: true, maxTokens: 12 };
    await withEncoder(filesOf('minilm'), ({ settings }) => expect(settings).toEqual(minilm));
    const bge = { width: 16, pooling: 'cls', normalised: false, maxTokens: 32 };
    await withEncoder(filesOf('bge'), ({ settings }) => expect(settings).toEqual(bge));
    const bare = plainFilesOf('minilm');
    delete bare['modules.json'];
    delete bare['sentence_bert_config.json'];
    const plain = { width: 16, pooling: 'mean', normalised: false, maxTokens: 32 };
    await withEncoder(bare, ({ settings }) => expect(settings).toEqual(plain));
  });

  it('takes a folder of the disk', () =>
    withEncoder(fileURLToPath(folder('minilm')), (encoder) =>
      expectNear(encoder.encode(pieces.sentences), 'minilm/sentences'),
    ));
});

describe('a GGUF file', () => {
  it.each([
    ['minilm', 'mean'],
    ['bge', 'cls'],
  ])('is the same encoder, whose vectors have length 1: %s', async (name, pooling) => {
    const texts = pieces.sentences.slice(0, 5); // one folder truncates the sixth sentence
    const cosines: number[] = [];
    const hidden: number[] = [];
    await withEncoder(filesOf(name), (encoder) => {
      cosines.push(...values(encoder.similarity(texts)));
      hidden.push(...values(encoder.hidden(texts[4]!).vectors));
    });
    const path = fileURLToPath(new URL(`../golden/models/${name}.gguf`, import.meta.url));
    const bytes = ggufOf(name);
    for (const source of [path, { 'a/model.gguf': bytes }, [new File([bytes], 'model.gguf')]]) {
      await withEncoder(source, (encoder) => {
        const settings = { width: 16, pooling, normalised: true, maxTokens: 32 };
        expect(encoder.settings).toEqual(settings);
        expect(values(encoder.hidden(texts[4]!).vectors)).toEqual(hidden);
        values(encoder.similarity(texts)).forEach((cosine, i) =>
          expect(cosine).toBeCloseTo(cosines[i]!, 6),
        );
        const length = Math.hypot(...values(encoder.encode('the cat')));
        expect(length).toBeCloseTo(1, 6);
      });
    }
  });
});

describe('similarity', () => {
  it('is the cosines of texts, and of vectors', () =>
    withEncoder(filesOf('bge'), (encoder) => {
      const [a, b] = [pieces.sentences.slice(0, 2), pieces.sentences.slice(2, 5)];
      const found = encoder.similarity(a, b);
      expect(found.shape).toEqual([2, 3]);
      const vectors = encoder.encode(b);
      expect(values(encoder.similarity(a, vectors))).toEqual(values(found));
      const own = encoder.similarity(vectors);
      expect(own.shape).toEqual([3, 3]);
      [0, 4, 8].forEach((i) => expect(values(own)[i]).toBeCloseTo(1, 6));
    }));
});

describe('attention and hidden', () => {
  it.each(names)('are of a text, every token of which sees all others: %s', (name) =>
    withEncoder(filesOf(name), (encoder) => {
      const { tokens, weights } = encoder.attention('the cat sat');
      expect(encoder.decode(tokens)).toBe('[CLS] the cat sat [SEP]');
      expect(weights.shape).toEqual([2, 4, 5, 5]);
      expect(values(weights).every((share) => share > 0)).toBe(true);
      const hidden = encoder.hidden('the cat sat');
      expect(hidden.tokens).toEqual(tokens);
      expect(hidden.vectors.shape).toEqual([5, 16]);
      if (name === 'bge') {
        expect(values(hidden.vectors).slice(0, 16)).toEqual(values(encoder.encode('the cat sat')));
      }
    }),
  );
});

describe('the tokenizer', () => {
  it('is BERT’s, from tokenizer.json and from vocab.txt', () => {
    for (const [name, kind] of [['minilm', 'uncased'] as const, ['bge', 'cased'] as const]) {
      const words = tril.tokenizer(plainFilesOf(name));
      for (const each of pieces[kind]) expect([...words.encode(each.text)]).toEqual(each.ids);
      const again = tril.tokenizer(words.export());
      expect(again.encode('the Café!')).toEqual(words.encode('the Café!'));
      const { offsets } = words.encodeWithOffsets('ab 中x');
      expect(offsets.at(-2)).toEqual([4, 5]);
      words.dispose();
      again.dispose();
    }
  });
});

describe('in a Worker', () => {
  it('is the same', async () => {
    const there = await remote.loadEncoder(filesOf('minilm'));
    expect(there.settings.pooling).toBe('mean');
    const vectors = await there.encode(pieces.sentences);
    const fromGguf = await remote.loadEncoder({ 'minilm.gguf': new Blob([ggufOf('minilm')]) });
    const one = await there.encode('a cat');
    const same = await fromGguf.encode('a cat');
    expect(await same.read()).toEqual(await one.read());
    const cosines = await there.similarity(vectors);
    const { tokens, weights } = await there.attention('the cat');
    const hidden = await there.hidden('the cat');
    expect(await there.decode(tokens)).toBe('[CLS] the cat [SEP]');
    expect(weights.shape).toEqual([2, 4, 4, 4]);
    expect(hidden.vectors.shape).toEqual([4, 16]);
    await withEncoder(filesOf('minilm'), (here) => {
      expect(here.encode(pieces.sentences).shape).toEqual(vectors.shape);
    });
    expect(cosines.shape).toEqual([6, 6]);
    await Promise.all(
      [vectors, cosines, weights, hidden.vectors, there, fromGguf, one, same].map((each) =>
        each.dispose(),
      ),
    );
  });
});

describe('what is refused', () => {
  const refusal = async (files: object, options = {}) => {
    const before = tril.memory();
    const error: unknown = await tril.loadEncoder(files as never, options).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(TrilError);
    expect(tril.memory()).toEqual(before);
    return (error as TrilError).message;
  };
  const changed = (name: string, text: string | undefined) => {
    const files: Record<string, unknown> = filesOf('minilm');
    delete files[`minilm/${name}`];
    return text === undefined ? files : { ...files, [name]: new TextEncoder().encode(text) };
  };

  it('is a file that is missing or another', async () => {
    expect(await refusal({})).toBe('loadEncoder: files: config.json is missing');
    expect(await refusal(changed('tokenizer.json', undefined))).toBe(
      'loadEncoder: files: tokenizer.json is missing, and vocab.txt',
    );
    expect(await refusal(changed('model.safetensors', undefined))).toBe(
      'loadEncoder: files: model.safetensors is missing',
    );
    expect(await refusal(changed(pooling, undefined))).toBe(
      'loadEncoder: 1_Pooling/config.json: is missing, and modules.json names it',
    );
    expect(await refusal(changed('modules.json', '[]'))).toMatch(
      /^loadEncoder: modules.json: must/,
    );
    expect(await refusal(changed('sentence_bert_config.json', ''))).toBe(
      'loadEncoder: sentence_bert_config.json: is empty',
    );
    expect(await refusal(plainFilesOf('gpt2'))).toMatch(
      /^loadEncoder: config.json: .*language model of the family gpt2; encoders are of bert$/,
    );
    expect(await refusal(filesOf('minilm'), { context: 8 })).toMatch(/^loadEncoder: context: /);
  });

  it('is a GGUF file that is wrong, and the next call works', async () => {
    const bytes = ggufOf('minilm');
    const changed = (key: string, to: number) => {
      const file = Buffer.from(bytes);
      file.writeUInt32LE(to, file.indexOf(key) + key.length + 4);
      return { 'model.gguf': file };
    };
    const at = 'loadEncoder: model.gguf: ';
    expect(await refusal(changed('bert.pooling_type', 3))).toBe(
      `${at}bert.pooling_type: last is not read; mean and cls are`,
    );
    expect(await refusal(changed('bert.context_length', 16))).toBe(
      `${at}position_embd.weight: shape must be [16, 16], is [32, 16]`,
    );
    expect(await refusal(changed('tokenizer.ggml.cls_token_id', 153))).toBe(
      `${at}tokenizer.ggml.cls_token_id: must be below 153, is 153`,
    );
    const unnamed = Buffer.from(bytes);
    unnamed.write('modal', unnamed.indexOf('tokenizer.ggml.model') + 15);
    expect(await refusal({ 'model.gguf': unnamed })).toBe(`${at}has no tokenizer`);
    expect(await refusal({ 'my_model-q8_0.gguf': unnamed })).toBe(
      'loadEncoder: my_model-q8_0.gguf: has no tokenizer',
    );
    expect(await refusal({ 'model.gguf': smallLlama().file() })).toMatch(
      /^loadEncoder: model\.gguf: .*language model of the family llama; encoders are of bert$/,
    );
    await expect(tril.loadModel({ 'model.gguf': bytes })).rejects.toThrow(
      'loadModel: model.gguf: is of a sentence encoder, which loadEncoder opens',
    );
    await withEncoder({ 'model.gguf': bytes }, (encoder) =>
      expect(encoder.encode('a').shape).toEqual([16]),
    );
  });

  it('is an encoder for a language model', async () => {
    await expect(tril.loadModel(filesOf('minilm'))).rejects.toThrow(
      'loadModel: config.json: is of a sentence encoder, which loadEncoder opens',
    );
  });

  it('is what are no texts, and the next call works', () =>
    withEncoder(filesOf('minilm'), (encoder) => {
      expect(() => encoder.encode([])).toThrow('encode: texts: is empty');
      expect(() => encoder.encode([1] as never)).toThrow('encode: texts: must be a list of texts');
      expect(() => encoder.similarity(['a'], tril.tensor([[1, 2]]))).toThrow(/^similarity: b: /);
      expect(() => encoder.attention(1 as never)).toThrow(/^attention: text: /);
      expect(() => encoder.decode([999])).toThrow(/^decode: /);
      expect(encoder.encode('a').shape).toEqual([16]);
    }));

  it('is an encoder that is disposed', async () => {
    const encoder = await tril.loadEncoder(filesOf('minilm'));
    encoder.dispose();
    expect(() => encoder.encode('a')).toThrow('encode: encoder: has been disposed');
  });
});
