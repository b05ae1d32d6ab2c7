// Word vectors: their training, the same in a Worker, their file, and wrong input.
import { TrilError } from 'tril';
import { loadTril, WordVectors, type WordVectorOptions } from 'tril/training';
import { loadTril as loadRemote, RemoteWordVectors, type RemoteTrainingTril } from 'tril/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectRefused as expectRefusedOf, withoutLeak as withoutLeakOf } from './helpers.js';
import { epsilon, expectClose } from './reference.js';

const tril = await loadTril({ variant: 'simd' });
const expectRefused = (body: () => unknown, refusal: Parameters<typeof expectRefusedOf>[1]) =>
  expectRefusedOf(body, refusal, tril);
const withoutLeak = (body: () => void): void => withoutLeakOf(body, tril);

const groups = [
  ['cat', 'dog', 'cow', 'hen', 'pig'],
  ['one', 'two', 'six', 'ten', 'nine'],
];
/** Texts of one group each, drawn by a generator of their own. */
const texts = (() => {
  let state = 1;
  const draw = (count: number) => (state = (state * 48271) % 0x7fffffff) % count;
  return Array.from({ length: 2400 }, (_, n) =>
    Array.from({ length: 10 }, () => groups[n % 2]![draw(5)]).join(' '),
  );
})();
const small = { data: texts, width: 8, sample: 0, epochs: 2, seed: 3 } satisfies WordVectorOptions;

describe('word vectors', () => {
  it('are near where words share contexts', () => {
    withoutLeak(() => {
      const vectors = tril.wordVectors(small);
      expect([...vectors.words].sort()).toEqual(groups.flat().sort());
      expect(vectors.counts.reduce((sum, each) => sum + each)).toBe(24000);
      expect(vectors.allSteps).toBe(6);
      expect(String(vectors)).toBe('WordVectors 10 words, 8 wide');
      const steps = vectors.steps();
      expect(steps.map(({ step }) => step)).toEqual([0, 1, 2, 3, 4, 5]);
      expect(steps.reduce((sum, { words }) => sum + words, 0)).toBe(48000);
      expect(steps[0]!.loss).toBeLessThan(Math.LN2);
      expect(steps[5]!.loss).toBeLessThan(steps[0]!.loss);
      expect(vectors.done).toBe(6);
      for (const group of groups) {
        for (const word of group) {
          const near = vectors.similar(word, 4);
          expect([word, ...near.map((each) => each.word)].sort()).toEqual([...group].sort());
        }
      }
      const analogous = vectors.analogy('cat', 'dog', 'one', 7);
      expect(analogous).toHaveLength(7);
      expect(analogous.map(({ word }) => word)).not.toContain('cat');
      vectors.dispose();
    });
  });

  it('have cosines that their numbers have', () => {
    const vectors = tril.wordVectors(small);
    vectors.step();
    const rows = vectors.vectors().toArray<number[][]>();
    const product = (a: number[], b: number[]) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
    const [first, second] = ['cat', 'two'].map((word) => rows[vectors.words.indexOf(word)]!);
    const expected = product(first!, second!) / Math.hypot(...first!) / Math.hypot(...second!);
    const found = vectors.similar('cat').find(({ word }) => word === 'two')!;
    // The query is a vector of length 1 in float32: numerator and length are rounded by 2^-24.
    expectClose([found.cosine], [expected], epsilon);
    vectors.dispose();
  });

  it('are saved with their words', async () => {
    const vectors = tril.wordVectors({ data: 'a "naïve" a naïve', width: 3, minCount: 1 });
    const file = vectors.save();
    const [array] = await tril.readArrays(file, 'vectors.safetensors');
    expect(array!.name).toBe('vectors');
    expect(array!.tensor.toArray()).toEqual(vectors.vectors().toArray());
    const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
    const header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + length)));
    expect(JSON.parse(header.__metadata__.words)).toEqual(['a', 'naïve']);
    expect(JSON.parse(header.__metadata__.counts)).toEqual([2, 2]);
    vectors.dispose();
  });

  it('tell capitals apart where that is asked for', () => {
    const data = new TextEncoder().encode('Bank bank Bank bank');
    const vectors = tril.wordVectors({ data, minCount: 2, keepCase: true });
    expect(vectors.words).toEqual(['Bank', 'bank']);
    vectors.dispose();
  });
});

describe('what is wrong', () => {
  const refuse = (options: object, argument: string, says: string | RegExp) =>
    expectRefused(() => tril.wordVectors({ ...small, ...options }), {
      ...{ call: 'wordVectors', argument, says },
    });

  it('is refused before anything is made', () => {
    refuse({ data: undefined }, 'data', 'must be a string');
    refuse({ data: [1] }, 'data', 'must be a string');
    refuse({ data: 'a a a a a b' }, 'data', 'have 1 word that occurs 5 times or more, of 2');
    refuse({ data: Uint8Array.of(0xff) }, 'data', 'is not UTF-8');
    refuse({ width: 0 }, 'width', 'at least 1');
    refuse({ width: 1e6 }, 'width', 'from 1 to 65536');
    refuse({ window: 1.5 }, 'window', 'whole');
    refuse({ sample: -1 }, 'sample', 'at least 0');
    refuse({ learningRate: 0 }, 'learningRate', 'above 0');
    refuse({ seed: -1 }, 'seed', 'whole number');
    refuse({ keepCase: 1 }, 'keepCase', 'true or false');
    refuse({ widht: 8 }, 'widht', 'width');
  });

  it('is refused by calls, which go on', () => {
    const vectors = tril.wordVectors(small);
    const refused = (body: () => unknown, call: string, argument: string, says: string) =>
      expectRefused(body, { call, argument, says });
    refused(() => vectors.similar('bird'), 'similar', 'word', '"bird" is none of the 10 words');
    refused(() => vectors.similar(1 as never), 'similar', 'word', 'must be a string');
    refused(() => vectors.similar('cat', 0), 'similar', 'count', 'at least 1');
    refused(() => vectors.analogy('cat', 'dog', 'bird'), 'analogy', 'c', 'none of the 10 words');
    refused(() => vectors.steps(-1), 'steps', 'count', 'at least 0');
    expect(vectors.step().step).toBe(0);
    vectors.dispose();
    vectors.dispose();
    expect(vectors.disposed).toBe(true);
    refused(() => vectors.step(), 'step', 'wordVectors', 'has been disposed');
  });

  it('is a rate that is too high', () => {
    const vectors = tril.wordVectors({ ...small, learningRate: 1e30 });
    expect(() => vectors.steps(3)).toThrow('the learning rate is too high');
    vectors.dispose();
  });

  it('leaves the reports of the steps before it', () => {
    const vectors = tril.wordVectors(small);
    const step = vectors.step.bind(vectors);
    vectors.step = () => {
      if (vectors.done < 2) return step();
      throw new TrilError('step', 'loss', 'is nan');
    };
    let failure: unknown;
    try {
      vectors.steps(4);
    } catch (error) {
      failure = error;
    }
    expect((failure as TrilError).steps?.map((each) => each.step)).toEqual([0, 1]);
    vectors.dispose();
  });
});

describe('in a Worker', () => {
  let remote: RemoteTrainingTril;
  beforeAll(async () => {
    remote = await loadRemote({ variant: 'simd', training: true });
  });
  afterAll(() => remote.close());

  it('they have the same bits, and a run tells of them', async () => {
    const here = tril.wordVectors(small);
    here.steps();
    const vectors = await remote.wordVectors(small);
    expect(vectors).toBeInstanceOf(RemoteWordVectors);
    expect(vectors).not.toBeInstanceOf(WordVectors);
    expect(vectors.words).toEqual(here.words);
    expect(vectors.settings).toEqual(here.settings);
    const reports = [];
    for await (const report of vectors.run({ every: 4 })) {
      expect(await vectors.done()).toBe(report.step + 1);
      reports.push([report.step, report.steps.length]);
    }
    expect(reports).toEqual([
      [3, 4],
      [5, 2],
    ]);
    expect(await vectors.save()).toEqual(here.save());
    expect(await vectors.similar('cat', 3)).toEqual(here.similar('cat', 3));
    expect(await (await vectors.vectors()).read()).toEqual(here.vectors().read());
    here.dispose();
    await vectors.dispose();
    await expect(vectors.step()).rejects.toMatchObject({ argument: 'wordVectors' });
  });

  it('a run ends where it is aborted', async () => {
    const vectors = await remote.wordVectors(small);
    const stop = new AbortController();
    const reports: number[] = [];
    const run = async () => {
      for await (const { step } of vectors.run({ steps: 1000, signal: stop.signal })) {
        reports.push(step);
        if (step === 1) stop.abort();
      }
    };
    await expect(run()).rejects.toMatchObject({ name: 'AbortError' });
    expect(reports).toEqual([0, 1]);
    expect(await vectors.done()).toBe(2);
    await vectors.dispose();
  });

  it('are refused as here, and where the module has none', async () => {
    await expect(remote.wordVectors({ ...small, width: 0 })).rejects.toMatchObject({
      ...{ call: 'wordVectors', argument: 'width' },
    });
    const base = (await loadRemote({ variant: 'simd' })) as typeof remote;
    await expect(base.wordVectors(small)).rejects.toMatchObject({ argument: 'training' });
    base.close();
  });
});
