// A trainer of sequences that lives in the Worker.
import { checkBatches } from '../calls/trainer.js';
import type {
  SequenceBatches,
  SequenceTrainerOptions,
  SequenceTrainerSettings,
  TranslateOptions,
} from '../sequence-trainer-types.js';
import type { TrainingLoss } from '../trainer-types.js';
import type { NestedNumbers } from '../values.js';
import { RemoteLearner, learnerCall } from './learner.js';
import type { LearnerCall, RunOptions, TrainingReport } from './learner.js';
import type { Ask, RemoteTensor } from './remote.js';

/** A `SequenceTrainer` that lives in the Worker. Forgotten ones are disposed with the garbage. */
export class RemoteSequenceTrainer extends RemoteLearner<SequenceTrainerSettings, SequenceBatches> {
  /**
   * Trains, and reports after every `every` steps, as `run` of a `RemoteTrainer`: the Worker goes on when the next
   * report is asked for.
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
    return this.reports(options);
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

  /** Translates a source. */
  translate(
    source: readonly number[] | Int32Array,
    options?: TranslateOptions,
  ): Promise<Int32Array>;
  /** Translates each row of sources. */
  translate(
    source: readonly (readonly number[])[],
    options?: TranslateOptions,
  ): Promise<Int32Array[]>;
  async translate(source: unknown, options?: TranslateOptions): Promise<unknown> {
    return this.ask('translate', source, options);
  }

  /** `RemoteSequenceTrainer, width 16`. */
  override toString(): string {
    return `RemoteSequenceTrainer, width ${this.settings.model.width}`;
  }
}

/** A promise of a trainer of sequences, whose run can be begun at once. */
export type RemoteSequenceTrainerCall = LearnerCall<SequenceTrainerOptions, RemoteSequenceTrainer>;

/** The call of a Worker that makes them. */
export function sequenceTrainerCall(ask: Ask): RemoteSequenceTrainerCall {
  return learnerCall(ask, ({ batches }) => checkBatches(batches, undefined, 'sequenceTrainer'));
}
