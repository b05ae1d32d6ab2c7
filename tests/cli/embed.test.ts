// tril embed, and tril look, on sentence encoders: the vectors are PyTorch's (tests/golden/make_encoders.py).
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { golden } from '../wasm/golden.js';
import { failure, readNpy, report, tril, write } from './program.js';

const at = (path: string) => fileURLToPath(new URL(`../golden/${path}`, import.meta.url));
const folder = at('models/minilm');
const { sentences } = JSON.parse(readFileSync(at('word_pieces.json'), 'utf8')) as {
  sentences: string[];
};
const expected = golden('models/minilm/sentences');
const [first, second] = sentences as [string, string];

describe('tril embed', () => {
  it('gives the vectors of sentences and their cosines', () => {
    const found = report('embed', '--model', folder, ...sentences);
    expect(found).toMatchObject({ texts: sentences, width: 16, pooling: 'mean', normalised: true });
    (found.vectors as number[][]).flat().forEach((value, i) => {
      expect(value).toBeCloseTo(expected.values[i]!, 6);
    });
    expect(found.similarity).toHaveLength(sentences.length);
    found.similarity.forEach((row: number[], n: number) => expect(row[n]).toBeCloseTo(1, 6));
  });

  it('shows a row of cosines for each sentence, and writes the vectors', () => {
    const { code, out, error } = tril('embed', '--model', folder, first, second, '-o', 'v.npy');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const lines = out.split('\n');
    expect(lines[0]).toMatch(/^ +1\.000 +-?0\.\d{3} {2}The cat sat on the mat\.$/);
    expect(lines[2]).toMatch(/v\.npy: float32 \[2, 16\]/);
    expect(readNpy('v.npy').shape).toEqual([2, 16]);
  });

  it('gives the same of a GGUF file', () => {
    const short = sentences.slice(0, 5); // the folder truncates the sixth
    const of = (model: string) => report('embed', '--model', model, ...short);
    expect(of(at('models/minilm.gguf'))).toEqual(of(folder));
    const bge = of(at('models/bge.gguf'));
    expect(bge).toMatchObject({ pooling: 'cls', normalised: true });
    const cosines = of(at('models/bge')).similarity.flat() as number[];
    cosines.forEach((cosine, i) => expect(bge.similarity.flat()[i]).toBeCloseTo(cosine, 6));
  });

  it('refuses a GGUF file of another pooling in one line, and writes nothing', () => {
    const wrong = Buffer.from(readFileSync(at('models/minilm.gguf')));
    const key = 'bert.pooling_type';
    wrong.writeUInt32LE(4, wrong.indexOf(key) + key.length + 4);
    write('rank.gguf', wrong);
    expect(failure('embed', '--model', 'rank.gguf', 'a', '-o', 'rank.npy')).toContain(
      'rank.gguf: bert.pooling_type: rank is not read; mean and cls are',
    );
  });

  it('refuses a language model, and a folder that is none', () => {
    const model = at('models/llama');
    expect(failure('embed', '--model', model, 'a')).toBe(
      `${model}: is of a language model of the family llama; encoders are of bert`,
    );
    expect(failure('embed', '--model', 'nowhere', 'a')).toBe('nowhere: No such file or directory');
  });
});

describe('tril look', () => {
  it('shows the heads of an encoder, which see both sides', () => {
    const head = ['--layer', '1', '--head', '0'];
    const found = report('look', '--model', folder, '--prompt', 'unaffable', ...head);
    const file = at('models/minilm.gguf');
    expect(report('look', '--model', file, '--prompt', 'unaffable', ...head)).toEqual(found);
    expect(found.texts).toEqual([' [CLS]', ' un', 'aff', 'able', ' [SEP]']);
    (found.weights as number[][]).forEach((row) => {
      expect(row.every((share) => share > 0)).toBe(true);
      expect(row.reduce((sum, share) => sum + share)).toBeCloseTo(1, 5);
    });
  });
});

describe('tril generate and train', () => {
  it('refuse an encoder', () => {
    expect(failure('generate', '--model', folder, '--prompt', 'the')).toBe(
      `${folder}: is an encoder, which cannot continue a text; \`tril embed\` makes vectors with it`,
    );
    const rest = ['--data', `${folder}/tokenizer.json`, '-o', 'none', '--steps', '1'];
    expect(failure('train', '--from', folder, ...rest)).toContain(
      'is an encoder, which cannot be trained',
    );
  });
});
