// A trainer of language models that lives in the Worker.
import { checkBatches } from '../calls/trainer.js';
import { drawOptions } from '../generated-text.js';
import type { GeneratedPart } from '../generation-types.js';
import { isPrompt } from '../trained-model.js';
import type {
  AdapterFiles,
  GenerateOptions,
  ModelFiles,
  PartCost,
  SampleOptions,
  TokenBatch,
  TrainerSettings,
  TrainerTextOptions,
  TrainerTrace,
  TrainingLoss,
  TrainingParts,
} from '../trainer-types.js';
import type { TrainerOptions } from '../trainer.js';
import type { NestedNumbers } from '../values.js';
import { RemoteLearner, learnerCall } from './learner.js';
import type { LearnerCall } from './learner.js';
import { textOf, type RemoteModel } from './model.js';
import type { Ask, RemoteValue } from './remote.js';

/** A `Trainer` that lives in the Worker. Forgotten ones are disposed with the garbage. */
export class RemoteTrainer extends RemoteLearner<TrainerSettings, TokenBatch> {
  /** The mean loss of what is not trained on, or of a batch. */
  async evaluate(batch?: TokenBatch): Promise<TrainingLoss> {
    return this.ask('evaluate', batch) as Promise<TrainingLoss>;
  }

  /** The cost of a step over `sequences` of `length` tokens, part by part. */
  async cost(sequences: number, length: number): Promise<TrainingParts<PartCost>> {
    return this.ask('cost', sequences, length) as Promise<TrainingParts<PartCost>>;
  }

  /** Continues a text. */
  async sample(options: SampleOptions = {}): Promise<string> {
    return this.ask('sample', options) as Promise<string>;
  }

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

  /** The tokens of a text. */
  async encode(text: string): Promise<Int32Array> {
    return this.ask('encode', text) as Promise<Int32Array>;
  }

  /** The text of tokens. */
  async decode(tokens: NestedNumbers | Int32Array): Promise<string> {
    return this.ask('decode', tokens) as Promise<string>;
  }

  /** Logits, and the attention weights of every head of every layer. */
  async trace(tokens: NestedNumbers | Int32Array): Promise<RemoteValue<TrainerTrace>> {
    return this.ask('trace', tokens) as Promise<RemoteValue<TrainerTrace>>;
  }

  /** The model as files that other libraries open. */
  async export(): Promise<ModelFiles> {
    return this.ask('export') as Promise<ModelFiles>;
  }

  /** The adapter that is trained, as files that PEFT opens. */
  async exportAdapter(): Promise<AdapterFiles> {
    return this.ask('exportAdapter') as Promise<AdapterFiles>;
  }

  /** `RemoteTrainer gpt2`. */
  override toString(): string {
    return `RemoteTrainer ${this.settings.model.family}`;
  }
}

/** The options of a Worker's `trainer`. */
export interface RemoteTrainerOptions extends Omit<TrainerOptions, 'from'> {
  /** Model to train further, as `TrainerOptions` has it, of the same Worker. */
  readonly from?: RemoteModel;
}

/** A promise of a trainer, whose run can be begun at once. */
export type RemoteTrainerCall = LearnerCall<RemoteTrainerOptions, RemoteTrainer>;

/** The call of a Worker that makes trainers. */
export function trainerCall(ask: Ask): RemoteTrainerCall {
  return learnerCall(ask, ({ batches, data }) => checkBatches(batches, data));
}
