// A trainer of sequences that lives in the Worker: the same calls as promises, and a run as a stream of
// reports.
import { checkBatches } from '../calls/trainer.js';
import type {
  SequenceBatches,
  SequenceTrainerOptions,
  SequenceTrainerSettings,
  TranslateOptions,
} from '../sequence-trainer-types.js';
import type { Moments, TrainingLoss, TrainingStep } from '../trainer-types.js';
import type { NestedNumbers } from '../values.js';
import type { Remote } from './index.js';
import { RemoteObject, type Line, type RemoteTensor } from './remote.js';
import { nextBatches, reportsOf, type RunOptions, type TrainingReport } from './trainer.js';

/** A `SequenceTrainer` that lives in the Worker. Forgotten ones are disposed with the garbage. */
export class RemoteSequenceTrainer extends RemoteObject {
  /** All settings, with what was not given. */
  readonly settings: SequenceTrainerSettings;
  /** How many numbers the model learns. */
  readonly parameterCount: number;
  #batches: Iterator<SequenceBatches> | undefined;

  /** @internal Remote trainers are made by the calls of a Worker. */
  constructor(
    line: Line,
    reference: number,
    settings: SequenceTrainerSettings,
    parameterCount: number,
  ) {
    super(line, reference);
    this.settings = Object.freeze(settings);
    this.parameterCount = parameterCount;
  }

  /** @internal */
  protected get kind(): string {
    return 'trainer';
  }

  /** @internal Where the batches come from, which stay on this side. */
  feed(batches: Iterable<SequenceBatches> | undefined): this {
    this.#batches = batches?.[Symbol.iterator]();
    return this;
  }

  /**
   * Trains, and tells after every so many steps how it goes, as `run` of a `RemoteTrainer`: the Worker
   * goes on when the next report is asked for.
   *
   * @throws TrilError as `step`, and what `signal` is aborted with: the steps before it are done then
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/worker';
   *
   * const remote = await loadTril({ variant: 'simd', training: true });
   * const sizes = { sourceVocabulary: 9, targetVocabulary: 9, width: 16, hidden: 32, context: 6 };
   * const batches = await Promise.all([0, 1, 2, 3].map((step) => remote.drawSequences('sort', { step })));
   * const trainer = remote.sequenceTrainer({ model: { ...sizes, heads: 2 }, batches, steps: 4 });
   * const done: number[] = [];
   * for await (const { step, loss } of trainer.run({ steps: 4, every: 2 })) {
   *   if (loss < 10) done.push(step);
   * }
   * done; // [1, 3]
   * remote.close();
   * ```
   */
  run(options: RunOptions): AsyncGenerator<TrainingReport, void, undefined> {
    return reportsOf(options, (count, signal) => this.#steps(count, signal));
  }

  /** One step. */
  async step(batch?: SequenceBatches): Promise<TrainingStep> {
    const [step] = await (batch ? this.steps([batch]) : this.steps(1));
    return step!;
  }

  /** So many steps one after the other, or one over each element of a list. */
  async steps(count: number | readonly SequenceBatches[]): Promise<TrainingStep[]> {
    return this.#steps(count);
  }

  /** How many steps are done, when the calls asked for before are. */
  async done(): Promise<number> {
    return this.ask('done') as Promise<number>;
  }

  /** The mean loss of a batch, or of several. */
  async evaluate(batch: SequenceBatches): Promise<TrainingLoss> {
    return this.ask('evaluate', batch) as Promise<TrainingLoss>;
  }

  /** The logits after each token of targets. */
  async logits(
    source: NestedNumbers | Int32Array,
    target: NestedNumbers | Int32Array,
  ): Promise<RemoteTensor> {
    return this.ask('logits', source, target) as Promise<RemoteTensor>;
  }

  /** What the model says of a source. */
  translate(
    source: readonly number[] | Int32Array,
    options?: TranslateOptions,
  ): Promise<Int32Array>;
  /** What it says of each row of sources. */
  translate(
    source: readonly (readonly number[])[],
    options?: TranslateOptions,
  ): Promise<Int32Array[]>;
  async translate(source: unknown, options?: TranslateOptions): Promise<unknown> {
    return this.ask('translate', source, options);
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

  /** `RemoteSequenceTrainer, width 16`. */
  override toString(): string {
    return `RemoteSequenceTrainer, width ${this.settings.model.width}`;
  }

  async #steps(
    count: number | readonly SequenceBatches[],
    signal?: AbortSignal,
  ): Promise<TrainingStep[]> {
    const batches = this.#batches;
    const given = typeof count === 'number' && batches ? nextBatches(batches, count) : count;
    return (await this.askUntil(signal, 'steps', given)) as TrainingStep[];
  }
}

/** A promise of a trainer, whose run can be begun at once. */
export type RemoteSequenceTrainerCall = (
  options?: SequenceTrainerOptions,
) => Promise<RemoteSequenceTrainer> & Pick<RemoteSequenceTrainer, 'run'>;

async function* runOf(made: Promise<RemoteSequenceTrainer>, options: RunOptions) {
  yield* (await made).run(options);
}

/** The call of a Worker that makes them; batches stay on this side, since they cannot be sent. */
export function sequenceTrainerCall(
  ask: (options: unknown) => Promise<unknown>,
): RemoteSequenceTrainerCall {
  const make = async (options: SequenceTrainerOptions): Promise<RemoteSequenceTrainer> => {
    if (typeof options !== 'object' || options === null) {
      return (await ask(options)) as RemoteSequenceTrainer; // it says what is wrong
    }
    const { batches, ...sent } = options;
    checkBatches(batches, undefined, 'sequenceTrainer');
    return ((await ask(sent)) as RemoteSequenceTrainer).feed(batches);
  };
  return (options = {}) => {
    const made = make(options);
    return Object.assign(made, { run: (how: RunOptions) => runOf(made, how) });
  };
}
