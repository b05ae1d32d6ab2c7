// Every call of the package with sizes from 0 to 2^31 - 1, whose products exceed the 32 bits that the module counts in.
// A call missing from the tables here and in extreme-calls.ts makes the test fail.
import type { Tril } from 'tril';
import type { SequenceModelSettings } from 'tril/training';
import { describe, expect, it } from 'vitest';
import { none, ofLessons, ofModule, ones, sized, text, x } from './extreme-calls.js';
import { Failures, extremes, extremesOf, type Case } from './extreme-sizes.js';
import { encoderFilesOf, filesOf } from './golden-models.js';
import { explained, limited as tril } from './limited.js';

// The objects that calls return. Numbers of rounds are limited to what a test has time for.
const few = (count: number) => Math.min(count, 64);
const tensor = ones(2, 3);
const past = tril.keyValueCache({ width: 4, capacity: 4 });
tril.attention(x, x, x, { past, causal: true });
const language = { layers: 1, heads: 1, width: 2, context: 4 };
const trainer = tril.trainer({ model: language, data: text, tokenizer: 'bytes', batch: 1 });
const sequenceModel = {
  ...{ sourceVocabulary: 4, targetVocabulary: 4, context: 4, encoderLayers: 1 },
  ...{ decoderLayers: 1, heads: 1, width: 2, hidden: 2 },
} satisfies SequenceModelSettings;
const pupil = tril.sequenceTrainer({ model: sequenceModel });
const model = await tril.loadModel(filesOf('llama'));
const encoder = await tril.loadEncoder(encoderFilesOf('minilm'));
const vectors = tril.wordVectors({ data: text, width: 4, minCount: 1 });
const session = model.session({ capacity: 4 });
const tokenizer = tril.tokenizer(trainer.export());

const learner = {
  ...{ parameters: none, gradients: none, moments: none, setParameters: none, save: none },
  restore: none,
};
const ofObjects: readonly (readonly [object, Readonly<Record<string, Case>>])[] = [
  [
    tensor,
    {
      toJSON: none,
      read: sized({ count: 6 }, ({ count }) => tensor.read(new Float32Array(count % 2 ** 20))),
      toArray: sized({ a: 0, b: 0 }, ({ a, b }) => {
        const empty = tril.zeros(b === 0 ? [a, b] : [0, a, b]);
        if (a !== 2 ** 24) empty.toArray(); // that many arrays would take a gigabyte
        return empty;
      }),
      write: none,
      view: none,
    },
  ],
  [past, { rewind: sized({ length: 1 }, ({ length }) => past.rewind(length)) }],
  [
    trainer,
    {
      ...learner,
      step: sized({ token: 1, target: 1 }, ({ token, target }) =>
        trainer.step({ tokens: [[1, token]], targets: [[target, 2]] }),
      ),
      cost: sized({ a: 1, b: 1 }, ({ a, b }) => trainer.cost(a, b)),
      steps: sized({ count: 1 }, ({ count }) => trainer.steps(few(count))),
      evaluate: sized({ token: 1 }, ({ token }) =>
        trainer.evaluate({ tokens: [[1, token]], targets: [[2, 3]] }),
      ),
      sample: sized({ maxTokens: 2, topK: 1, seed: 1 }, ({ maxTokens, ...sizes }) =>
        trainer.sample({ maxTokens: few(maxTokens), ...sizes }),
      ),
      generate: sized({ maxTokens: 2, topK: 1, seed: 1 }, ({ maxTokens, ...sizes }) =>
        trainer.generate({ prompt: [sizes.topK], maxTokens: few(maxTokens), ...sizes }),
      ),
      parts: none, // in generate
      encode: none,
      decode: sized({ token: 1 }, ({ token }) => trainer.decode([token])),
      trace: sized({ token: 1 }, ({ token }) => trainer.trace([token])),
      export: none,
      exportAdapter: none,
    },
  ],
  [
    pupil,
    {
      ...learner,
      step: sized({ token: 1, label: 1 }, ({ token, label }) =>
        pupil.step({ source: [[1, token]], target: [[0, 1]], labels: [[label, 2]] }),
      ),
      steps: sized({ count: 1 }, ({ count }) => pupil.steps(few(count))),
      evaluate: sized({ token: 1 }, ({ token }) =>
        pupil.evaluate({ source: [[1, 2]], target: [[token, 1]], labels: [[1, 2]] }),
      ),
      logits: sized({ a: 1, b: 1 }, ({ a, b }) => pupil.logits([[a]], [[b]])),
      translate: sized({ begin: 0, end: 1, tokens: 2 }, (options) =>
        pupil.translate([1, 2], options),
      ),
    },
  ],
  [
    model,
    {
      forward: sized({ token: 1, layer: 0, head: 0, position: 0 }, ({ token, layer, ...one }) =>
        model.forward([token, 1], {
          without: [{ layer, head: one.head, positions: one.position }],
        }),
      ),
      generate: sized(
        { token: 1, maxTokens: 4, topK: 2, seed: 1 },
        async ({ token, ...options }) => {
          for await (const part of model.generate([token], options)) expect(part).toBeDefined();
        },
      ),
      parts: none, // in generate
      encode: none,
      decode: sized({ token: 1 }, ({ token }) => model.decode([token])),
      evaluate: sized({ token: 1 }, ({ token }) => model.evaluate([1, token])),
      attention: sized({ token: 1 }, ({ token }) => model.attention([1, token]).weights),
      session: sized({ capacity: 4 }, (options) => model.session(options)),
      export: none,
    },
  ],
  [
    encoder,
    {
      encode: none,
      similarity: sized({ a: 1, b: 16 }, ({ a, b }) =>
        tril.scope(() => encoder.similarity(tril.zeros([a, b]))),
      ),
      attention: none,
      hidden: none,
      decode: sized({ token: 1 }, ({ token }) => encoder.decode([token])),
    },
  ],
  [
    session,
    {
      append: sized({ token: 1 }, ({ token }) => {
        session.rewind(0);
        return session.append([1, token]);
      }),
      rewind: sized({ length: 0 }, ({ length }) => session.rewind(length)),
    },
  ],
  [
    tokenizer,
    {
      encode: none,
      encodeWithOffsets: none,
      decode: sized({ token: 1 }, ({ token }) => tokenizer.decode([token])),
      export: none,
    },
  ],
  [
    vectors,
    {
      step: none,
      steps: sized({ count: 1 }, ({ count }) => vectors.steps(few(count))),
      vectors: none,
      similar: sized({ count: 1 }, ({ count }) => vectors.similar('river', count)),
      analogy: sized({ count: 1 }, ({ count }) => vectors.analogy('river', 'of', 'the', count)),
      save: none,
    },
  ],
];

/**
 * A model's files with other settings, and the names of its numeric settings: sizes, which are varied in pairs, and all
 * others. A setting that is null, such as the width of GPT-2's feed-forward, counts as a size.
 */
function settingsOf(name: string) {
  const files = filesOf(name);
  const text = new TextDecoder().decode(files['config.json']);
  const config = JSON.parse(text) as Record<string, number>;
  const keys = Object.keys(config).filter((key) => typeof config[key] === 'number');
  const isSize = (key: string) => Number.isInteger(config[key]) && !key.endsWith('_id');
  const nulls = Object.keys(config).filter((key) => config[key] === null);
  const sizes = [...keys.filter(isSize), ...nulls].map((key) => [key, config[key]!] as const);
  const load = (settings: object) => {
    const json = new TextEncoder().encode(JSON.stringify({ ...config, ...settings }));
    if (name === 'minilm') {
      return tril.loadEncoder({ ...encoderFilesOf(name), 'config.json': json });
    }
    return tril.loadModel({ ...files, 'config.json': json });
  };
  return { keys: [...keys, ...nulls], sizes: Object.fromEntries(sizes), load };
}

/** More than two growth steps of the heap (96 MB at most), and less than a file may claim to need. */
const little = 2 ** 28;

/** The dotted names of every function in an object. */
const namesOf = (object: object, before = ''): string[] =>
  Object.entries(object).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === 'function') return [before + name];
    return typeof value === 'object' && value !== null ? namesOf(value, `${before}${name}.`) : [];
  });

/** The methods of an object, of its class and of the base classes. */
const methodsOf = (object: object): string[] => {
  const kind = Object.getPrototypeOf(object) as object;
  if (kind === Object.prototype) return [];
  const inner = [
    'constructor',
    'disposeParts',
    'each',
    'encoded',
    'lossOver',
    'nextBatch',
    'raw',
    'run',
    'stepOver',
  ];
  const withoutSizes = ['dispose', 'toString', ...inner];
  const own = Object.entries(Object.getOwnPropertyDescriptors(kind)).filter(
    ([name, { value }]) => typeof value === 'function' && !withoutSizes.includes(name),
  );
  return [...new Set([...own.map(([name]) => name), ...methodsOf(kind)])];
};

const answersOf =
  (module: Tril) =>
  async (name: string, { sizes, call }: Case) => {
    const failures = new Failures(module);
    for (const each of extremesOf(sizes)) {
      await failures.expect(`${name} of ${JSON.stringify(each)}`, () => call(each as never));
    }
    expect(failures.found).toEqual([]);
  };
const expectAnswers = answersOf(tril);

describe('sizes of 0 to 2^31 - 1', () => {
  it('are tried in every call', () => {
    expect(Object.keys(ofModule).sort()).toEqual(namesOf(tril).sort());
    const ofEvery = namesOf(tril);
    const own = namesOf(explained).filter((name) => !ofEvery.includes(name));
    expect(Object.keys(ofLessons).sort()).toEqual(own.sort());
    for (const [object, cases] of ofObjects) {
      expect(Object.keys(cases).sort()).toEqual(methodsOf(object).sort());
    }
  });

  it.each(Object.entries(ofModule))('are answered or refused by %s', expectAnswers);
  it.each(Object.entries(ofLessons))('are answered or refused by %s', answersOf(explained));

  for (const [object, cases] of ofObjects) {
    it.each(Object.entries(cases))(
      `are answered or refused by ${String(object)}, %s`,
      expectAnswers,
    );
  }

  it.each(['gpt2', 'llama', 'qwen2', 'minilm'])(
    'and other numbers in the config.json of %s are answered or refused',
    async (name) => {
      const { keys, sizes, load } = settingsOf(name);
      const failures = new Failures(tril);
      const { heapBytes } = tril.memory();
      const others = keys.flatMap((key) => [-1, 1.5, 1e300].map((value) => ({ [key]: value })));
      for (const settings of [...extremesOf(sizes), ...others]) {
        await failures.expect(JSON.stringify(settings), () => load(settings));
      }
      expect(failures.found).toEqual([]);
      expect(tril.memory().heapBytes - heapBytes).toBeLessThan(little);
    },
  );

  it.each([
    ['gpt2', 'n_layer'],
    ['llama', 'num_hidden_layers'],
  ])('of %s in layers take no memory where the files have two', async (name, layers) => {
    const { load } = settingsOf(name);
    const { heapBytes } = tril.memory();
    await expect(load({ [layers]: 4097 })).rejects.toThrow('must be from 1 to 4096, is 4097');
    await expect(load({ [layers]: 4096 })).rejects.toThrow('is missing; its shape would be [16]');
    expect(tril.memory().heapBytes - heapBytes).toBeLessThan(little);
  });

  it.each<[string, Tril, Readonly<Record<string, Case>>]>([
    ['every call', tril, ofModule],
    ['those of lessons', explained, ofLessons],
  ])('of tensors without elements are answered or refused by %s', async (_, module, cases) => {
    const failures = new Failures(module);
    const shapes = [
      [0, 4],
      [4, 0],
    ].concat(
      extremes.slice(2, 4).flatMap((n) => [
        [n, 0],
        [0, n],
      ]),
    );
    const tensors = [...shapes, ...shapes.map(([a, b]) => [1, 1, a!, b!])].map((shape) =>
      module.zeros(shape),
    );
    const options = { heads: 1, ids: [0] };
    for (const name of Object.keys(cases).filter((each) => !/^(scope|trainer|close)$/.test(each))) {
      const call = name.split('.').reduce((at: unknown, key) => (at as never)[key], module) as (
        ...given: unknown[]
      ) => unknown;
      for (const one of tensors) {
        for (const other of new Set([one, tensors[0], tensors.at(-1)])) {
          for (const given of [
            [one],
            [one, other],
            [one, other, other],
            [one, other, other, other],
          ]) {
            const what = `${name} of ${given.map((each) => `[${each!.shape}]`)}`;
            await failures.expect(what, () => call(...given, options));
          }
        }
      }
    }
    for (const each of tensors) each.dispose();
    expect(failures.found).toEqual([]);
  });
});
