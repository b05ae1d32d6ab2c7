// The calls that a Worker offers: those of the package as promises, on objects in the Worker.
import type { StoredArray, StoredArrays } from '../calls/files.js';
import type { TokenizerSource } from '../calls/tokenizer.js';
import type { MemoryUse } from '../calls/tensor.js';
import type { Graph } from '../graph/plan.js';
import type { LoadOptions, Tril } from '../load.js';
import type { Encoder } from '../encoder.js';
import type { Model } from '../model.js';
import type { LoadModelOptions, ModelSource } from '../model-types.js';
import type { LessonsTril } from '../public-lessons.js';
import type { TrainingTril } from '../public-training.js';
import type { SequenceTrainer } from '../sequence-trainer.js';
import type { Named } from '../named-tensors.js';
import type { Trainer } from '../trainer.js';
import type { Values } from '../values.js';
import type { WordVectors } from '../word-vectors.js';
import type { RemoteModel } from './model.js';
import type { RemoteEncoder, RemoteTensor, RemoteTokenizer, RemoteValue } from './remote.js';
import type { RemoteSequenceTrainer, RemoteSequenceTrainerCall } from './sequence-trainer.js';
import type { RemoteTrainer, RemoteTrainerCall } from './trainer.js';
import type { RemoteWordVectors } from './word-vectors.js';

/**
 * `T` with the Worker's tensors, masks, caches and trainers in place of local ones, through arrays
 * and objects.
 */
export type Remote<T> = T extends Trainer
  ? RemoteTrainer
  : T extends SequenceTrainer
    ? RemoteSequenceTrainer
    : T extends Model
      ? RemoteModel
      : T extends Encoder
        ? RemoteEncoder
        : T extends WordVectors
          ? RemoteWordVectors
          : T extends StoredArrays
            ? RemoteValue<StoredArray>[] & Pick<StoredArrays, 'skipped'>
            : RemoteValue<T>;
type RemoteArguments<Arguments extends readonly unknown[]> = {
  [Index in keyof Arguments]: Remote<Arguments[Index]>;
};
/** A call with weights by name also takes the Worker's weights with names known only at run time. */
type RemoteCall<Arguments extends readonly unknown[], Result> =
  Required<Arguments> extends readonly [...infer Before, infer Weights, unknown]
    ? Extract<keyof Weights, `${string}weight` | 'w_q'> extends never
      ? (...values: RemoteArguments<Arguments>) => Promise<Remote<Awaited<Result>>>
      : Arguments extends readonly [...Before, unknown, ...infer Options]
        ? <Given extends object>(
            ...values: [
              ...inputs: RemoteArguments<Before>,
              weights: Given & Remote<Named<Given, Weights>>,
              ...options: RemoteArguments<Options>,
            ]
          ) => Promise<Remote<Result> & RemoteGradients<Result, Given>>
        : never
    : (...values: RemoteArguments<Arguments>) => Promise<Remote<Awaited<Result>>>;
/** The gradients of weights, if any, by the names of the given weights. */
type RemoteGradients<Result, Given> = Result extends { readonly dWeights: unknown }
  ? { readonly dWeights: { readonly [Name in keyof Given]: RemoteTensor } }
  : unknown;
type RemoteCalls<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends (...values: infer Arguments) => infer Result
    ? RemoteCall<Arguments, Result>
    : Calls[Name] extends object
      ? RemoteCalls<Calls[Name]>
      : Calls[Name];
};

/** The options of a Worker's `loadTril`. */
export interface RemoteLoadOptions extends LoadOptions {
  /** Whether to load a module of `tril/training`, which is more than twice as large, for the calls of {@link RemoteTrainingTril}. */
  readonly training?: boolean;
  /** Whether to load a module of `tril/lessons`, for the calls of {@link RemoteLessonsTril}; not with `training`. */
  readonly lessons?: boolean;
}

/** The memory use of a Worker. */
export interface RemoteMemoryUse extends MemoryUse {
  /** Number of objects that it holds for this side: tensors, masks, caches, trainers, models and so on. */
  readonly objects: number;
}

/** Copies of weights, prepared in the Worker for many calls, by the same names. */
export type RemotePreparedWeights<Weights extends object> = {
  readonly [Name in keyof Weights]: Weights[Name];
} & AsyncDisposable & {
    /** Disposes all copies. */
    dispose(): Promise<void>;
  };

/** The part of a Worker that does not depend on its module. */
export interface RemoteEngine {
  /** The memory use of the Worker. */
  memory(): Promise<RemoteMemoryUse>;
  /**
   * A tensor of a copy of `data`: nested numbers or a typed array, rounded to float32. With one
   * argument the shape is that of the nesting; with a shape, `data` is nested in that shape or flat
   * in row-major order.
   * @throws TrilError where the shape is invalid, `data` does not fit it, or memory runs out
   */
  tensor(data: Values): Promise<RemoteTensor>;
  /** A tensor in the Worker of a copy of `data`, nested in this shape or flat in row-major order. */
  tensor(shape: readonly number[], data: Values): Promise<RemoteTensor>;
  /**
   * Weights prepared for many calls, as by `prepareWeights` of `tril`. `dispose` disposes all copies.
   * @throws TrilError as `prepareWeights`
   */
  prepareWeights<Weights extends object>(weights: Weights): Promise<RemotePreparedWeights<Weights>>;
  /**
   * All values of a graph of `tril/graph`, computed in the Worker: tensors by name, including the given inputs.
   *
   * @throws TrilError as `run` of `tril/graph`
   *
   * @example
   * ```ts
   * import { graph } from 'tril/graph';
   * import { loadTril } from 'tril/worker';
   *
   * const remote = await loadTril({ variant: 'simd' });
   * const gram = graph({ X: ['T', 'C'] }, ({ X }, { matmul, transpose }) => ({ G: matmul(X, transpose(X)) }));
   * const { G } = await remote.run(gram, { X: await remote.tensor([[1, 2], [3, 4]]) });
   * await G!.toArray(); // [[5, 11], [11, 25]]
   * remote.close();
   * ```
   */
  run(
    graph: Graph,
    inputs: Readonly<Record<string, RemoteTensor>>,
  ): Promise<Readonly<Record<string, RemoteTensor>>>;
  /**
   * The same calls, which end when `signal` aborts: their promises are rejected with its reason,
   * waiting calls are not computed, and the result of the current call is discarded.
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/worker';
   *
   * const remote = await loadTril({ variant: 'simd' });
   * const x = await remote.randomNormal([512, 512], { seed: 1 });
   * const stop = new AbortController();
   * const product = remote.withSignal(stop.signal).matmul(x, x);
   * stop.abort();
   * await product.catch((reason) => reason.name); // 'AbortError'
   * remote.close();
   * ```
   */
  withSignal(signal: AbortSignal): this;
  /** Ends the Worker, with everything in it; later requests are refused. */
  close(): void;
}

/** All calls of `Tril` but `scope`, whose body cannot be sent, as promises. */
export interface RemoteTril
  extends RemoteCalls<Omit<Tril, 'scope' | keyof RemoteEngine>>, RemoteEngine {}

/** Calls of training that do more than send a request. `batches` of trainers are read here, when they are needed, and sent. */
interface RemoteTrainers {
  /**
   * A trainer in the Worker, as `trainer` of `tril/training`, and its `run` at once.
   * @throws TrilError as `trainer` of `tril/training`
   */
  trainer(...options: Parameters<RemoteTrainerCall>): ReturnType<RemoteTrainerCall>;
  /**
   * A trainer of sequences in the Worker, as `sequenceTrainer` of `tril/training`, and its `run` at once.
   * @throws TrilError as `sequenceTrainer` of `tril/training`
   */
  sequenceTrainer(
    ...options: Parameters<RemoteSequenceTrainerCall>
  ): ReturnType<RemoteSequenceTrainerCall>;
  /**
   * A model in the Worker, as `loadModel` of `tril/training`. The files stay on this side: one tensor
   * at a time is read and sent.
   * @throws TrilError as `loadModel` of `tril/training`
   */
  loadModel(files: ModelSource, options?: LoadModelOptions): Promise<RemoteModel>;
  /**
   * A sentence encoder in the Worker, as `loadEncoder` of `tril/training`, whose files stay on this side.
   * @throws TrilError as `loadEncoder` of `tril/training`
   */
  loadEncoder(files: ModelSource, options?: Omit<LoadModelOptions, 'lora'>): Promise<RemoteEncoder>;
  /**
   * A tokenizer in the Worker, as `tokenizer` of `tril/training`.
   * @throws TrilError as `tokenizer` of `tril/training`
   */
  tokenizer(files: TokenizerSource): Promise<RemoteTokenizer>;
}

/** The calls of a Worker whose module was loaded with `lessons`: those of `LessonsTril` as promises. */
export interface RemoteLessonsTril
  extends RemoteCalls<Omit<LessonsTril, 'scope' | keyof RemoteEngine>>, RemoteEngine {}

/** The calls of a Worker whose module was loaded with `training`: those of `TrainingTril` as promises. */
export interface RemoteTrainingTril
  extends
    RemoteCalls<Omit<TrainingTril, 'scope' | keyof RemoteEngine | keyof RemoteTrainers>>,
    RemoteEngine,
    RemoteTrainers {}
