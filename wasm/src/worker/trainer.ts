// A trainer of language models that lives in the Worker.
import { checkBatches } from '../calls/trainer.js';
import { drawOptions } from '../generated-text.js';
import type { GeneratedPart } from '../generation-types.js';
import { isPrompt } from '../trained-model.js';
import type {
  GenerateOptions,
  TokenBatch,
  TrainerSettings,
  TrainerTextOptions,
} from '../trainer-types.js';
import type { TrainerOptions } from '../trainer.js';
import type { NestedNumbers } from '../values.js';
import { RemoteLearner, learnerCall } from './learner.js';
import type { LearnerCall } from './learner.js';
import { textOf, type RemoteModel } from './model.js';
import { remote, type Ask } from './remote.js';

/** A `Trainer` that lives in the Worker. The garbage collector disposes forgotten ones. */
export class RemoteTrainer extends remote('trainer', RemoteLearner<TrainerSettings, TokenBatch>) {
  /** Continues a text, token by token, as `RemoteModel.generate` does. */
  generate(
    prompt: string | NestedNumbers | Int32Array,
    options?: TrainerTextOptions,
  ): AsyncGenerator<GeneratedPart, void, undefined>;
  /** The tokens that follow `options.prompt`, all at once. */
  generate(options?: GenerateOptions): Promise<Int32Array>;
  generate(
    given: string | NestedNumbers | Int32Array | GenerateOptions = {},
    options: TrainerTextOptions = {},
  ): AsyncGenerator<GeneratedPart, void, undefined> | Promise<Int32Array> {
    if (!isPrompt(given)) return this.ask('generate', given) as Promise<Int32Array>;
    return textOf(options, [...drawOptions, 'signal'], (signal, sent) =>
      this.askUntil(signal, 'generate', given, sent),
    );
  }

  /** `RemoteTrainer gpt2`. */
  override toString(): string {
    return `RemoteTrainer ${this.settings.model.family}`;
  }
}

/** The options of a Worker's `trainer`. */
export interface RemoteTrainerOptions extends Omit<TrainerOptions, 'from'> {
  /** Model to train further, as in `TrainerOptions`, of the same Worker. */
  readonly from?: RemoteModel;
}

/** A promise of a trainer, whose run can be started at once. */
export type RemoteTrainerCall = LearnerCall<RemoteTrainerOptions, RemoteTrainer>;

/** The call of a Worker that makes trainers. */
export function trainerCall(ask: Ask): RemoteTrainerCall {
  return learnerCall(ask, ({ batches, data }) => checkBatches(batches, data));
}
