// The common base of trainers that live in the Worker: their calls as promises, a run as a stream of reports. An
// iterable of batches cannot be sent, so it stays on this side.
import { TrilError } from '../error.js';
import { checkKeys, integerOption, signalOption } from '../names.js';
import type { TrainingStep } from '../trainer-types.js';
import { RemoteObject, asking, type Ask, type RemoteTensor } from './remote.js';

/** The options of a run. */
export interface RunOptions {
  /** Number of steps. */
  readonly steps: number;
  /** Number of steps from one report to the next (default 1). */
  readonly every?: number;
  /** Ends the run before its next step. */
  readonly signal?: AbortSignal;
}

/** The report of a run: its last step, and all steps since the previous report. */
export interface TrainingReport extends TrainingStep {
  readonly steps: readonly TrainingStep[];
}

/**
 * Takes `every` steps at a time, and reports the last of them together with all of them. `all` is the number of
 * steps of a run without that option.
 */
export async function* reportsOf<Step extends object>(
  take: (count: number, signal: AbortSignal | undefined) => Promise<readonly Step[]>,
  options: Partial<RunOptions>,
  all: () => number | Promise<number>,
): AsyncGenerator<Step & { readonly steps: readonly Step[] }, void, undefined> {
  checkKeys('run', 'options', 'option', options, ['steps', 'every', 'signal']);
  const signal = signalOption('run', 'signal', options.signal);
  const every = integerOption('run', 'every', options.every, 1, 1);
  let left = integerOption('run', 'steps', options.steps, await all(), 0);
  while (left > 0) {
    let failure: TrilError | undefined;
    const steps = await take(Math.min(every, left), signal).catch((error: unknown) => {
      if (!(error instanceof TrilError)) throw error;
      failure = error;
      return (error.steps ?? []) as unknown as readonly Step[];
    });
    left -= steps.length;
    const last = steps.at(-1);
    if (last) yield { ...last, steps };
    if (failure) throw failure;
  }
}

/** The base of trainers in the Worker. */
export abstract class RemoteLearner<Settings extends object, Batch> extends asking(
  'learner',
  RemoteObject,
) {
  /** All settings, with defaults. */
  declare readonly settings: Settings;
  /** Number of parameters of the model. */
  declare readonly parameterCount: number;
  #batches: Iterator<Batch> | undefined;

  /** @internal The source of batches. */
  feed(batches: Iterable<Batch> | undefined): this {
    this.#batches = batches?.[Symbol.iterator]();
    return this;
  }

  /** Takes one step. */
  async step(batch?: Batch): Promise<TrainingStep> {
    const [step] = await (batch ? this.steps([batch]) : this.steps(1));
    return step!;
  }

  /** Takes `count` steps, or a step over each batch of a list. Errors carry the reports of earlier steps in `steps`. */
  async steps(count: number | readonly Batch[]): Promise<TrainingStep[]> {
    return this.#steps(count);
  }

  /** Replaces the parameters with these names by copies of `values`. */
  async setParameters(values: Readonly<Record<string, RemoteTensor>>): Promise<this> {
    await this.ask('setParameters', values);
    return this;
  }

  /** Restores the state in a checkpoint. */
  async restore(checkpoint: Uint8Array): Promise<this> {
    await this.ask('restore', checkpoint);
    return this;
  }

  /**
   * Trains, and reports after every `every` steps. The Worker continues when the next report is requested, so
   * leaving the loop leaves the trainer in the state of the last report, and other calls run between reports.
   *
   * @throws TrilError as `step`, when all steps before it have been reported; and the reason of `signal` where that
   * aborts: the steps before it are done then
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
   * const sizes = { sourceVocabulary: 9, targetVocabulary: 9, width: 16, hidden: 32, context: 6 };
   * const batches = await Promise.all([0, 1, 2, 3].map((step) => remote.drawSequences('sort', { step })));
   * const sorter = remote.sequenceTrainer({ model: { ...sizes, heads: 2 }, batches, steps: 4 });
   * for await (const { step } of sorter.run({ steps: 4, every: 2 })) done.push(step);
   * done; // [9, 19, 29, 1, 3]
   * remote.close();
   * ```
   */
  run(options: RunOptions): AsyncGenerator<TrainingReport, void, undefined> {
    return reportsOf(
      (count, signal) => this.#steps(count, signal),
      options,
      () => Number.NaN,
    );
  }

  async #steps(count: number | readonly Batch[], signal?: AbortSignal): Promise<TrainingStep[]> {
    const batches = this.#batches;
    const given = typeof count === 'number' && batches ? nextBatches(batches, count) : count;
    return (await this.askUntil(signal, 'steps', given)) as TrainingStep[];
  }
}

/** The next `count` batches, or all that are left. */
function nextBatches<Batch>(from: Iterator<Batch>, count: number): Batch[] {
  const batches: Batch[] = [];
  while (batches.length < count) {
    const { done, value } = from.next();
    if (done && batches.length === 0) throw new TrilError('step', 'batches', 'there are no more');
    if (done) break;
    batches.push(value as Batch);
  }
  return batches;
}

interface Runs {
  feed(batches: unknown): this;
  run(options: RunOptions): AsyncGenerator<TrainingReport, void, undefined>;
}

/** A promise of a trainer, whose run can be started at once. */
export type LearnerCall<Options, Learner extends { run: unknown }> = (
  options?: Options,
) => Promise<Learner> & Pick<Learner, 'run'>;

async function* runOf(made: Promise<Runs>, options: RunOptions) {
  yield* (await made).run(options);
}

/** The call of a Worker that makes trainers; `check` refuses invalid batches. */
export function learnerCall<Options extends { readonly batches?: unknown }, Learner extends Runs>(
  ask: Ask,
  check: (options: Options) => void,
): LearnerCall<Options, Learner> {
  const make = async (options: Options): Promise<Learner> => {
    if (typeof options !== 'object' || options === null) {
      return (await ask([options])) as Learner; // it says what is wrong
    }
    const { batches, ...sent } = options;
    check(options);
    return ((await ask([sent])) as Learner).feed(batches);
  };
  return (options = {} as Options) => {
    const made = make(options);
    return Object.assign(made, { run: (how: RunOptions) => runOf(made, how) });
  };
}
