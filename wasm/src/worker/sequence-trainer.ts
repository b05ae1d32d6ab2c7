// A trainer of sequences that lives in the Worker.
import { checkBatches } from '../calls/trainer.js';
import { batchWithOldNames } from '../old-names.js';
import type {
  DrawnSequences,
  SequenceBatches,
  SequenceTrainerOptions,
  SequenceTrainerSettings,
  TranslateOptions,
} from '../sequence-trainer-types.js';
import { RemoteLearner, learnerCall } from './learner.js';
import type { LearnerCall } from './learner.js';
import { remote, type Ask } from './remote.js';

/** A `SequenceTrainer` that lives in the Worker. The garbage collector disposes forgotten ones. */
export class RemoteSequenceTrainer extends remote(
  'sequenceTrainer',
  RemoteLearner<SequenceTrainerSettings, SequenceBatches>,
) {
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

/** A promise of a trainer of sequences, whose run can be started at once. */
export type RemoteSequenceTrainerCall = LearnerCall<SequenceTrainerOptions, RemoteSequenceTrainer>;

/** The call of a Worker that draws batches. */
export const drawSequencesCall =
  (ask: Ask) =>
  async (...values: unknown[]): Promise<DrawnSequences> =>
    batchWithOldNames((await ask(values)) as DrawnSequences);

/** The call of a Worker that makes trainers of sequences. */
export function sequenceTrainerCall(ask: Ask): RemoteSequenceTrainerCall {
  return learnerCall(ask, ({ batches }) => checkBatches(batches, undefined, 'sequenceTrainer'));
}
