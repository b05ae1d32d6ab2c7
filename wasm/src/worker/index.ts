/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The calls of `tril` as promises, computed in a Worker of their own, so that the caller stays free.
 *
 * @module tril/worker
 */
import { defineAbsent } from '../absent-calls.js';
import { reasonOf, seeReadme } from '../describe.js';
import type { Part } from '../context.js';
import { TrilError } from '../error.js';
import { isPlain, isResponse, isSignal, isUrl } from '../kinds.js';
import { compileModule } from '../module.js';
import { describe } from '../names.js';
import { connect } from './connection.js';
import { nodeWorkers, portOfNode, portOfWeb } from './line.js';
import type { Answer, Message, Port } from './line.js';
import { loadCall } from './model.js';
import { RemoteTensor, type Ask } from './remote.js';
import { drawSequencesCall, sequenceTrainerCall } from './sequence-trainer.js';
import { trainerCall } from './trainer.js';
import type {
  RemoteLessonsTril,
  RemoteLoadOptions,
  RemoteTrainingTril,
  RemoteTril,
} from './types.js';

export { RemoteModel } from './model.js';
export {
  RemoteDecodingSession,
  RemoteEncoder,
  RemoteKeyValueCache,
  RemoteMask,
  RemoteTensor,
  RemoteTokenizer,
  type RemoteValue,
} from './remote.js';
export {
  RemoteLearner,
  type LearnerCall,
  type RunOptions,
  type TrainingReport,
} from './learner.js';
export { RemoteTrainer, type RemoteTrainerCall, type RemoteTrainerOptions } from './trainer.js';
export { RemoteSequenceTrainer, type RemoteSequenceTrainerCall } from './sequence-trainer.js';
export { RemoteWordVectors, type WordRunOptions, type WordVectorReport } from './word-vectors.js';
export type {
  Remote,
  RemoteEngine,
  RemoteLessonsTril,
  RemoteLoadOptions,
  RemoteMemoryUse,
  RemotePreparedWeights,
  RemoteTrainingTril,
  RemoteTril,
} from './types.js';

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

/** The error of a Worker that does not start, with advice. */
function noWorker(error: unknown): TrilError {
  const problem = `could not be started: ${reasonOf(error)}. "tril" needs none. ${seeReadme}`;
  return new TrilError('loadTril', 'worker', problem);
}

/**
 * Starts a Worker and loads the core in it. The page stays free during computations; calls run in
 * the order of the requests.
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
/** Starts a Worker in the same way, with a module of `tril/lessons`. */
export function loadTril(
  options: RemoteLoadOptions & { readonly lessons: true },
): Promise<RemoteLessonsTril>;
/** Starts a Worker in the same way, with a module without either. */
export function loadTril(options?: RemoteLoadOptions): Promise<RemoteTril>;
export async function loadTril(options: RemoteLoadOptions = {}): Promise<RemoteTril> {
  // The module in a form that can be sent: a Response, a promise and a URL of Node cannot be sent.
  const wasm = await (isPlain(options) ? options.wasm : undefined);
  const sent = isPlain(options) && {
    ...options,
    ...(isUrl(options.wasmUrl) && { wasmUrl: String(options.wasmUrl) }),
    ...(isResponse(wasm) ? { wasm: await compileModule(wasm) } : wasm !== undefined && { wasm }),
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
    for (const path of paths) {
      const [part, name] = path as [string, string?];
      if (part === 'scope' || part === 'close') continue; // not to be sent
      const ask: Ask = (values, { signals = [], ...options } = {}) =>
        line.ask(path, values, { ...options, signals: [...signals, signal] });
      const call = ownCalls[part]?.(ask) ?? ((...values: unknown[]) => ask(values));
      if (name === undefined) tril[part] = call;
      else ((tril[part] ??= {}) as Record<string, unknown>)[name] = call;
    }
    defineAbsent(tril, refusing);
    return tril as unknown as RemoteTrainingTril;
  };
  return callsWith();
}

/** Calls that do more on this side than send a request. */
const ownCalls: Readonly<Record<string, (ask: Ask) => unknown>> = {
  prepareWeights: (ask) => async (weights: unknown) => disposable(await ask([weights])),
  trainer: trainerCall,
  sequenceTrainer: sequenceTrainerCall,
  drawSequences: drawSequencesCall,
  loadModel: loadCall('loadModel', ['lora']),
  loadEncoder: loadCall('loadEncoder'),
};

/** Adds a `dispose` of all weights, which is not enumerable, so that iteration finds only weights. */
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

/**
 * A call that only a Worker with lessons or training has. The `run` that would follow `trainer(...)` refuses as well.
 */
function refusing(call: string, part: Part): unknown {
  const problem = `is not in the module that was loaded; the option ${part} loads one with it`;
  const refuse = () => Promise.reject(new TrilError(call, part, problem));
  return call.endsWith('rainer') ? ownCalls[call]?.(refuse) : refuse;
}

function checkedSignal(signal: unknown): AbortSignal {
  if (isSignal(signal)) return signal;
  throw new TrilError('withSignal', 'signal', `must be an AbortSignal, is ${describe(signal)}`);
}
