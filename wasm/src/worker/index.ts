/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The calls of `tril` as promises, computed in a Worker of their own, so that the caller stays free.
 *
 * @module tril/worker
 */
import { reasonOf, seeReadme } from '../advice.js';
import { Mask } from '../calls/mask.js';
import { TrilError, afterSteps } from '../error.js';
import { KeyValueCache } from '../key-value-cache.js';
import { copyOf, isPlain, isResponse, isSignal, isUrl } from '../kinds.js';
import { compiled } from '../module.js';
import { describe } from '../names.js';
import { Model } from '../model.js';
import { OwnedObject } from '../owned.js';
import { Tensor } from '../tensor.js';
import { Copies, mapParts, nodeWorkers, portOfNode, portOfWeb, whenAborted } from './line.js';
import type { Answer, Failure, Message, Port, Reference } from './line.js';
import { RemoteKeyValueCache, RemoteMask, RemoteObject, RemoteTensor } from './remote.js';
import { checkAlive, forgotten, type Line, type RequestOptions } from './remote.js';
import { RemoteTrainer, trainerCall } from './trainer.js';
import { loadModelCall, RemoteModel, RemoteStream } from './model.js';
import { RemoteSequenceTrainer, sequenceTrainerCall } from './sequence-trainer.js';
import type { RemoteLoadOptions, RemoteTrainingTril, RemoteTril } from './types.js';
import { RemoteWordVectors } from './word-vectors.js';

export { RemoteModel } from './model.js';
export { RemoteKeyValueCache, RemoteMask, RemoteTensor, type RemoteValue } from './remote.js';
export {
  RemoteLearner,
  type LearnerCall,
  type RunOptions,
  type TrainingReport,
} from './learner.js';
export { RemoteTrainer, type RemoteTrainerCall } from './trainer.js';
export { RemoteSequenceTrainer, type RemoteSequenceTrainerCall } from './sequence-trainer.js';
export { RemoteWordVectors, type WordRunOptions, type WordVectorReport } from './word-vectors.js';
export type {
  Remote,
  RemoteLoadOptions,
  RemoteMemoryUse,
  RemotePreparedWeights,
  RemoteTrainingTril,
  RemoteTril,
} from './types.js';

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
      onMessage(answer: Answer): Promise<void>;
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
      if (answer.progress || answer.range) return void asked?.onMessage(answer);
      waiting.delete(id);
      port.wait(waiting.size > 0);
      if (failure) asked?.reject(errorOf(failure));
      else if (asked) asked.resolve(decode(value, asked.values));
      else discardMade(value);
    },
    (reason) => end(`the Worker has failed: ${reasonOf(reason)}`),
  );

  const line = {
    ask: (
      path: readonly string[],
      values: readonly unknown[],
      { on, signals = [], progress, chunk }: RequestOptions = {},
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
          onMessage: async (answer) => {
            try {
              if (answer.progress) return progress?.(...(answer.progress as never[]));
              const bytes = copyOf(await chunk!(...answer.range!));
              port.send({ chunkOf: id, bytes }, [bytes.buffer]);
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
  try {
    const node = nodeWorkers();
    if (!node)
      return portOfWeb(new Worker(new URL('./host.js', import.meta.url), { type: 'module' }));
    const here = new URL(import.meta.url);
    return portOfNode(new node.Worker(new URL('host.js', here)));
  } catch (error) {
    throw noWorker(error);
  }
}

/** That there is no Worker, and what helps. */
function noWorker(error: unknown): TrilError {
  const problem = `could not be started: ${reasonOf(error)}. "tril" needs none. ${seeReadme}`;
  return new TrilError('loadTril', 'worker', problem);
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
export function loadTril(
  options: RemoteLoadOptions & { readonly training: true },
): Promise<RemoteTrainingTril>;
/** Starts a Worker in the same way, with a module without training. */
export function loadTril(options?: RemoteLoadOptions): Promise<RemoteTril>;
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
    throw error instanceof TrilError ? error : noWorker(error);
  });
  const { paths, ...about } = loaded as { paths: string[][]; variant: string; threads: number };
  const callsWith = (signal?: AbortSignal): RemoteTrainingTril => {
    const tril: Record<string, unknown> = {
      ...about,
      withSignal: (other: AbortSignal) => callsWith(checkedSignal(other)),
      close: () => line.close(),
    };
    // Where the module has them, they come with its paths; elsewhere they say so.
    for (const name of ['wordVectors', 'loadModel', 'sequenceTrainer', 'drawSequences']) {
      Object.defineProperty(tril, name, { value: withoutTraining(name), writable: true });
    }
    for (const path of paths) {
      if (path[0] === 'scope') continue; // not to be sent
      if (path[0] === 'loadModel') {
        tril['loadModel'] = loadModelCall(
          (values, options) => line.ask(path, values, options),
          signal,
        );
        continue;
      }
      if (path[0] === 'trainer' || path[0] === 'sequenceTrainer') {
        const make = path[0] === 'trainer' ? trainerCall : sequenceTrainerCall;
        tril[path[0]] = make((options) => line.ask(path, [options], { signals: [signal] }));
        continue;
      }
      const call = (...values: unknown[]) => line.ask(path, values, { signals: [signal] });
      const [part, name] = path as [string, string?];
      if (part === 'prepareWeights')
        tril[part] = async (weights: unknown) => disposable(await call(weights));
      else if (name === undefined) tril[part] = call;
      else ((tril[part] ??= {}) as Record<string, unknown>)[name] = call;
    }
    return tril as unknown as RemoteTrainingTril;
  };
  return callsWith();
}

/** With a `dispose` of all that is in it, which is not enumerable, so that only weights are found in it. */
function disposable(prepared: unknown): unknown {
  const dispose = async (): Promise<void> => {
    const all = Object.values(prepared as object).filter((each) => each instanceof RemoteTensor);
    await Promise.all(all.map((tensor) => tensor.dispose()));
  };
  for (const key of ['dispose', Symbol.asyncDispose ?? 'dispose']) {
    Object.defineProperty(prepared, key, { value: dispose });
  }
  return prepared;
}

function withoutTraining(call: string): () => Promise<never> {
  const problem = 'is not in the module that was loaded; the option training loads one with it';
  return () => Promise.reject(new TrilError(call, 'training', problem));
}

function checkedSignal(signal: unknown): AbortSignal {
  if (isSignal(signal)) return signal;
  throw new TrilError('withSignal', 'signal', `must be an AbortSignal, is ${describe(signal)}`);
}
