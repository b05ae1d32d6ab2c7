// tril vectors: word vectors learned from texts, their file, queries, and errors.
import { describe, expect, it } from 'vitest';
import { failure, files, read, report, safetensors, tril, write } from './program.js';

/** Paragraphs about animals and about numbers, drawn by a generator of their own. */
function drawText(): string {
  const groups = [
    ['cat', 'dog', 'cow', 'hen', 'pig'],
    ['one', 'two', 'six', 'ten', 'nine'],
  ];
  let state = 1;
  const draw = (count: number) => {
    state = (state * 48271) % 0x7fffffff;
    return state % count;
  };
  const paragraph = (group: string[]) => Array.from({ length: 10 }, () => group[draw(5)]).join(' ');
  return Array.from({ length: 600 }, (_, n) => paragraph(groups[n % 2]!)).join('\n\n');
}
const options = ['--width', '8', '--sample', '0'];
const train = (name: string, ...more: string[]) => {
  write('text.txt', `${drawText()}\n\nrare`);
  return tril('vectors', '--data', 'text.txt', ...options, '-o', name, ...more);
};
const data = (file: Buffer) => file.subarray(8 + Number(file.readBigUInt64LE()));

describe('vectors of words', () => {
  it('are learned, with a line an epoch, and kept with their words', () => {
    const { code, out, error } = train('vectors.safetensors', '--epochs', '3', '--json');
    expect({ code }, error).toEqual({ code: 0 });
    expect(JSON.parse(out)).toMatchObject({
      ...{ file: 'vectors.safetensors', words: 10, width: 8, words_of_text: 6000, epochs: 3 },
    });
    const lines = error.trim().split('\n');
    expect(lines[0]).toBe('10 words that occur 6 k times in all');
    expect(lines.slice(1).map((line) => line.split(',')[0]!.replace(/[\d.]+$/, 'N'))).toEqual(
      [1, 2, 3].map((epoch) => `epoch ${epoch} of 3: loss N`),
    );
    const file = read('vectors.safetensors');
    const header = JSON.parse(file.subarray(8, 8 + Number(file.readBigUInt64LE())).toString());
    expect(header.vectors).toMatchObject({ dtype: 'F32', shape: [10, 8] });
    const { words, counts } = header.__metadata__;
    expect(JSON.parse(words)).toHaveLength(10);
    const sum = JSON.parse(counts).reduce((all: number, each: number) => all + each, 0);
    expect(sum).toBe(6000);
  });

  it('are near where words share contexts', () => {
    train('near.safetensors');
    const ask = (...more: string[]) => report('vectors', '--vectors', 'near.safetensors', ...more);
    const similar = ask('--similar', 'Cat', '--count', '4');
    expect(similar.map(({ word }: { word: string }) => word).sort()).toEqual(
      ['dog', 'cow', 'hen', 'pig'].sort(),
    );
    const cosines = similar.map(({ cosine }: { cosine: number }) => cosine);
    expect(cosines).toEqual([...cosines].sort((a, b) => b - a));
    const [{ word }] = ask('--analogy', 'cat', 'dog', 'two');
    expect(['one', 'six', 'ten', 'nine']).toContain(word);
    const { out } = tril(
      'vectors',
      '--vectors',
      'near.safetensors',
      '--similar',
      'cat',
      '--count',
      '1',
    );
    expect(out).toMatch(/^ 0\.\d{4} {2}(dog|cow|hen|pig)\n$/);
  });

  it('have the same bits from a seed, on any number of threads', () => {
    train('one.safetensors', '--threads', '1');
    train('two.safetensors', '--threads', '2');
    train('other.safetensors', '--seed', '2');
    expect(read('two.safetensors').equals(read('one.safetensors'))).toBe(true);
    expect(data(read('other.safetensors')).equals(data(read('one.safetensors')))).toBe(false);
  });

  it('are float16 where that is asked for', () => {
    expect(train('half.safetensors', '--epochs', '1', '--dtype', 'float16').code).toBe(0);
    expect(train('whole.safetensors', '--epochs', '1').code).toBe(0);
    expect(2 * data(read('half.safetensors')).length).toBe(data(read('whole.safetensors')).length);
    const nearest = (file: string) => report('vectors', '--vectors', file, '--similar', 'cat');
    for (const [n, { word, cosine }] of nearest('whole.safetensors').slice(0, 4).entries()) {
      const half = nearest('half.safetensors')[n];
      expect(half.word).toBe(word);
      // A rounded number errs by 2^-11 of itself, so both lengths and the product err by less than 2^-9.
      expect(Math.abs(half.cosine - cosine)).toBeLessThan(2 ** -9);
    }
  });

  it('tell capitals apart where that is asked for', () => {
    write('case.txt', 'Bank bank Bank bank bank');
    const words = (...more: string[]) => {
      const given = [
        '--data',
        'case.txt',
        '--min-count',
        '1',
        '--width',
        '2',
        '-o',
        'case',
        '--json',
      ];
      const { out, error } = tril('vectors', ...given, ...more);
      return out === '' ? error : JSON.parse(out).words;
    };
    expect(words('--keep-case')).toBe(2);
    expect(words()).toMatch(
      /^tril: case.txt: texts: have 1 word that occurs 1 time or more, of 1;/,
    );
  });
});

describe('vectors that others have published', () => {
  const rows: [string, number[]][] = [
    ['east', [2, 0]],
    ['north', [0, 3]],
    ['north east', [1, 1]],
    ['west', [-1, 0]],
  ];
  const text = rows.map(([word, numbers]) => `${word} ${numbers.join(' ')}\n`).join('');
  const binary = Buffer.concat([
    Buffer.from('4 2\n'),
    ...rows.map(([word, numbers]) =>
      Buffer.concat([
        Buffer.from(`${word.replace(' ', '_')} `),
        new Uint8Array(Float32Array.from(numbers).buffer),
        Buffer.from('\n'),
      ]),
    ),
  ]);
  const nearest = (file: string) => report('vectors', '--vectors', file, '--similar', 'East');

  it('are read: GloVe, and word2vec as text and binary', () => {
    write('glove.txt', text);
    write('word2vec.txt', `4 2\n${text}`);
    write('fast.vec', `4 2 \r\n${text.replaceAll('\n', ' \r\n')}`);
    write('word2vec.bin', binary);
    for (const file of ['glove.txt', 'word2vec.txt', 'fast.vec', 'word2vec.bin']) {
      const found = nearest(file);
      expect(found.map(({ word }: { word: string }) => word.replace('_', ' '))).toEqual([
        'north east',
        'north',
        'west',
      ]);
      expect(found[0].cosine).toBeCloseTo(Math.SQRT1_2, 12);
    }
    const analogy = ['--analogy', 'east', 'north', 'west'];
    expect(report('vectors', '--vectors', 'glove.txt', ...analogy)[0].word).toBe('north east');
  });

  it('may repeat words and have bytes that are not UTF-8; a line says so', () => {
    const odd = Buffer.concat([Buffer.from(`${text}east 9 9\n  1 1\nna`), Buffer.of(0xef)]);
    write('odd.txt', Buffer.concat([odd, Buffer.from('ve -1 -1\n')]));
    const { code, out, error } = tril('vectors', '--vectors', 'odd.txt', '--similar', 'east');
    expect(code).toBe(0);
    expect(out).toContain('na\ufffdve');
    expect(error).toBe(
      'odd.txt: 1 row has a word that was there before; its first vector counts\n' +
        'odd.txt: 1 row has no word\n',
    );
  });

  it('are refused where they are cut or no such file', () => {
    const refused = (content: Uint8Array | string) => {
      write('bad.txt', content);
      return failure('vectors', '--vectors', 'bad.txt', '--similar', 'east');
    };
    expect(refused(`5 2\n${text}`)).toBe('bad.txt: file: line 1 says that 5 words follow, not 4');
    expect(refused(text.slice(0, -3))).toMatch(/^bad\.txt: file: line 4 /);
    expect(refused(binary.subarray(0, -3))).toMatch(/^bad\.txt: file: ends within word 4 of 4$/);
    expect(refused('hello world')).toMatch(
      /: is neither a \.safetensors file nor a text with a word/,
    );
    expect(refused(Uint8Array.of(0x1f, 0x8b, 8))).toMatch(/: is packed by gzip: unpack it first$/);
  });
});

describe('what goes wrong', () => {
  it('is said in a line, and nothing is written', () => {
    write('a.txt', 'a b a b');
    write('broken.txt', new Uint8Array([0x61, 0xff]));
    write('other.safetensors', safetensors({ x: { shape: [1], values: new Float32Array(1) } }));
    write(
      'words.safetensors',
      safetensors(
        { vectors: { shape: [2, 1], values: Float32Array.of(1, 2) } },
        { words: '["a","b"]', counts: '[2,1]' },
      ),
    );
    const cases: [string[], string][] = [
      [[], '--data or --vectors is required'],
      [['--data', 'a.txt'], '--output is required with --data'],
      [['--data', 'none.txt', '-o', 'v'], 'none.txt: '],
      [['--data', 'broken.txt', '-o', 'v'], 'broken.txt: is not UTF-8'],
      [
        ['--data', 'a.txt', '-o', 'v'],
        'a.txt: texts: have 0 words that occur 5 times or more, of 2',
      ],
      [['--data', 'a.txt', '-o', 'none/v'], 'none/v: there is no folder '],
      [
        ['--data', 'a.txt', '--min-count', '1', '--width', '0', '-o', 'v'],
        'width: must be from 1 to',
      ],
      [['--vectors', 'words.safetensors'], 'either --similar or --analogy is required'],
      [['--vectors', 'none', '--similar', 'a'], 'none: '],
      [['--vectors', 'a.txt', '--similar', 'a'], 'a.txt: file: '],
      [['--vectors', 'other.safetensors', '--similar', 'a'], 'has no tensor "vectors"'],
      [
        ['--vectors', 'words.safetensors', '--similar', 'c'],
        '--similar: "c" is none of the 2 words of words.safetensors',
      ],
      [
        ['--vectors', 'words.safetensors', '--analogy', 'a', 'king', 'b'],
        '--analogy: "king" is none of the 2 words of words.safetensors',
      ],
      [
        ['--vectors', 'words.safetensors', '--similar', 'a', '--count', '0'],
        'count: must be at least 1',
      ],
      [['--vectors', 'words.safetensors', '--analogy', 'a', 'b'], '--analogy'],
      [['--similar', 'a'], '--similar requires --vectors'],
    ];
    for (const [args, problem] of cases) {
      expect(failure('vectors', ...args), args.join(' ')).toContain(problem);
    }
    expect(files().map(([name]) => name)).not.toContain('v');
  });
});
