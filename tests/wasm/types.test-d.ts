// The types that an editor shows: checked by tsc, never run.
import { loadTril, type AttentionTrace, type Cost, type KeyValue } from 'tril';
import type { MultiHeadTrace } from 'tril';
import { loadTril as loadLessons, type OnlineTrace } from 'tril/lessons';
import { loadTril as loadTraining, type ModelTrace, type SequenceTrainer } from 'tril/training';
import { loadTril as loadStatic } from 'tril/simd';
import { loadTril as loadStaticTraining } from 'tril/simd-training';
import type { AttentionOptions, DropoutOption, Mask, NestedNumbers, Tensor, Variant } from 'tril';
import { loadTril as loadInWorker, type RemoteModel, type RemoteTensor } from 'tril/worker';
import { expectTypeOf, it } from 'vitest';

declare const x: Tensor;
declare const past: KeyValue;
declare const maybe: boolean;
const tril = await loadTril();
const training = await loadTraining();
const lessons = await loadLessons();

it('tensors', () => {
  expectTypeOf(tril.variant).toEqualTypeOf<Variant>();
  expectTypeOf(tril.tensor([1, 2], [[3, 4]])).toEqualTypeOf<Tensor>();
  expectTypeOf(x.shape).toEqualTypeOf<readonly number[]>();
  expectTypeOf(x.read()).toMatchTypeOf<Float32Array>();
  expectTypeOf(x.read(new Float64Array(2))).toEqualTypeOf<Float64Array<ArrayBuffer>>();
  // @ts-expect-error whole numbers would cut off what is behind the point
  x.read(new Int32Array(2));
  expectTypeOf(x.toArray()).toEqualTypeOf<NestedNumbers>();
  expectTypeOf(x.toArray<number[][]>()).toEqualTypeOf<number[][]>();
  expectTypeOf(x.view((values) => values.length)).toEqualTypeOf<number>();
  expectTypeOf(tril.scope(() => ({ kept: x }))).toEqualTypeOf<{ kept: Tensor }>();
  // @ts-expect-error text is no data
  tril.tensor([2], 'ab');
  // @ts-expect-error a shape cannot be changed
  x.shape[0] = 3;
});

it('shapes and reductions', () => {
  expectTypeOf(tril.transpose(tril.reshape(x, [2, -1]), [1, 0])).toEqualTypeOf<Tensor>();
  expectTypeOf(
    tril.slice(x, [-1, null, [1], [null, -1], [null, null, -2]]),
  ).toEqualTypeOf<Tensor>();
  expectTypeOf(tril.split(x, 3, { axis: -1 })).toEqualTypeOf<Tensor[]>();
  expectTypeOf(tril.sum(x, { axis: [0, 1], keepDims: true })).toEqualTypeOf<Tensor>();
  expectTypeOf(tril.where(tril.less(x, 0), 0, x)).toEqualTypeOf<Tensor>();
  // @ts-expect-error one axis or all
  tril.argmax(x, { axis: [0, 1] });
  // @ts-expect-error four numbers are no range
  tril.slice(x, [[0, 1, 1, 1]]);
  // @ts-expect-error a number has no axes
  tril.exp(1);
});

it('calls and their options', () => {
  expectTypeOf(tril.matmul(x, x, { method: 'tiled', transposeB: true })).toEqualTypeOf<Tensor>();
  // @ts-expect-error no such method
  tril.matmul(x, x, { method: 'tild' });
  // @ts-expect-error no such option
  tril.matmul(x, x, { transpose: true });
  // @ts-expect-error not a tensor
  tril.softmax([1, 2]);
  expectTypeOf(tril.mask.and(tril.mask.causal())).toEqualTypeOf<Mask>();
  // @ts-expect-error a mask is made by tril.mask
  tril.attention(x, x, x, { mask: [[1]] });
});

it('a trace and a present are there where they were asked for', () => {
  expectTypeOf(tril.attention(x, x, x).output).toEqualTypeOf<Tensor>();
  expectTypeOf(tril.attention(x, x, x, { trace: true }).trace).toEqualTypeOf<AttentionTrace>();
  expectTypeOf(tril.attention(x, x, x, { past }).present).toEqualTypeOf<KeyValue>();
  expectTypeOf(tril.attention(x, x, x, { trace: maybe }).trace).toEqualTypeOf<
    AttentionTrace | undefined
  >();
  const weights = { in_proj_weight: x, 'out_proj.weight': x };
  const result = tril.multiHeadAttention(x, weights, { heads: 2, needWeights: true, trace: true });
  expectTypeOf(result.weights).toEqualTypeOf<Tensor>();
  expectTypeOf(result.trace).toEqualTypeOf<MultiHeadTrace>();
  // @ts-expect-error heads must be given
  tril.multiHeadAttention(x, weights, {});
  // @ts-expect-error out_proj.weight must be given
  tril.multiHeadAttention(x, { in_proj_weight: x }, { heads: 2 });
});

it('steps, costs and measures', () => {
  const { trace } = lessons.onlineAttention(x, x, x, { trace: true });
  expectTypeOf(trace).toEqualTypeOf<OnlineTrace>();
  // @ts-expect-error in tril/lessons
  void tril.onlineAttention;
  expectTypeOf(tril.cost.matmul({ rows: 1, depth: 1, cols: 1 })).toEqualTypeOf<Cost>();
  expectTypeOf(tril.compare(x, x).worst.index).toEqualTypeOf<readonly number[]>();
  // @ts-expect-error no such size
  tril.cost.softmax({ rows: 1, cols: 1 });
});

it('a Worker takes and gives its own tensors, as promises', async () => {
  const remote = await loadInWorker();
  const tensor = await remote.tensor([1, 2]);
  expectTypeOf(tensor).toEqualTypeOf<RemoteTensor>();
  expectTypeOf(remote.matmul).returns.resolves.toEqualTypeOf<RemoteTensor>();
  const mask = await remote.mask.causal();
  const { output, trace } = await remote.attention(tensor, tensor, tensor, { mask });
  expectTypeOf(output).toEqualTypeOf<RemoteTensor>();
  expectTypeOf(trace!.weights).toEqualTypeOf<RemoteTensor>();
  // @ts-expect-error a tensor of this thread
  await remote.relu(x);
});

it('weights are taken as they are read, and by their names', async () => {
  const state: Record<string, Tensor> = Object.fromEntries([['linear1.weight', x]]);
  const half = { 'linear1.weight': x };
  tril.multiHeadAttention(x, state, { heads: 1 });
  tril.feedForward(x, state);
  tril.transformerBlock(x, state, { heads: 1 });
  tril.decoderBlock(x, x, state, { heads: 1 });
  tril.transformer(x, x, state, { heads: 1 });
  tril.additiveAttention(x, x, x, state);
  training.gatedFeedForward(x, state);
  training.transformerBlockBackward(x, x, state, { heads: 1 });
  tril.feedForward(x, tril.prepareWeights({ ...half, 'linear2.weight': x }));
  // @ts-expect-error linear2.weight must be given
  tril.feedForward(x, half);
  // @ts-expect-error there is no such weight
  tril.feedForward(x, { ...half, 'linear2.weight': x, 'linear2.wieght': x });
  // @ts-expect-error weights are tensors
  tril.feedForward(x, {} as Record<string, number>);
});

it('a Worker takes weights as it has read them, and by their names', async () => {
  const remote = await loadInWorker({ training: true });
  const there = await remote.zeros([1]);
  const read = await remote.readArrays(new Uint8Array());
  const state = Object.fromEntries(read.map(({ name, tensor }) => [name, tensor]));
  expectTypeOf(state).toEqualTypeOf<Record<string, RemoteTensor>>();
  const { output } = await remote.transformerBlock(there, state, { heads: 1 });
  expectTypeOf(output).toEqualTypeOf<RemoteTensor>();
  void remote.multiHeadAttention(there, state, { heads: 1 });
  void remote.feedForward(there, state);
  void remote.decoderBlock(there, there, state, { heads: 1 });
  void remote.transformer(there, there, state, { heads: 1 });
  void remote.additiveAttention(there, there, there, state);
  void remote.gatedFeedForward(there, state);
  void remote.transformerBackward(there, there, there, state, { heads: 1 });
  const { dX, dWeights } = await remote.transformerBlockBackward(there, there, state, { heads: 1 });
  expectTypeOf(dX).toEqualTypeOf<RemoteTensor>();
  expectTypeOf(dWeights['linear1.weight']).toEqualTypeOf<RemoteTensor | undefined>();
  const half = { 'linear1.weight': there };
  const both = { ...half, 'linear2.weight': there };
  const gradients = await remote.feedForwardBackward(there, there, both);
  expectTypeOf(gradients.dWeights['linear1.weight']).toEqualTypeOf<RemoteTensor>();
  // @ts-expect-error no bias was given
  void gradients.dWeights['linear1.bias'];
  // @ts-expect-error linear2.weight must be given
  void remote.feedForward(there, half);
  // @ts-expect-error there is no such weight
  void remote.feedForward(there, { ...both, 'linear2.wieght': there });
  // @ts-expect-error a tensor of this thread
  void remote.feedForward(there, { ...half, 'linear2.weight': x });
  // @ts-expect-error heads must be given
  void remote.transformerBlock(there, state, {});
  const prepared = await remote.prepareWeights(both);
  expectTypeOf(prepared['linear1.weight']).toEqualTypeOf<RemoteTensor>();
  expectTypeOf(prepared.dispose).returns.toEqualTypeOf<Promise<void>>();
  void remote.feedForward(there, prepared);
});

it('only a module with training has what trains', async () => {
  expectTypeOf(training).toExtend<typeof tril>();
  expectTypeOf(training.trainer).toBeFunction();
  // @ts-expect-error in tril/training
  void tril.trainer;
  // @ts-expect-error in tril/training
  void tril.feedForwardBackward;
  // @ts-expect-error in tril/training
  void tril.loadModel;
  // @ts-expect-error in tril/simd-training
  void (await loadStatic()).trainer;
  expectTypeOf((await loadStaticTraining()).trainer).toBeFunction();
  const remote = await loadInWorker({ training: true });
  const base = await loadInWorker({ threads: 2 });
  expectTypeOf(remote).toExtend<typeof base>();
  expectTypeOf(remote.withSignal(AbortSignal.abort()).trainer).toBeFunction();
  // @ts-expect-error the option training loads it
  void base.trainer;
  // @ts-expect-error the option training loads it
  void base.loadModel;
  // @ts-expect-error the option training loads it
  void (await loadInWorker({ training: maybe })).matmulBackward;
  // @ts-expect-error no such option
  void loadInWorker({ trainig: true });
});

it('only a module with training has options that train', async () => {
  const dropout = { probability: 0.1, seed: 1 };
  const weights = { in_proj_weight: x, 'out_proj.weight': x };
  const state = {} as Record<string, Tensor>;
  const forward = training.attention(x, x, x, { causal: true, dropout, logSumExp: true });
  training.attentionBackward(x, x, x, x, { ...forward, causal: true, dropout });
  const asked = { heads: 2, saved: true } as const;
  expectTypeOf(training.multiHeadAttention(x, weights, asked).saved).toEqualTypeOf<Tensor>();
  expectTypeOf(training.transformerBlock(x, state, asked).saved).toEqualTypeOf<Tensor>();
  expectTypeOf(training.decoderBlock(x, x, state, asked).saved).toEqualTypeOf<Tensor>();
  expectTypeOf(training.transformer(x, x, state, asked).saved).toEqualTypeOf<Tensor>();
  tril.attentionBackward(x, x, x, x, forward);
  // @ts-expect-error in tril/training
  tril.attention(x, x, x, { causal: true, dropout });
  const options: AttentionOptions & DropoutOption = { causal: true };
  // @ts-expect-error in tril/training
  tril.attention(x, x, x, options);
  // @ts-expect-error in tril/training
  tril.attentionBackward(x, x, x, x, { ...forward, dropout });
  // @ts-expect-error in tril/training
  tril.multiHeadAttention(x, weights, asked);
  // @ts-expect-error in tril/training
  tril.transformerBlock(x, state, asked);
  // @ts-expect-error in tril/training
  tril.decoderBlock(x, x, state, { heads: 2, saved: maybe });
  // @ts-expect-error in tril/training
  tril.transformer(x, x, state, asked);
  // @ts-expect-error no such option
  training.attention(x, x, x, { causal: true, kausal: true });
  const remote = await loadInWorker({ training: true });
  const base = await loadInWorker();
  const there = await remote.zeros([1]);
  void remote.attention(there, there, there, { dropout });
  void remote.transformerBlock(there, {} as Record<string, RemoteTensor>, asked);
  // @ts-expect-error the option training loads it
  void base.attention(there, there, there, { dropout });
  // @ts-expect-error the option training loads it
  void base.transformerBlock(there, {} as Record<string, RemoteTensor>, asked);
});

it('a trace of a model is there where it was asked for', async () => {
  const model = await (await loadTraining()).loadModel({});
  expectTypeOf(model.forward([1], { trace: true }).trace).toEqualTypeOf<ModelTrace>();
  const parts = model.forward([1], { trace: { lens: false } });
  expectTypeOf(parts.trace).toEqualTypeOf<ModelTrace>();
  expectTypeOf(model.forward([1]).trace).toEqualTypeOf<ModelTrace | undefined>();
  const replace = [{ layer: 0, part: 'residual', values: x }];
  model.forward([1], { replace });
});

it('gradients of weights have the names of the weights', async () => {
  const weights = { 'linear1.weight': x, 'linear2.weight': x };
  const { dX, dWeights } = training.feedForwardBackward(x, x, weights);
  expectTypeOf(dX).toEqualTypeOf<Tensor>();
  expectTypeOf(dWeights['linear1.weight']).toEqualTypeOf<Tensor>();
  // @ts-expect-error no bias was given
  void dWeights['linear1.bias'];
  // @ts-expect-error linear2.weight must be given
  training.feedForwardBackward(x, x, { 'linear1.weight': x });
  expectTypeOf(training.decoderBlockBackward).parameter(4).toMatchTypeOf<{ heads: number }>();
  const remote = await loadInWorker({ training: true });
  const there = await remote.zeros([1]);
  const { dA } = await remote.matmulBackward(there, there, there);
  expectTypeOf(dA).toEqualTypeOf<RemoteTensor>();
  const model = await remote.loadModel({});
  expectTypeOf(model).toEqualTypeOf<RemoteModel>();
  const { trace } = await model.forward([1], { trace: true });
  expectTypeOf(trace.layers[0]!.weights).toEqualTypeOf<RemoteTensor>();
  // @ts-expect-error sums are taken in one order alone
  training.matmulBackward(x, x, x, { method: 'tiled' });
});

it('gradients of masks are there where they were asked for', () => {
  const weights = { in_proj_weight: x, 'out_proj.weight': x };
  const asked = { heads: 2, maskGradient: true } as const;
  const { dMask } = training.multiHeadAttentionBackward(x, x, weights, asked);
  expectTypeOf(dMask).toEqualTypeOf<Tensor>();
  const plain = training.multiHeadAttentionBackward(x, x, weights, { heads: 2 });
  expectTypeOf(plain.dMask).toEqualTypeOf<Tensor | undefined>();
  const { dLogits } = tril.crossEntropy(x, [1], { gradient: true, out: x });
  expectTypeOf(dLogits).toEqualTypeOf<Tensor>();
  training.attention(x, x, x, { dropout: { probability: 0.1, seed: 1 } });
  // @ts-expect-error a seed must be given
  training.attention(x, x, x, { dropout: { probability: 0.1 } });
});

it('trainers of sequences', async () => {
  const trainer = training.sequenceTrainer({ model: { sourceVocabulary: 3, targetVocabulary: 3 } });
  expectTypeOf(trainer).toEqualTypeOf<SequenceTrainer>();
  expectTypeOf(trainer.settings.model.encoderLayers).toEqualTypeOf<number>();
  expectTypeOf(trainer.translate([1, 2])).toEqualTypeOf<Int32Array>();
  expectTypeOf(trainer.translate([[1, 2]])).toEqualTypeOf<Int32Array[]>();
  const batch = training.drawSequences('sort');
  expectTypeOf(batch.labels).toEqualTypeOf<number[][]>();
  expectTypeOf(trainer.step([batch, batch]).gradientNorm).toEqualTypeOf<number>();
  // @ts-expect-error no such task
  training.drawSequences('shuffle');
  // @ts-expect-error labels must be given
  trainer.step({ source: [1], target: [0] });
  // @ts-expect-error no such setting
  training.sequenceTrainer({ model: { layers: 2 } });
  const remote = await loadInWorker({ training: true });
  const there = await remote.sequenceTrainer();
  expectTypeOf(there.translate([[1]])).resolves.toEqualTypeOf<Int32Array[]>();
  for await (const { loss } of there.run({ steps: 1 })) expectTypeOf(loss).toEqualTypeOf<number>();
});
