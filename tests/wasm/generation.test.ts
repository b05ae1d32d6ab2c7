// Texts of a trainer and of its exported model: the same options, defaults and parts.
import type { GeneratedPart, TrainerTextOptions } from 'tril';
import { describe, expect, it } from 'vitest';
import { expectRefused, model as settings, text as data, tril } from './trained.js';

const model = { ...settings, context: 16 };
const trainer = tril.trainer({ model, data, learningRate: 1e-2, steps: 60, batch: 8, seed: 4 });
trainer.steps(60);
const loaded = await tril.loadModel(trainer.export());

async function partsOf(text: AsyncIterable<GeneratedPart>) {
  const parts: Omit<GeneratedPart, 'milliseconds'>[] = [];
  for await (const { milliseconds, ...part } of text) {
    expect(milliseconds).toBeGreaterThanOrEqual(0);
    parts.push(part);
  }
  return parts;
}
const textOf = (parts: readonly Pick<GeneratedPart, 'text'>[]) =>
  parts.map(({ text }) => text).join('');
const tokensOf = (parts: readonly Pick<GeneratedPart, 'token'>[]) =>
  Int32Array.from(parts.flatMap(({ token }) => token ?? []));

describe('the text of a trainer', () => {
  it('is that of its exported model within the context, part by part', async () => {
    const all: TrainerTextOptions[] = [
      { temperature: 0 },
      { seed: 1 },
      { seed: 2, temperature: 1.5, topK: 3 },
      { seed: 3, topP: 0.7 },
      { seed: 4, minP: 0.2 },
      { seed: 5, stop: 'a' },
      { seed: 6, stop: ['never', 't', 'o'] },
    ];
    for (const options of all) {
      const given = { seed: 0, maxTokens: 12, ...options };
      const expected = await partsOf(loaded.generate('the', given));
      expect(await partsOf(trainer.generate('the', given))).toEqual(expected);
      expect(await partsOf(trainer.generate(trainer.encode('the'), given))).toEqual(expected);
      expect(trainer.sample({ prompt: 'the', ...given })).toBe(textOf(expected));
      const prompt = trainer.encode('the');
      expect(trainer.generate({ prompt, ...given })).toEqual(tokensOf(expected));
    }
  });

  it('has the defaults of a model, but for the seed', async () => {
    const defaults = { maxTokens: 100, temperature: 0.8, topK: 0, topP: 1, minP: 0 };
    const seed = 4 + 60; // the trainer's own seed plus its steps
    const long = trainer.sample({ prompt: 'the' });
    expect(trainer.sample({ prompt: 'the', ...defaults, seed })).toBe(long);
    expect(textOf(await partsOf(trainer.generate('the')))).toBe(long);
    const plain = await partsOf(loaded.generate('the', { ...defaults, seed: 0 }));
    expect(await partsOf(loaded.generate('the'))).toEqual(plain);
    expect(plain.filter(({ token }) => token !== undefined)).toHaveLength(100);
  });

  it('takes `tokens` for `maxTokens`, its old name, and not both', () => {
    const given = { prompt: 'the', seed: 3 };
    expect(trainer.sample({ ...given, tokens: 5 })).toBe(
      trainer.sample({ ...given, maxTokens: 5 }),
    );
    const prompt = [1, 2];
    expect(trainer.generate({ prompt, tokens: 5, seed: 3 })).toEqual(
      trainer.generate({ prompt, maxTokens: 5, seed: 3 }),
    );
    expectRefused(() => trainer.sample({ tokens: 5, maxTokens: 5 }), {
      ...{ call: 'sample', argument: 'tokens', says: 'is the old name of maxTokens' },
    });
    expectRefused(() => trainer.generate({ tokens: -1 }), {
      ...{ call: 'generate', argument: 'tokens', says: 'at least 0' },
    });
  });

  it('begins with a prompt of any length, and follows the steps in between', async () => {
    const prompt = data.slice(0, 40);
    expect(trainer.sample({ prompt, maxTokens: 4, temperature: 0 })).toBe(
      trainer.sample({ prompt: data.slice(24, 40), maxTokens: 4, temperature: 0 }),
    );
    const own = tril.trainer({ model, data, learningRate: 1e-2, steps: 60, batch: 8, seed: 4 });
    const greedy = { maxTokens: 3, temperature: 0 };
    const text = own.generate('the', greedy);
    const first = await text.next();
    own.steps(60);
    const seen = [...own.encode('the'), (first.value as GeneratedPart).token!];
    const next = (await text.next()).value as GeneratedPart;
    expect(next.token).toBe(own.generate({ prompt: seen, ...greedy })[0]);
    own.dispose();
    await expect(text.next()).rejects.toThrow('generate: trainer: has been disposed');
  });

  it('ends by its signal, and leaves nothing behind', async () => {
    const before = tril.memory();
    for await (const part of trainer.generate('the')) if (part.text !== '') break;
    const control = new AbortController();
    const drawn: string[] = [];
    const run = async () => {
      for await (const { text } of trainer.generate('the', { signal: control.signal })) {
        drawn.push(text);
        if (drawn.length === 2) control.abort('enough');
      }
    };
    await expect(run()).rejects.toBe('enough');
    expect(drawn).toHaveLength(2);
    const using = tril.trainer({ model, data });
    await using.generate('the').next();
    using[Symbol.dispose]?.();
    using.dispose();
    expect(tril.memory().tensors).toBe(before.tensors);
    expect(tril.memory().bytes).toBe(before.bytes);
  });

  it('is refused where an option is wrong, as a model is', async () => {
    const refused = async (body: () => AsyncIterable<GeneratedPart>, message: string) =>
      expect(partsOf(body())).rejects.toThrow(message);
    for (const each of [trainer, loaded]) {
      const given = (options: object) => () => each.generate('the', options as object);
      await refused(given({ topP: 2 }), 'generate: topP: must be above 0 and at most 1, is 2');
      await refused(given({ minP: -1 }), 'generate: minP: must be from 0 to 1, is -1');
      await refused(given({ topK: 0.5 }), 'generate: topK: must be a whole number');
      await refused(given({ stop: '' }), 'generate: stop: a text is empty');
      await refused(given({ stop: [3] }), 'generate: stop: must be texts');
      await refused(given({ signal: 3 }), 'generate: signal: must be an AbortSignal, is 3');
      await refused(given({ seeds: 3 }), 'generate: seeds: unknown option');
      await refused(
        () => each.generate([]),
        'generate: prompt: is empty: there must be a token to begin from',
      );
      await refused(() => each.generate([[1], [2]]), 'generate: prompt: must be one list, [T]');
    }
    await refused(() => trainer.generate('the', { without: [] } as object), 'generate: without');
    await refused(() => trainer.generate([999]), 'generate: tokens: 999 at [0, 0]');
    const numbers = tril.trainer({ model: { ...model, vocabulary: 9 } });
    await refused(() => numbers.generate('a'), 'generate: tokenizer: there is none');
    await refused(
      () => numbers.generate([1], { stop: 'a' }),
      'generate: stop: the model has no tokenizer, and so no text to stop at',
    );
    expect(await partsOf(numbers.generate([1], { maxTokens: 3 }))).toMatchObject([
      ...[{ text: '' }, { text: '' }, { text: '' }],
    ]);
    numbers.dispose();
  });
});

describe('samplingProbabilities', () => {
  const logits = [0, 1, -1, 1.5];
  const softmax = (values: number[]) => {
    const all = values.map((value) => Math.exp(value));
    const sum = all.reduce((a, b) => a + b);
    return all.map((each) => each / sum);
  };
  /** Sets the probabilities of tokens that are not kept to 0, and scales the others to the sum 1. */
  const keeping = (shares: number[], kept: number[]) => {
    const sum = kept.reduce((all, id) => all + shares[id]!, 0);
    return shares.map((share, id) => (kept.includes(id) ? share / sum : 0));
  };
  const shares = softmax(logits);

  it.each([
    [{ temperature: 1 }, shares],
    [{}, softmax(logits.map((value) => value / 0.8))],
    [{ temperature: 0 }, [0, 0, 0, 1]],
    [{ temperature: 1, topK: 2 }, keeping(shares, [1, 3])],
    [{ temperature: 1, topP: 0.85 }, keeping(shares, [0, 1, 3])],
    [{ temperature: 1, minP: 0.23 }, keeping(shares, [0, 1, 3].slice(1))],
    [{ temperature: 1, topK: 3, topP: 0.87 }, keeping(shares, [1, 3])], // two of the three have 0.878
  ])('with %o are what tokens are sampled from', (options, expected) => {
    const found = tril.samplingProbabilities(tril.tensor([logits, logits]), options);
    expect(found.shape).toEqual([2, 4]);
    for (const row of found.toArray<number[][]>()) {
      row.forEach((share, id) => expect(share).toBeCloseTo(expected[id]!, 6));
      expect(row.map((share) => share === 0)).toEqual(expected.map((share) => share === 0));
    }
    found.dispose();
  });

  it('are above 0 for tokens that are not excluded, however unlikely', () => {
    const far = tril.tensor([0, -300]);
    expect(tril.samplingProbabilities(far, { temperature: 1 }).read()[1]).toBeGreaterThan(0);
    expect(tril.samplingProbabilities(far, { topK: 1 }).read()[1]).toBe(0);
  });

  it('are those of texts', async () => {
    const session = loaded.session();
    const options = { temperature: 1.2, topK: 5, topP: 0.9 };
    const allowed = tril
      .samplingProbabilities(session.append(loaded.encode('the')), options)
      .read();
    for (let seed = 0; seed < 20; ++seed) {
      const [part] = await partsOf(loaded.generate('the', { ...options, seed, maxTokens: 1 }));
      expect(allowed[part!.token!]).toBeGreaterThan(0);
    }
    session.dispose();
  });

  it('refuse what there is nothing to sample from, and write nothing', () => {
    const out = tril.tensor([
      [7, 7],
      [7, 7],
    ]);
    const x = tril.tensor([
      [0, 1],
      [0, NaN],
    ]);
    const call = 'samplingProbabilities';
    const cases = [
      [() => tril.samplingProbabilities(x, { out }), 'logits', 'are not all finite'],
      [() => tril.samplingProbabilities(out, { topK: -1 }), 'topK', 'at least 0'],
      [() => tril.samplingProbabilities(out, { topP: 0 }), 'topP', 'above 0 and at most 1'],
      [() => tril.samplingProbabilities(out, { minP: 2 }), 'minP', 'from 0 to 1'],
      [() => tril.samplingProbabilities(out, { temperature: -1 }), 'temperature', 'at least 0'],
      [() => tril.samplingProbabilities(out, { out }), 'out', 'shares memory'],
      [() => tril.samplingProbabilities(3 as never), 'logits', 'must be a tensor'],
      [() => tril.samplingProbabilities(x, { k: 1 } as never), 'k', 'option'],
    ] as const;
    for (const [body, argument, says] of cases) expectRefused(body, { call, argument, says });
    expect(out.toArray()).toEqual([
      [7, 7],
      [7, 7],
    ]);
    tril.samplingProbabilities(
      tril.tensor([
        [0, 1],
        [1, 0],
      ]),
      { out, temperature: 0 },
    );
    expect(out.toArray()).toEqual([
      [0, 1],
      [1, 0],
    ]);
  });
});
