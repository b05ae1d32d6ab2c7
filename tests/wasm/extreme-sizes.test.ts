// Every call of the package with sizes from 0 to 2^31 - 1: products of them leave the 32 bits that
// the module counts in. What is not in the tables below makes the test fail.
import type { SequenceModelSettings } from 'tril/training';
import { describe, expect, it } from 'vitest';
import { Failures, extremes, extremesOf, type Case } from './extreme-sizes.js';
import { filesOf, tril } from './golden-models.js';

const none: Case = { sizes: {}, call: () => undefined };
const sized = <Sizes extends Record<string, number>>(
  sizes: Sizes,
  call: (sizes: Sizes) => unknown,
): Case => ({ sizes, call: call as Case['call'] });

// What is given besides sizes.
const ones = (...shape: number[]) => tril.randomUniform(shape, { seed: 1, low: 1, high: 2 });
const square = ones(4, 4);
const x = ones(1, 2, 4);
const projections = { in_proj_weight: ones(12, 4), 'out_proj.weight': square };
const feed = { 'linear1.weight': ones(6, 4), 'linear2.weight': ones(4, 6) };
const beneath = <Weights extends object>(prefix: string, weights: Weights) =>
  Object.fromEntries(Object.entries(weights).map(([name, each]) => [`${prefix}.${name}`, each]));
const norms = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`norm${n + 1}.weight`, ones(4)]));
const block = { ...beneath('self_attn', projections), ...feed, ...norms(2) } as never;
const decoder = {
  ...{ ...beneath('self_attn', projections), ...feed, ...norms(3) },
  ...beneath('multihead_attn', projections),
} as never;
const whole = {
  ...beneath('encoder.layers.0', block as object),
  ...beneath('decoder.layers.0', decoder as object),
} as never;
const ranks = { e: ones(1, 2), f: ones(1, 2) };
const sums = ones(1, 1, 2);
const rows = ones(2, 1);
const text = 'both banks of the river. '.repeat(8);

const both = { heads: 1, kvHeads: 1 };
const headed = (call: (sizes: typeof both) => unknown): Case => sized(both, call);
const axis = (call: (sizes: { axis: number }) => unknown): Case => sized({ axis: 0 }, call);
const axes = (call: (sizes: { axes: number }) => unknown): Case => sized({ axes: 1 }, call);
const attention = { batches: 1, ...both, queries: 8, keys: 2, width: 2, valueWidth: 2 };
/** Queries and keys are counted one by one: a second for 2^24. */
const fewer = (count: number) => (count === 2 ** 24 || count === 2 ** 16 ? 2 ** 10 : count);
const cache = { lineBytes: 64, ways: 8, sets: 1 };

const ofModule: Readonly<Record<string, Case>> = {
  tensor: sized({ a: 1, b: 1 }, ({ a, b }) => tril.tensor([a, b], [1])),
  zeros: sized({ a: 1, b: 1, c: 1 }, ({ a, b, c }) => tril.zeros([a, b, c])),
  randomNormal: sized({ a: 1, seed: 1 }, ({ a, seed }) =>
    tril.randomNormal([a, 2 ** 16], { seed }),
  ),
  randomUniform: sized({ a: 1, seed: 1 }, ({ a, seed }) =>
    tril.randomUniform([2 ** 16, a], { seed, low: -a, high: a }),
  ),
  scope: none,
  workingMemory: none,
  memory: none,
  matmul: sized({ levels: 1 }, ({ levels }) =>
    tril.matmul(square, square, { levels, method: 'strassen' }),
  ),
  add: none,
  subtract: none,
  multiply: none,
  divide: none,
  triangular: sized({ diagonal: 0 }, ({ diagonal }) => tril.triangular(square, { diagonal })),
  singularValues: none,
  softmax: axis((options) => tril.softmax(square, options)),
  logSoftmax: axis((options) => tril.logSoftmax(square, options)),
  'mask.causal': none,
  'mask.window': sized({ left: 1, right: 1 }, (sides) => {
    const mask = tril.mask.and(tril.mask.window(sides), tril.mask.causal());
    return tril.attention(x, x, x, { mask });
  }),
  'mask.strided': sized({ local: 1, stride: 1 }, (sizes) =>
    tril.attention(x, x, x, { mask: tril.mask.strided(sizes) }),
  ),
  'mask.padding': sized({ a: 1, b: 1 }, ({ a, b }) =>
    tril.attention(x, x, x, { mask: tril.mask.padding([a, b].slice(b > 1 ? 0 : 1)) }),
  ),
  'mask.dense': none,
  'mask.and': none,
  'mask.toTensor': sized({ a: 1, b: 1, past: 0 }, ({ a, b, past }) =>
    tril.mask.toTensor(tril.mask.window({ left: 2 }), [a, b], { past }),
  ),
  attention: headed((options) => tril.attention(x, x, x, options)),
  keyValueCache: sized({ batch: 1, heads: 1, width: 1, valueWidth: 1, capacity: 1 }, (sizes) =>
    tril.keyValueCache(sizes),
  ),
  onlineAttention: sized({ queries: 1, keys: 1, heads: 1 }, ({ heads, ...blocks }) =>
    tril.onlineAttention(x, x, x, { heads, blocks }),
  ),
  additiveAttention: none,
  linearAttention: headed((options) => tril.linearAttention(x, x, x, options)),
  lowRankAttention: headed((options) => tril.lowRankAttention(x, x, x, { ...options, ...ranks })),
  multiHeadAttention: headed((options) => tril.multiHeadAttention(x, projections, options)),
  linear: none,
  embedding: sized({ id: 1 }, ({ id }) => tril.embedding([id, 0], square)),
  sinusoidalPositions: sized({ length: 1, width: 2, a: 1 }, ({ length, width, a }) =>
    tril.sinusoidalPositions(length, width, { wavelength: a, ratio: a }),
  ),
  rotaryPositions: sized({ width: 2, heads: 1, position: 1 }, ({ width, heads, position }) =>
    tril.rotaryPositions(x, { width, heads, positions: [position, 1] }),
  ),
  readProduct: none,
  traceProduct: sized({ ...cache, block: 4 }, ({ block: edge, ...shape }) =>
    tril.traceProduct(square, square, { method: 'blocked', cache: shape, block: edge }),
  ),
  expectedMisses: sized({ n: 64, ...cache, block: 16 }, ({ n, block: edge, ...shape }) =>
    tril.expectedMisses(n, { method: 'blocked', cache: shape, block: edge }),
  ),
  strassenLevel: none,
  strassenSigns: none,
  productError: sized({ levels: 1 }, ({ levels }) =>
    tril.productError(square, square, { method: 'strassen', levels }),
  ),
  // How often to do something: what is asked for takes its time.
  runPeak: sized({ rounds: 1 }, ({ rounds }) => tril.runPeak(Math.min(rounds, 2 ** 24))),
  runningAverage: sized({ hidden: 1 }, ({ hidden }) =>
    tril.runningAverage(x, { method: 'softmax', hidden }),
  ),
  compare: none,
  statistics: none,
  growth: none,
  concentration: none,
  softmaxSteps: axis((options) => tril.softmaxSteps(square, options as never)),
  'cost.sum': none,
  'cost.intensity': none,
  'cost.gigaflops': none,
  'cost.ratio': none,
  'cost.matmul': sized({ batches: 1, rows: 2, depth: 2, cols: 2, levels: 1 }, (sizes) =>
    tril.cost.matmul({ ...sizes, method: 'strassen' }),
  ),
  'cost.linear': sized({ rows: 1, in: 1, out: 1 }, (sizes) => tril.cost.linear(sizes)),
  'cost.softmax': sized({ rows: 1, length: 1 }, (sizes) => tril.cost.softmax(sizes)),
  'cost.activation': sized({ count: 1 }, (sizes) =>
    tril.cost.activation({ ...sizes, activation: 'gelu' }),
  ),
  'cost.layerNorm': sized({ rows: 1, width: 1 }, (sizes) => tril.cost.layerNorm(sizes)),
  'cost.feedForward': sized({ rows: 1, width: 1, hidden: 1 }, (sizes) =>
    tril.cost.feedForward(sizes),
  ),
  'cost.attention': sized({ ...attention, past: 0 }, (sizes) =>
    tril.cost.attention({ ...sizes, queries: fewer(sizes.queries), causal: true }),
  ),
  'cost.linearAttention': sized(attention, (sizes) => tril.cost.linearAttention(sizes)),
  'cost.lowRankAttention': sized({ ...attention, rank: 1 }, (sizes) =>
    tril.cost.lowRankAttention({ ...sizes, queries: fewer(sizes.queries) }),
  ),
  'cost.additiveAttention': sized(
    { batches: 1, queries: 1, keys: 1, width: 1, keyWidth: 1, valueWidth: 1, units: 1 },
    (sizes) => tril.cost.additiveAttention(sizes),
  ),
  'cost.multiHeadAttention': sized(
    { batches: 1, queries: 8, keys: 1, width: 1, ...both, past: 0 },
    (sizes) => tril.cost.multiHeadAttention({ ...sizes, queries: fewer(sizes.queries) }),
  ),
  'cost.transformerBlock': sized(
    { batches: 1, tokens: 1, width: 1, ...both, hidden: 1, past: 0 },
    (sizes) => tril.cost.transformerBlock({ ...sizes, tokens: fewer(sizes.tokens), causal: true }),
  ),
  readArrays: sized({ a: 1, b: 1, c: 1 }, async ({ a, b, c }) => {
    const file = tril.writeNpy(square);
    const header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${a}, ${b}, ${c}), }`;
    file.set(new TextEncoder().encode(header.padEnd(117)), 10);
    return tril.readArrays(file, 'x.npy');
  }),
  writeNpy: none,
  writeNpz: none,
  writeSafetensors: none,
  layerNorm: axes((options) => tril.layerNorm(square, options)),
  rmsNorm: axes((options) => tril.rmsNorm(square, options)),
  relu: none,
  gelu: none,
  silu: none,
  feedForward: none,
  transformerBlock: headed((options) => tril.transformerBlock(x, block, options)),
  decoderBlock: headed((options) => tril.decoderBlock(x, x, decoder, options)),
  transformer: headed((options) => tril.transformer(x, x, whole, options)),
  attentionBackward: headed((options) =>
    tril.attentionBackward(x, x, x, x, { ...options, output: x, logSumExp: sums }),
  ),
  softmaxBackward: axis((options) => tril.softmaxBackward(square, square, options)),
  logSoftmaxBackward: axis((options) => tril.logSoftmaxBackward(square, square, options)),
  linearBackward: none,
  layerNormBackward: axes((options) => tril.layerNormBackward(square, square, options)),
  rmsNormBackward: axes((options) => tril.rmsNormBackward(square, square, options)),
  reluBackward: none,
  geluBackward: none,
  siluBackward: none,
  embeddingBackward: sized({ count: 3, id: 1 }, ({ count, id }) =>
    tril.embeddingBackward(rows, [id, 0], count),
  ),
  matmulBackward: none,
  rotaryPositionsBackward: sized({ width: 2, heads: 1 }, (options) =>
    tril.rotaryPositionsBackward(x, options),
  ),
  gatedActivation: none,
  gatedActivationBackward: none,
  gatedFeedForward: none,
  feedForwardBackward: none,
  gatedFeedForwardBackward: none,
  additiveAttentionBackward: none,
  multiHeadAttentionBackward: headed((options) =>
    tril.multiHeadAttentionBackward(x, x, projections, options),
  ),
  transformerBlockBackward: headed((options) =>
    tril.transformerBlockBackward(x, x, block, options),
  ),
  decoderBlockBackward: headed((options) => tril.decoderBlockBackward(x, x, x, decoder, options)),
  transformerBackward: headed((options) => tril.transformerBackward(x, x, x, whole, options)),
  crossEntropy: sized({ ignore: 1, target: 1 }, ({ ignore, target }) =>
    tril.crossEntropy(square, [target, 0, 1, 2], { ignore }),
  ),
  meanSquaredError: none,
  trainer: sized({ batch: 1, accumulation: 1, context: 4 }, ({ batch, accumulation, context }) => {
    const model = { layers: 1, heads: 1, width: 1, context, positions: 'none' } as const;
    const trainer = tril.trainer({ model, data: 'ab'.repeat(50_000), batch, accumulation });
    if (batch * accumulation * context < 2 ** 12) trainer.step();
    return trainer;
  }),
  prepareWeights: none,
  loadModel: sized({ context: 8 }, (options) => tril.loadModel(filesOf('llama'), options)),
  sequenceTrainer: sized(
    {
      ...{ sourceVocabulary: 4, targetVocabulary: 4, context: 4, encoderLayers: 1 },
      ...{ decoderLayers: 1, heads: 1, width: 2, hidden: 2 },
    } satisfies SequenceModelSettings,
    (model) => tril.sequenceTrainer({ model }),
  ),
  drawSequences: sized({ batch: 1, tokens: 2, vocabulary: 4, step: 1 }, (options) =>
    tril.drawSequences('sort', options),
  ),
  wordVectors: sized({ width: 4, window: 2, negative: 2, epochs: 1, minCount: 1 }, (options) => {
    const vectors = tril.wordVectors({ ...options, data: text });
    if (options.negative * options.window < 2 ** 17) vectors.step();
    return vectors;
  }),
};

// What calls give out. Of how often to do something, no more than a test has time for.
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
const vectors = tril.wordVectors({ data: text, width: 4, minCount: 1 });

const learner = {
  ...{ parameters: none, gradients: none, moments: none, setParameters: none, save: none },
  restore: none,
};
const ofObjects: readonly (readonly [object, Readonly<Record<string, Case>>])[] = [
  [
    tensor,
    {
      read: sized({ count: 6 }, ({ count }) => tensor.read(new Float32Array(count % 2 ** 20))),
      toArray: sized({ a: 0, b: 0 }, ({ a, b }) => {
        const empty = tril.zeros(b === 0 ? [a, b] : [0, a, b]);
        if (a !== 2 ** 24) empty.toArray(); // that many arrays take a gigabyte
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
      sample: sized({ tokens: 2, topK: 1, seed: 1 }, ({ tokens, ...sizes }) =>
        trainer.sample({ tokens: few(tokens), ...sizes }),
      ),
      generate: sized({ tokens: 2, topK: 1, seed: 1 }, ({ tokens, ...sizes }) =>
        trainer.generate({ prompt: [sizes.topK], tokens: few(tokens), ...sizes }),
      ),
      encode: none,
      decode: sized({ token: 1 }, ({ token }) => trainer.decode([token])),
      trace: sized({ token: 1 }, ({ token }) => trainer.trace([token])),
      export: none,
    },
  ],
  [
    pupil,
    {
      ...learner,
      step: sized({ token: 1, answer: 1 }, ({ token, answer }) =>
        pupil.step({ source: [[1, token]], target: [[0, 1]], answers: [[answer, 2]] }),
      ),
      steps: sized({ count: 1 }, ({ count }) => pupil.steps(few(count))),
      evaluate: sized({ token: 1 }, ({ token }) =>
        pupil.evaluate({ source: [[1, 2]], target: [[token, 1]], answers: [[1, 2]] }),
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
      parts: none, // of generate
      encode: none,
      decode: sized({ token: 1 }, ({ token }) => model.decode([token])),
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

/** The numbers of a file of settings, each in turn every size; and every two of the model's own. */
const settingsOf = (name: string) => {
  const files = filesOf(name);
  const config = JSON.parse(new TextDecoder().decode(files['config.json'])) as Record<
    string,
    unknown
  >;
  const numbers = Object.entries(config).filter(([, value]) => Number.isInteger(value));
  return { files, config, sizes: Object.fromEntries(numbers) as Record<string, number> };
};

/** Every function in an object, with the names that lead to it. */
const namesOf = (object: object, before = ''): string[] =>
  Object.entries(object).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value === 'function') return [before + name];
    return typeof value === 'object' && value !== null ? namesOf(value, `${before}${name}.`) : [];
  });

/** The methods of an object, of its class and those above it. */
const methodsOf = (object: object): string[] => {
  const kind = Object.getPrototypeOf(object) as object;
  if (kind === Object.prototype) return [];
  const own = Object.entries(Object.getOwnPropertyDescriptors(kind)).filter(
    ([name, { value }]) =>
      typeof value === 'function' &&
      !['constructor', 'dispose', 'toString', 'raw', 'run'].includes(name),
  );
  return [...new Set([...own.map(([name]) => name), ...methodsOf(kind)])];
};

async function expectAnswers(name: string, { sizes, call }: Case) {
  const failures = new Failures(tril);
  for (const each of extremesOf(sizes)) {
    await failures.expect(`${name} of ${JSON.stringify(each)}`, () => call(each as never));
  }
  expect(failures.found).toEqual([]);
}

describe('sizes of 0 to 2^31 - 1', () => {
  it('are tried in every call', () => {
    expect(Object.keys(ofModule).sort()).toEqual(namesOf(tril).sort());
    for (const [object, cases] of ofObjects) {
      expect(Object.keys(cases).sort()).toEqual(methodsOf(object).sort());
    }
  });

  it.each(Object.entries(ofModule))('are answered or refused by %s', expectAnswers);

  for (const [object, cases] of ofObjects) {
    it.each(Object.entries(cases))(
      `are answered or refused by ${String(object)}, %s`,
      expectAnswers,
    );
  }

  it.each(['gpt2', 'llama', 'qwen2'])(
    'in the config.json of %s are answered or refused',
    (name) => {
      const { files, config, sizes } = settingsOf(name);
      return expectAnswers(name, {
        sizes,
        call: (changed: Record<string, number>) => {
          const json = new TextEncoder().encode(JSON.stringify({ ...config, ...changed }));
          return tril.loadModel({ ...files, 'config.json': json });
        },
      });
    },
  );

  it('of tensors without elements are answered or refused by every call', async () => {
    const failures = new Failures(tril);
    const shapes = [
      [0, 4],
      [4, 0],
    ].concat(
      extremes.slice(2).flatMap((n) => [
        [n, 0],
        [0, n],
      ]),
    );
    const tensors = [...shapes, ...shapes.map(([a, b]) => [1, 1, a!, b!])].map((shape) =>
      tril.zeros(shape),
    );
    const options = { heads: 1, ids: [0] };
    for (const name of Object.keys(ofModule).filter((each) => !/^(scope|trainer)$/.test(each))) {
      const call = name.split('.').reduce((at: unknown, key) => (at as never)[key], tril) as (
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
