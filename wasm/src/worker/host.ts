// The script of the Worker: it holds a module and the objects referenced by the other side, and makes the calls it
// asks for.
import { Mask } from '../calls/mask.js';
import { DecodingSession } from '../decoding-session.js';
import { Encoder } from '../encoder.js';
import { TrilError } from '../error.js';
import { nextTask } from '../event-loop.js';
import { KeyValueCache } from '../key-value-cache.js';
import type { Graph, GraphValues } from '../graph/plan.js';
import { loadTril, type Tril } from '../index.js';
import { Model } from '../model.js';
import type { LoadModelOptions, TextOptions } from '../model-types.js';
import { booleanOption } from '../names.js';
import { SequenceTrainer } from '../sequence-trainer.js';
import { Tensor } from '../tensor.js';
import { Tokenizer } from '../tokenizer.js';
import { isPrompt } from '../trained-model.js';
import { Trainer } from '../trainer.js';
import { WordVectors } from '../word-vectors.js';
import { constants, type Kind, type Local, type Reference } from './held-kinds.js';
import { handedOver, mapParts, nodeWorkers, portOfNode, portOfWeb, whenAborted } from './line.js';
import type { Answer, Failure, Message, Port, Request } from './line.js';
import type { RemoteLoadOptions } from './types.js';

const parent = nodeWorkers()?.parentPort;
const port: Port<Answer, Message> = parent
  ? portOfNode(parent)
  : portOfWeb(globalThis as unknown as Worker);

/** An iterator whose parts are requested one by one. */
class Stream {
  readonly #parts: Iterator<unknown>;
  constructor(parts: Iterator<unknown>) {
    this.#parts = parts;
  }
  next(): IteratorResult<unknown> {
    return this.#parts.next();
  }
  dispose(): void {
    this.#parts.return?.();
  }
}

/** The classes of the objects that stay here, by kind. */
const classes = {
  tensor: Tensor,
  mask: Mask,
  cache: KeyValueCache,
  trainer: Trainer,
  sequenceTrainer: SequenceTrainer,
  wordVectors: WordVectors,
  model: Model,
  encoder: Encoder,
  session: DecodingSession,
  tokenizer: Tokenizer,
  stream: Stream,
} as const satisfies Readonly<Record<Kind, unknown>>;
type Held = Local[Kind];
/** The kinds that take steps. */
const learning = [Trainer, SequenceTrainer, WordVectors];
type Learning = InstanceType<(typeof learning)[number]>;
const held = new Map<number, Held>();
/** The reference of each object, which it keeps, for example as a call's `out`. */
const references = new WeakMap<Held, number>();
let lastReference = 0;
let tril: Tril | undefined;

function hold(kind: Kind, value: Held): Reference {
  const $reference = references.get(value) ?? ++lastReference;
  held.set($reference, value);
  references.set(value, $reference);
  const known = constants[kind].map((name) => [name, value[name as keyof Held]] as const);
  return { $reference, kind, constants: Object.fromEntries(known) } as unknown as Reference;
}

const kinds = Object.keys(classes) as Kind[];
const toReference = (part: unknown): unknown => {
  const kind = kinds.find((each) => part instanceof classes[each]);
  return kind && hold(kind, part as Held);
};

const fromReference = (part: unknown): unknown => {
  const reference = (part as Partial<Reference> | null | undefined)?.$reference;
  return reference === undefined ? undefined : held.get(reference);
};

type Callable = (...values: unknown[]) => unknown;

/** The paths of all calls, for the other side to offer. */
function paths(object: object, before: string[] = []): string[][] {
  return Object.entries(object).flatMap(([name, value]): string[][] => {
    if (typeof value === 'function') return [[...before, name]];
    return typeof value === 'object' && value !== null ? paths(value, [...before, name]) : [];
  });
}

/** Aborts the current call, which ends at the next opportunity. */
let control = new AbortController();

/** Receives the range of a file requested by the current call. */
let takeChunk: ((bytes: Uint8Array) => void) | undefined;

/** A file of the other side, whose ranges are requested when they are read. */
class RemoteBlob extends Blob {
  constructor(
    readonly id: number,
    readonly name: string,
    override readonly size: number,
  ) {
    super();
  }
  override slice(from = 0, to = this.size): Blob {
    const arrayBuffer = async () => {
      const { signal } = control;
      const bytes = await new Promise<Uint8Array>((resolve, reject) => {
        signal.throwIfAborted();
        const settled = whenAborted(signal, () => reject(signal.reason as Error));
        takeChunk = (bytes) => (settled(), resolve(bytes));
        port.send({ id: this.id, range: [this.name, from, to] });
      });
      return bytes.buffer as ArrayBuffer;
    };
    return Object.assign(new Blob(), { arrayBuffer });
  }
}

/** Takes steps, and receives messages between them. */
async function takeSteps(learner: Learning, count: unknown): Promise<unknown[]> {
  const reports: unknown[] = [];
  for (const report of learner.each(count as number)) {
    reports.push(report);
    await nextTask();
    if (control.signal.aborted) break;
  }
  return reports;
}

/** Loads a module; the code of lessons and training is fetched on demand. */
async function load(options: RemoteLoadOptions): Promise<Tril> {
  if (typeof options !== 'object' || options === null) return loadTril(options);
  const { training, lessons, ...others } = options;
  const isTraining = booleanOption('loadTril', 'training', training, false);
  if (booleanOption('loadTril', 'lessons', lessons, false)) {
    if (isTraining) throw new TrilError('loadTril', 'lessons', 'does not go with training');
    return (await import('../lessons.js')).loadTril(others);
  }
  return isTraining ? (await import('../training.js')).loadTril(others) : loadTril(others);
}

/** All values of a graph; the code of graphs is fetched on demand. */
async function runGraph(values: readonly unknown[]): Promise<unknown> {
  const { run } = await import('../graph/run.js');
  const [graph, inputs] = values.map((value) => mapParts(value, fromReference));
  return mapParts(run(tril!, graph as Graph, inputs as GraphValues), toReference);
}

async function perform({ id, path, on, values }: Request): Promise<unknown> {
  if (!tril) {
    tril = await load(values[0] as RemoteLoadOptions);
    return { variant: tril.variant, threads: tril.threads, paths: [...paths(tril), ['run']] };
  }
  const target = on === undefined ? tril : held.get(on);
  if (path[0] === 'dispose' && on !== undefined) held.delete(on);
  if (target === tril && path[0] === 'run') return runGraph(values);
  let self: unknown = undefined;
  let found: unknown = target;
  for (const name of path) {
    self = found;
    found = (found as Record<string, unknown>)[name];
  }
  // A number is a property, such as a cache's length; a mask has nothing to dispose.
  if (typeof found !== 'function') return typeof found === 'number' ? found : undefined;
  const decoded = values.map((value) => mapParts(value, fromReference));
  if (found === tril.memory) return { ...tril.memory(), objects: held.size };
  const takesSteps = learning.some((kind) => target instanceof kind);
  if (takesSteps && path[0] === 'steps') return takeSteps(target as Learning, decoded[0]);
  const continues = target instanceof Model || (target instanceof Trainer && isPrompt(decoded[0]));
  if (continues && path[0] === 'generate') {
    const [prompt, options] = decoded as [string, TextOptions];
    return hold('stream', new Stream(target.parts(prompt, options)));
  }
  if (target === tril && (path[0] === 'loadModel' || path[0] === 'loadEncoder')) {
    const [sizes, given] = values as [readonly (readonly [string, number])[], LoadModelOptions];
    const files = sizes.map(([name, size]) => [name, new RemoteBlob(id, name, size)] as const);
    const progress = (...values: number[]): void => port.send({ id, progress: values });
    const options: LoadModelOptions = { ...given, progress, signal: control.signal };
    decoded.splice(0, 2, Object.fromEntries(files), options);
  }
  const result = await (found as Callable).apply(self, decoded);
  return result === target ? undefined : mapParts(result, toReference);
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof TrilError)) return { message: String(error) };
  const { message, call, argument, problem, shapes, steps } = error;
  const parts = { ...(shapes && { shapes }), ...(steps && { steps }) };
  return { message, tril: { call, argument, problem, ...parts } };
}

async function answer(request: Request): Promise<void> {
  try {
    const value = await perform(request);
    port.send({ id: request.id, value }, handedOver(value));
  } catch (error) {
    port.send({ id: request.id, failure: failureOf(error) });
  }
}

// Makes calls one after the other. None begins before the one before it has ended, and before all received messages
// are processed, since one may cancel it.
const queue: Request[] = [];
let working = false;
let current: Request | undefined;
async function work(): Promise<void> {
  working = true;
  while (queue.length > 0) {
    await nextTask();
    current = queue.shift();
    control = new AbortController();
    if (current) await answer(current);
    current = undefined;
  }
  working = false;
}
port.listen((message) => {
  if ('chunkOf' in message) {
    if (current?.id === message.chunkOf) takeChunk?.(message.bytes);
    return;
  }
  if ('cancelled' in message) {
    const at = queue.findIndex(({ id }) => id === message.cancelled);
    if (at >= 0) queue.splice(at, 1);
    if (current?.id === message.cancelled) control.abort();
    return;
  }
  queue.push(message);
  if (!working) void work();
});
