// A trainer that lives in the Worker: the same calls as promises, and a run as a stream of reports.
import { checkBatches } from '../calls/trainer.js';
import { TrilError } from '../error.js';
import { checkKeys, integerOption, signalOption } from '../names.js';
import type {
  GenerateOptions,
  ModelFiles,
  Moments,
  PartCost,
  SampleOptions,
  TokenBatch,
  TrainerOptions,
  TrainerSettings,
  TrainerTrace,
  TrainingLoss,
  TrainingParts,
  TrainingStep,
} from '../trainer-types.js';
import type { NestedNumbers } from '../values.js';
import type { Remote } from './index.js';
import { RemoteObject, type Line, type RemoteTensor } from './remote.js';

/** The options of a run. */
export interface RunOptions {
  /** How many steps. */
  readonly steps: number;
  /** After how many of them there is a report; 1 unless given. */
  readonly every?: number;
  /** Ends the run, before the next step. */
  readonly signal?: AbortSignal;
}

/** What a run tells: its last step, and all since the report before. */
export interface TrainingReport extends TrainingStep {
  readonly steps: readonly TrainingStep[];
}

/** A `Trainer` that lives in the Worker. Forgotten ones are disposed with the garbage. */
export class RemoteTrainer extends RemoteObject {
  /** All settings, with what was not given. */
  readonly settings: TrainerSettings;
  /** How many numbers the model learns. */
  readonly parameterCount: number;
  #batches: Iterator<TokenBatch> | undefined;

  /** @internal Remote trainers are made by the calls of a Worker. */
  constructor(line: Line, reference: number, settings: TrainerSettings, parameterCount: number) {
    super(line, reference);
    this.settings = Object.freeze(settings);
    this.parameterCount = parameterCount;
  }

  /** @internal */
  protected get kind(): string {
    return 'trainer';
  }

  /** @internal Where the batches come from, which stay on this side. */
  feed(batches: Iterable<TokenBatch> | undefined): this {
    this.#batches = batches?.[Symbol.iterator]();
    return this;
  }

  /**
   * Trains, and tells after every so many steps how it goes. The Worker goes on when the next report
   * is asked for: who leaves the loop leaves the trainer where the last report says that it is, and
   * between reports other calls get their turn.
   *
   * @throws TrilError as `step`, when all steps before it have been reported; and what `signal` is
   * aborted with: the steps before it are done then
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/worker';
   *
   * const remote = await loadTril({ variant: 'simd', training: true });
   * const model = { layers: 1, heads: 2, width: 16, context: 8 } as const;
   * const options = { model, data: 'abcdefgh'.repeat(30), steps: 30, learningRate: 0.01 };
   * const done: number[] = [];
   * for await (const { step, loss } of remote.trainer(options).run({ steps: 30, every: 10 })) {
   *   if (loss < 10) done.push(step);
   * }
   * done; // [9, 19, 29]
   * remote.close();
   * ```
   */
  run(options: RunOptions): AsyncGenerator<TrainingReport, void, undefined> {
    return reportsOf(options, (count, signal) => this.#steps(count, signal));
  }

  /** One step. */
  async step(batch?: TokenBatch): Promise<TrainingStep> {
    const [step] = await (batch ? this.steps([batch]) : this.steps(1));
    return step!;
  }

  /** So many steps one after the other, or one over each batch of a list; errors have `steps`. */
  async steps(count: number | readonly TokenBatch[]): Promise<TrainingStep[]> {
    return this.#steps(count);
  }

  /** How many steps are done, when the calls asked for before are. */
  async done(): Promise<number> {
    return this.ask('done') as Promise<number>;
  }

  /** The mean loss of what is not trained on, or of a batch. */
  async evaluate(batch?: TokenBatch): Promise<TrainingLoss> {
    return this.ask('evaluate', batch) as Promise<TrainingLoss>;
  }

  /** What a step over so many sequences of so many tokens costs, part by part. */
  async cost(sequences: number, length: number): Promise<TrainingParts<PartCost>> {
    return this.ask('cost', sequences, length) as Promise<TrainingParts<PartCost>>;
  }

  /** How the model goes on from a text. */
  async sample(options: SampleOptions = {}): Promise<string> {
    return this.ask('sample', options) as Promise<string>;
  }

  /** The tokens that follow a prompt. */
  async generate(options: GenerateOptions = {}): Promise<Int32Array> {
    return this.ask('generate', options) as Promise<Int32Array>;
  }

  /** The tokens of a text. */
  async encode(text: string): Promise<Int32Array> {
    return this.ask('encode', text) as Promise<Int32Array>;
  }

  /** The text of tokens. */
  async decode(tokens: NestedNumbers | Int32Array): Promise<string> {
    return this.ask('decode', tokens) as Promise<string>;
  }

  /** Logits, and the attention weights of every head of every layer. */
  async trace(tokens: NestedNumbers | Int32Array): Promise<Remote<TrainerTrace>> {
    return this.ask('trace', tokens) as Promise<Remote<TrainerTrace>>;
  }

  /** Copies of the parameters by name. */
  async parameters(names: readonly string[] = []): Promise<Record<string, RemoteTensor>> {
    return this.ask('parameters', names) as Promise<Record<string, RemoteTensor>>;
  }

  /** Copies of the gradients of the last step by the names of the parameters. */
  async gradients(names: readonly string[] = []): Promise<Record<string, RemoteTensor>> {
    return this.ask('gradients', names) as Promise<Record<string, RemoteTensor>>;
  }

  /** Copies of AdamW's moments by the names of the parameters. */
  async moments(names: readonly string[] = []): Promise<Remote<Moments>> {
    return this.ask('moments', names) as Promise<Remote<Moments>>;
  }

  /** Puts copies of these in the place of the parameters of these names. */
  async setParameters(values: Readonly<Record<string, RemoteTensor>>): Promise<this> {
    await this.ask('setParameters', values);
    return this;
  }

  /** A checkpoint. */
  async save(): Promise<Uint8Array> {
    return this.ask('save') as Promise<Uint8Array>;
  }

  /** Puts this trainer where the one was whose checkpoint this is. */
  async restore(checkpoint: Uint8Array): Promise<this> {
    await this.ask('restore', checkpoint);
    return this;
  }

  /** The model as files that other libraries open. */
  async export(): Promise<ModelFiles> {
    return this.ask('export') as Promise<ModelFiles>;
  }

  /** `RemoteTrainer gpt2`. */
  override toString(): string {
    return `RemoteTrainer ${this.settings.model.family}`;
  }

  async #steps(
    count: number | readonly TokenBatch[],
    signal?: AbortSignal,
  ): Promise<TrainingStep[]> {
    const batches = this.#batches;
    const given = typeof count === 'number' && batches ? nextBatches(batches, count) : count;
    return (await this.askUntil(signal, 'steps', given)) as TrainingStep[];
  }
}

/** So many batches, or as many as there are. */
export function nextBatches<Batch>(from: Iterator<Batch>, count: number): Batch[] {
  const batches: Batch[] = [];
  while (batches.length < count) {
    const { done, value } = from.next();
    if (done && batches.length === 0) throw new TrilError('step', 'batches', 'there are no more');
    if (done) break;
    batches.push(value as Batch);
  }
  return batches;
}

/** A run whose steps the Worker does, as many at a time as `every` says. */
export async function* reportsOf(
  options: RunOptions,
  stepsOf: (count: number, signal?: AbortSignal) => Promise<TrainingStep[]>,
): AsyncGenerator<TrainingReport, void, undefined> {
  checkKeys('run', 'options', 'option', options, ['steps', 'every', 'signal']);
  const signal = signalOption('run', 'signal', options.signal);
  const every = integerOption('run', 'every', options.every, 1, 1);
  let left = integerOption('run', 'steps', options.steps, Number.NaN, 0);
  while (left > 0) {
    let failure: TrilError | undefined;
    const steps = await stepsOf(Math.min(every, left), signal).catch((error: unknown) => {
      if (!(error instanceof TrilError)) throw error;
      failure = error;
      return error.steps ?? [];
    });
    left -= steps.length;
    const last = steps.at(-1);
    if (last) yield { ...last, steps };
    if (failure) throw failure;
  }
}

/** A promise of a trainer, whose run can be begun at once. */
export type RemoteTrainerCall = (
  options?: TrainerOptions,
) => Promise<RemoteTrainer> & Pick<RemoteTrainer, 'run'>;

async function* runOf(made: Promise<RemoteTrainer>, options: RunOptions) {
  yield* (await made).run(options);
}

/** The call of a Worker that makes trainers; batches stay on this side, since they cannot be sent. */
export function trainerCall(ask: (options: unknown) => Promise<unknown>): RemoteTrainerCall {
  const make = async (options: TrainerOptions): Promise<RemoteTrainer> => {
    if (typeof options !== 'object' || options === null) {
      return (await ask(options)) as RemoteTrainer; // it says what is wrong
    }
    const { batches, ...sent } = options;
    checkBatches(batches, options.data);
    return ((await ask(sent)) as RemoteTrainer).feed(batches);
  };
  return (options = {}) => {
    const made = make(options);
    return Object.assign(made, { run: (how: RunOptions) => runOf(made, how) });
  };
}
