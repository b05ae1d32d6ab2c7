/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The calls of `tril` as promises, computed in a Worker of their own, so that the caller stays free.
 *
 * @module tril/worker
 */
import { Mask } from '../calls/mask.js';
import { TrilError, afterSteps } from '../error.js';
import { KeyValueCache } from '../key-value-cache.js';
import { copyOf, isPlain, isResponse, isSignal, isUrl } from '../kinds.js';
import { compiled } from '../module.js';
import { describe } from '../names.js';
import type { MemoryUse } from '../calls/tensor.js';
import type { StoredArray, StoredArrays } from '../calls/files.js';
import type { LoadOptions, Tril } from '../load.js';
import { Model } from '../model.js';
import type { LoadModelOptions, ModelSource } from '../model-types.js';
import { OwnedObject } from '../owned.js';
import type { SequenceTrainer } from '../sequence-trainer.js';
import type { DrawnSequences, DrawSequencesOptions } from '../sequence-trainer-types.js';
import { Tensor } from '../tensor.js';
import type { Trainer } from '../trainer.js';
import type { NestedNumbers, Values } from '../values.js';
import type { WordVectorOptions } from '../word-vector-types.js';
import { Copies, mapParts, nodeWorkers, portOfNode, portOfWeb, whenAborted } from './line.js';
import type { Answer, Failure, Message, Port, Reference } from './line.js';
import { RemoteKeyValueCache, RemoteMask, RemoteObject, RemoteTensor } from './remote.js';
import { checkAlive, forgotten, type How, type Line } from './remote.js';
import { RemoteTrainer, type RemoteTrainerCall, trainerCall } from './trainer.js';
import { loadModelCall, RemoteModel, RemoteStream } from './model.js';
import {
  RemoteSequenceTrainer,
  sequenceTrainerCall,
  type RemoteSequenceTrainerCall,
} from './sequence-trainer.js';
import { RemoteWordVectors } from './word-vectors.js';

export { RemoteModel } from './model.js';
export { RemoteKeyValueCache, RemoteMask, RemoteTensor } from './remote.js';
export {
  RemoteLearner,
  type LearnerCall,
  type RunOptions,
  type TrainingReport,
} from './learner.js';
export { RemoteTrainer, type RemoteTrainerCall } from './trainer.js';
export { RemoteSequenceTrainer, type RemoteSequenceTrainerCall } from './sequence-trainer.js';
export { RemoteWordVectors, type WordRunOptions, type WordVectorReport } from './word-vectors.js';

type AsIs = string | number | boolean | null | undefined | ArrayBufferView | URL | NestedNumbers;
/** The Worker's own where `T` has tensors, masks, caches and trainers, through arrays and objects. */
export type Remote<T> = T extends AsIs
  ? T
  : T extends Tensor
    ? RemoteTensor
    : T extends Mask
      ? RemoteMask
      : T extends KeyValueCache
        ? RemoteKeyValueCache
        : T extends Trainer
          ? RemoteTrainer
          : T extends SequenceTrainer
            ? RemoteSequenceTrainer
            : T extends Model
              ? RemoteModel
              : T extends StoredArrays
                ? Remote<StoredArray>[] & Pick<StoredArrays, 'skipped'>
                : { [Name in keyof T]: Remote<T[Name]> };
type RemoteArguments<Arguments extends readonly unknown[]> = {
  [Index in keyof Arguments]: Remote<Arguments[Index]>;
};
type RemoteCalls<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends (...values: infer Arguments) => infer Result
    ? (...values: RemoteArguments<Arguments>) => Promise<Remote<Awaited<Result>>>
    : Calls[Name] extends object
      ? RemoteCalls<Calls[Name]>
      : Calls[Name];
};

/** The options of a Worker's `loadTril`. */
export interface RemoteLoadOptions extends LoadOptions {
  /** Load a module of `tril/training`, which is 187 kB larger, so that there are trainers. */
  readonly training?: boolean;
}

/** What a Worker holds. */
export interface RemoteMemoryUse extends MemoryUse {
  /** Tensors, masks, caches, trainers, models and whatever else it holds for this side. */
  readonly objects: number;
}

/** All calls of `Tril` but `scope`, whose body cannot be sent, as promises. */
export interface RemoteTril extends RemoteCalls<
  Omit<Tril, 'scope' | 'tensor' | 'trainer' | 'memory'>
> {
  /** What is in the Worker's memory. */
  memory(): Promise<RemoteMemoryUse>;
  /**
   * A tensor of a copy of `data`: nested numbers or a typed array, rounded to float32. With one
   * argument the shape is that of the nesting; with a shape, `data` is nested so or flat in row-major
   * order.
   * @throws TrilError where the shape is not one, `data` does not fit it, or memory is out
   */
  tensor(data: Values): Promise<RemoteTensor>;
  /** A tensor in the Worker of a copy of `data`, nested to this shape or flat in row-major order. */
  tensor(shape: readonly number[], data: Values): Promise<RemoteTensor>;
  /**
   * A trainer in the Worker, as `trainer` of `tril`, and its `run` at once. `batches` are taken here,
   * as they are needed, and sent.
   * @throws TrilError as `trainer` of `tril`
   */
  trainer(...options: Parameters<RemoteTrainerCall>): ReturnType<RemoteTrainerCall>;
  /**
   * A trainer of sequences in the Worker, as `sequenceTrainer` of `tril/training`, and its `run` at
   * once. `batches` are taken here, as they are needed, and sent.
   * @throws TrilError as that, and where the module was loaded without `training`
   */
  sequenceTrainer(
    ...options: Parameters<RemoteSequenceTrainerCall>
  ): ReturnType<RemoteSequenceTrainerCall>;
  /**
   * A batch of a task whose answers are known, as `drawSequences` of `tril/training`.
   * @throws TrilError as that, and where the module was loaded without `training`
   */
  drawSequences(task: 'reverse' | 'sort', options?: DrawSequencesOptions): Promise<DrawnSequences>;
  /**
   * Word vectors in the Worker, as `wordVectors` of `tril/training`.
   * @throws TrilError as that, and where the module was loaded without `training`
   */
  wordVectors(options: WordVectorOptions): Promise<RemoteWordVectors>;
  /**
   * A model in the Worker, as `loadModel` of `tril/training`. The files stay on this side: one tensor
   * at a time is read and handed over.
   * @throws TrilError as that, and where the module was loaded without `training`
   */
  loadModel(files: ModelSource, options?: LoadModelOptions): Promise<RemoteModel>;
  /**
   * The same calls, which end when `signal` aborts: their promises are rejected with its reason,
   * what has not begun is not computed, and what is being computed is thrown away when it is done.
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
  withSignal(signal: AbortSignal): RemoteTril;
  /** Ends the Worker, with everything in it; what is asked for later is refused. */
  close(): void;
}

function errorOf({ message, tril }: Failure): Error {
  if (!tril) return new Error(message);
  const { call, argument, problem, shapes, steps = [] } = tril;
  return afterSteps(new TrilError(call, argument, problem, shapes), steps) as TrilError;
}

/** Masks lean on the tensors and masks that they were made of, none of which may be forgotten before them. */
const madeOf = new WeakMap<RemoteMask, readonly unknown[]>();

function connect(port: Port<Message, Answer>): Line & { close(): void } {
  // With what was given, so that none of it is forgotten before the answer, which may hold it again.
  const waiting = new Map<
    number,
    {
      resolve(value: unknown): void;
      reject(reason: unknown): void;
      hear(answer: Answer): Promise<void>;
      values: readonly unknown[];
    }
  >();
  const known = new Map<number, WeakRef<RemoteObject>>();
  let lastId = 0;
  let closed: string | undefined;
  const end = (reason: string): void => {
    closed = reason;
    for (const { reject } of waiting.values()) reject(new Error(reason));
    waiting.clear();
  };

  const encode = (call: string, value: unknown, copies: Copies): unknown =>
    mapParts(value, (part) => {
      if ([Tensor, Mask, KeyValueCache, OwnedObject, Model].some((kind) => part instanceof kind)) {
        throw new TrilError(call, 'values', 'belongs to this thread, not to the Worker');
      }
      if (!(part instanceof RemoteObject)) return copies.of(part);
      if (part.line !== line) {
        throw new TrilError(call, 'values', 'belongs to another Worker');
      }
      checkAlive(part, call, 'values');
      return { $reference: part.reference };
    });
  const decode = (value: unknown, given: readonly unknown[]): unknown =>
    mapParts(value, (part) => {
      const reference = (part ?? {}) as Partial<Reference>;
      const { $reference, shape, sizes, trainer, wordVectors, model, isStream } = reference;
      const { sequenceTrainer } = reference;
      if ($reference === undefined) return undefined;
      const there = known.get($reference)?.deref();
      if (there) return there;
      let made: RemoteObject;
      if (shape) made = new RemoteTensor(line, $reference, shape);
      else if (sizes) made = new RemoteKeyValueCache(line, $reference, sizes);
      else if (trainer) {
        const { settings, parameterCount } = trainer;
        made = new RemoteTrainer(line, $reference, settings, parameterCount);
      } else if (sequenceTrainer) {
        const { settings, parameterCount } = sequenceTrainer;
        made = new RemoteSequenceTrainer(line, $reference, settings, parameterCount);
      } else if (wordVectors) made = new RemoteWordVectors(line, $reference, wordVectors);
      else if (model) made = new RemoteModel(line, $reference, model);
      else if (isStream) made = new RemoteStream(line, $reference);
      else madeOf.set((made = new RemoteMask(line, $reference)), given);
      known.set($reference, new WeakRef(made));
      forgotten.register(made, { line, reference: $reference }, made);
      return made;
    });

  /** Frees what an aborted call has made, but not what it was given as `out`. */
  const discardMade = (value: unknown): void => {
    mapParts(value, (part) => {
      const { $reference } = (part ?? {}) as Partial<Reference>;
      if ($reference === undefined) return undefined;
      if (!known.get($reference)?.deref()) line.discard($reference);
      return null;
    });
  };

  port.listen(
    (answer) => {
      const { id, value, failure } = answer;
      const asked = waiting.get(id);
      if (answer.told || answer.wanted) return void asked?.hear(answer);
      waiting.delete(id);
      port.wait(waiting.size > 0);
      if (failure) asked?.reject(errorOf(failure));
      else if (asked) asked.resolve(decode(value, asked.values));
      else discardMade(value);
    },
    (reason) => end(`the Worker has failed: ${String(reason)}`),
  );

  const line = {
    ask: (
      path: readonly string[],
      values: readonly unknown[],
      { on, signals = [], told, partOf }: How = {},
    ) =>
      new Promise<unknown>((resolve, reject) => {
        if (closed !== undefined) throw new Error(closed);
        signals.forEach((signal) => signal?.throwIfAborted());
        const id = ++lastId;
        const copies = new Copies();
        const encoded = values.map((value) => encode(path.join('.'), value, copies));
        port.send({ id, path, values: encoded, ...(on !== undefined && { on }) }, copies.transfer);
        const end = (reason: unknown): void => {
          settled();
          waiting.delete(id);
          port.wait(waiting.size > 0);
          port.send({ cancelled: id });
          reject(reason as Error);
        };
        const heard = signals.map((each) => each && whenAborted(each, () => end(each.reason)));
        const settled = () => heard.forEach((forget) => forget?.());
        waiting.set(id, {
          resolve: (value) => (settled(), resolve(value)),
          reject: (reason) => (settled(), reject(reason as Error)),
          hear: async (answer) => {
            try {
              if (answer.told) return told?.(...(answer.told as never[]));
              const bytes = copyOf(await partOf!(...answer.wanted!));
              port.send({ partOf: id, bytes }, [bytes.buffer]);
            } catch (error) {
              end(error);
            }
          },
          values,
        });
        port.wait(true);
      }),
    forget: (reference: number) => void known.delete(reference),
    discard: (reference: number) => {
      known.delete(reference);
      line.ask(['dispose'], [], { on: reference }).catch(() => {}); // closed: it is gone already
    },
    close: () => {
      end('the Worker has been closed');
      port.close();
    },
  };
  return line;
}

function startWorker(): Port<Message, Answer> {
  const node = nodeWorkers();
  if (!node)
    return portOfWeb(new Worker(new URL('./host.js', import.meta.url), { type: 'module' }));
  const here = new URL(import.meta.url);
  return portOfNode(new node.Worker(new URL('host.js', here)));
}

/**
 * Starts a Worker and loads the core in it. The page stays free while something is computed; calls
 * are done in the order in which they were asked for.
 *
 * @throws TrilError as `loadTril` of `tril`
 *
 * @example
 * ```ts
 * import { loadTril } from 'tril/worker';
 *
 * const remote = await loadTril({ variant: 'simd' });
 * const a = await remote.tensor([[1, 2], [3, 4]]);
 * const product = await remote.matmul(a, a);
 * await product.toArray(); // [[7, 10], [15, 22]]
 * remote.close();
 * ```
 */
export async function loadTril(options: RemoteLoadOptions = {}): Promise<RemoteTril> {
  // What can be sent: a Response and a promise cannot, a URL of Node's neither.
  const wasm = await (isPlain(options) ? options.wasm : undefined);
  const sent = isPlain(options) && {
    ...options,
    ...(isUrl(options.wasmUrl) && { wasmUrl: String(options.wasmUrl) }),
    ...(isResponse(wasm) ? { wasm: await compiled(wasm) } : wasm !== undefined && { wasm }),
  };
  const line = connect(startWorker());
  const loaded = await line.ask(['load'], [sent || options]).catch((error: unknown) => {
    line.close();
    throw error;
  });
  const { paths, ...about } = loaded as { paths: string[][]; variant: string; threads: number };
  const callsWith = (signal?: AbortSignal): RemoteTril => {
    const tril: Record<string, unknown> = {
      ...about,
      withSignal: (other: AbortSignal) => callsWith(checkedSignal(other)),
      close: () => line.close(),
    };
    // Where the module has them, they come with its paths.
    for (const name of ['wordVectors', 'loadModel', 'sequenceTrainer', 'drawSequences']) {
      Object.defineProperty(tril, name, { value: withoutTraining(name), writable: true });
    }
    for (const path of paths) {
      if (path[0] === 'scope') continue; // not to be sent
      if (path[0] === 'loadModel') {
        tril['loadModel'] = loadModelCall((values, how) => line.ask(path, values, how), signal);
        continue;
      }
      if (path[0] === 'trainer' || path[0] === 'sequenceTrainer') {
        const make = path[0] === 'trainer' ? trainerCall : sequenceTrainerCall;
        tril[path[0]] = make((options) => line.ask(path, [options], { signals: [signal] }));
        continue;
      }
      const call = (...values: unknown[]) => line.ask(path, values, { signals: [signal] });
      const [part, name] = path as [string, string?];
      if (name === undefined) tril[part] = call;
      else ((tril[part] ??= {}) as Record<string, unknown>)[name] = call;
    }
    return tril as unknown as RemoteTril;
  };
  return callsWith();
}

function withoutTraining(call: string): () => Promise<never> {
  const problem = 'is not in the module that was loaded; the option training loads one with it';
  return () => Promise.reject(new TrilError(call, 'training', problem));
}

function checkedSignal(signal: unknown): AbortSignal {
  if (isSignal(signal)) return signal;
  throw new TrilError('withSignal', 'signal', `must be an AbortSignal, is ${describe(signal)}`);
}
