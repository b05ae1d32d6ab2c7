// The arguments of each call of the package apart from sizes, and the sizes to vary.
import type { SequenceModelSettings } from 'tril/training';
import type { Case } from './extreme-sizes.js';
import { encoderFilesOf, filesOf } from './golden-models.js';
import { explained, limited as tril } from './limited.js';

export const none: Case = { sizes: {}, call: () => undefined };
export const sized = <Sizes extends Record<string, number>>(
  sizes: Sizes,
  call: (sizes: Sizes) => unknown,
): Case => ({ sizes, call: call as Case['call'] });

// The arguments apart from sizes.
export const ones = (...shape: number[]) => tril.randomUniform(shape, { seed: 1, low: 1, high: 2 });
const square = ones(4, 4);
export const x = ones(1, 2, 4);
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
export const text = 'both banks of the river. '.repeat(8);

const both = { heads: 1, kvHeads: 1 };
const headed = (call: (sizes: typeof both) => unknown): Case => sized(both, call);
const axis = (call: (sizes: { axis: number }) => unknown): Case => sized({ axis: 0 }, call);
const axes = (call: (sizes: { axes: number }) => unknown): Case => sized({ axes: 1 }, call);
const attention = { batches: 1, ...both, queries: 8, keys: 2, width: 2, valueWidth: 2 };
/** Replaces every large size by one that is refused before anything is allocated. */
const refusedAtOnce = <Sizes extends Record<string, number>>(sizes: Sizes): Sizes =>
  Object.fromEntries(
    Object.entries(sizes).map(([name, size]) => [name, size >= 2 ** 16 ? 2 ** 31 - 1 : size]),
  ) as Sizes;

/** Replaces 2^24 by 2^31 - 1, which is refused, where the call would compute that many numbers. */
const notMillions = <Sizes extends Record<string, number>>(sizes: Sizes): Sizes =>
  Object.fromEntries(
    Object.entries(sizes).map(([name, size]) => [name, size === 2 ** 24 ? 2 ** 31 - 1 : size]),
  ) as Sizes;

/** Limits the sizes that counting iterates over, block by block, to 1024. */
const countable = <Sizes extends Record<string, number>>(sizes: Sizes): Sizes => {
  const counted = ['batches', 'heads', 'kvHeads', 'queries', 'keys', 'tokens', 'past', 'rank'];
  const few = ([name, size]: [string, number]) => [
    name,
    counted.includes(name) ? Math.min(size, 2 ** 10) : size,
  ];
  return Object.fromEntries(Object.entries(sizes).map(few)) as Sizes;
};
const cache = { lineBytes: 64, ways: 8, sets: 1 };

export const ofModule: Readonly<Record<string, Case>> = {
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
  power: none,
  maximum: none,
  minimum: none,
  equal: none,
  notEqual: none,
  less: none,
  lessEqual: none,
  greater: none,
  greaterEqual: none,
  exp: none,
  log: none,
  sqrt: none,
  abs: none,
  negate: none,
  tanh: none,
  where: none,
  arange: sized({ start: 0, stop: 1, step: 1 }, ({ start, stop, step }) =>
    tril.arange(start, stop, step),
  ),
  sum: axis((options) => tril.sum(square, options)),
  mean: axis((options) => tril.mean(square, options)),
  max: axis((options) => tril.max(square, options)),
  min: axis((options) => tril.min(square, options)),
  argmax: axis((options) => tril.argmax(square, options)),
  sumTo: sized({ a: 1, b: 4 }, ({ a, b }) => tril.sumTo(square, [a, b])),
  reshape: sized({ a: 4, b: 4, c: 1 }, ({ a, b, c }) => tril.reshape(square, [a, b, c])),
  transpose: sized({ a: 0, b: 1 }, ({ a, b }) => tril.transpose(square, [a, b])),
  slice: sized({ one: 0, start: 0, stop: 4, step: 1 }, ({ one, start, stop, step }) =>
    tril.slice(square, [one, [start, stop, step]]),
  ),
  sliceBackward: sized({ a: 4, b: 4, start: 0, step: 1 }, ({ a, b, start, step }) =>
    tril.sliceBackward(square, [a, b], [null, [start, 4, step]]),
  ),
  broadcastTo: sized({ a: 1, b: 4, c: 4 }, ({ a, b, c }) => tril.broadcastTo(square, [a, b, c])),
  concatenate: axis((options) => tril.concatenate([square, square], options)),
  stack: axis((options) => tril.stack([square, square], options)),
  split: sized({ sections: 2, bound: 1, axis: 0 }, ({ sections, bound, axis }) =>
    tril.split(square, bound === 1 ? sections : [bound], { axis }),
  ),
  triangular: sized({ diagonal: 0 }, ({ diagonal }) => tril.triangular(square, { diagonal })),
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
  'mask.toTensor': sized({ a: 1, b: 1, past: 0 }, ({ past, ...sizes }) => {
    const { a, b } = notMillions(sizes);
    return tril.mask.toTensor(tril.mask.window({ left: 2 }), [a, b], { past });
  }),
  attention: headed((options) => tril.attention(x, x, x, options)),
  keyValueCache: sized({ batch: 1, heads: 1, width: 1, valueWidth: 1, capacity: 1 }, (sizes) =>
    tril.keyValueCache(sizes),
  ),
  additiveAttention: none,
  linearAttention: headed((options) => tril.linearAttention(x, x, x, options)),
  lowRankAttention: headed((options) => tril.lowRankAttention(x, x, x, { ...options, ...ranks })),
  multiHeadAttention: headed((options) => tril.multiHeadAttention(x, projections, options)),
  linear: none,
  embedding: sized({ id: 1 }, ({ id }) => tril.embedding([id, 0], square)),
  sinusoidalPositions: sized({ length: 1, width: 2, a: 1 }, ({ a, ...sizes }) => {
    const { length, width } = notMillions(sizes);
    return tril.sinusoidalPositions(length, width, { wavelength: a, ratio: a });
  }),
  rotaryPositions: sized({ width: 2, heads: 1, position: 1 }, ({ width, heads, position }) =>
    tril.rotaryPositions(x, { width, heads, positions: [position, 1] }),
  ),
  runningAverage: sized({ hidden: 1 }, ({ hidden }) =>
    tril.runningAverage(x, { method: 'softmax', hidden }),
  ),
  compare: none,
  statistics: none,
  growth: none,
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
    tril.cost.attention({ ...countable(sizes), causal: true }),
  ),
  'cost.linearAttention': sized(attention, (sizes) => tril.cost.linearAttention(sizes)),
  'cost.lowRankAttention': sized({ ...attention, rank: 1 }, (sizes) =>
    tril.cost.lowRankAttention(countable(sizes)),
  ),
  'cost.additiveAttention': sized(
    { batches: 1, queries: 1, keys: 1, width: 1, keyWidth: 1, valueWidth: 1, units: 1 },
    (sizes) => tril.cost.additiveAttention(sizes),
  ),
  'cost.multiHeadAttention': sized(
    { batches: 1, queries: 8, keys: 1, width: 1, ...both, past: 0 },
    (sizes) => tril.cost.multiHeadAttention(countable(sizes)),
  ),
  'cost.transformerBlock': sized(
    { batches: 1, tokens: 1, width: 1, ...both, hidden: 1, past: 0 },
    (sizes) => tril.cost.transformerBlock({ ...countable(sizes), causal: true }),
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
  samplingProbabilities: sized({ topK: 2 }, (options) =>
    tril.samplingProbabilities(square, options),
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
  close: none,
  tokenizer: none,
  loadEncoder: sized({ context: 32 }, (options) =>
    tril.loadEncoder(encoderFilesOf('bge'), options),
  ),
  loadModel: sized({ context: 8 }, (options) => tril.loadModel(filesOf('llama'), options)),
  sequenceTrainer: sized(
    {
      ...{ sourceVocabulary: 4, targetVocabulary: 4, context: 4, encoderLayers: 1 },
      ...{ decoderLayers: 1, heads: 1, width: 2, hidden: 2 },
    } satisfies SequenceModelSettings,
    // Making a model with a size of 2^16 or 2^24 takes seconds: such sizes become ones that are refused at once.
    (model) => tril.sequenceTrainer({ model: refusedAtOnce(model) }),
  ),
  drawSequences: sized({ batch: 1, tokens: 2, vocabulary: 4, step: 1 }, (options) =>
    tril.drawSequences('sort', refusedAtOnce(options)),
  ),
  wordVectors: sized({ width: 4, window: 2, negative: 2, epochs: 1, minCount: 1 }, (options) => {
    const vectors = tril.wordVectors({ ...options, data: text });
    if (options.negative * options.window < 2 ** 17) vectors.step();
    return vectors;
  }),
};

const tile = explained.randomUniform([4, 4], { seed: 1 });
const tokens = explained.randomUniform([1, 2, 4], { seed: 1 });
export const ofLessons: Readonly<Record<string, Case>> = {
  singularValues: none,
  onlineAttention: sized({ queries: 1, keys: 1, heads: 1 }, ({ heads, ...blocks }) =>
    explained.onlineAttention(tokens, tokens, tokens, { heads, blocks }),
  ),
  readProduct: none,
  traceProduct: sized({ ...cache, block: 4 }, ({ block: edge, ...shape }) =>
    explained.traceProduct(tile, tile, { method: 'blocked', cache: shape, block: edge }),
  ),
  expectedMisses: sized({ n: 64, ...cache, block: 16 }, ({ n, block: edge, ...shape }) =>
    explained.expectedMisses(n, { method: 'blocked', cache: shape, block: edge }),
  ),
  strassenLevel: none,
  strassenSigns: none,
  productError: sized({ levels: 1 }, ({ levels }) =>
    explained.productError(tile, tile, { method: 'strassen', levels }),
  ),
  // A number of rounds: the call takes as long as they do.
  runPeak: sized({ rounds: 1 }, ({ rounds }) => explained.runPeak(Math.min(rounds, 2 ** 24))),
  concentration: none,
  softmaxSteps: axis((options) => explained.softmaxSteps(tile, options as never)),
};
