import { TrilError, shapeText } from './error.js';
import type { Model } from './model.js';
import { checkKeys, integerOption } from './names.js';
import { TrainedModel } from './trained-model.js';
import type {
  LoraSettings,
  ModelSettings,
  PartCost,
  TokenBatch,
  TrainingLoss,
  TrainingParts,
  TrainingSettings,
  TrainingStep,
} from './trainer-types.js';
import { joinedValues, lossOf, rowsOf, stepOf, type RawBatches } from './trainer-values.js';

/** The options of `tril.trainer`. */
export interface TrainerOptions extends TrainingSettings {
  /**
   * Model to train further, from `loadModel`. Of the `model` settings, only `context` (default: the model's) and
   * `dropout` can then be given; the learning rate is 0.0001 by default.
   */
  readonly from?: Model;
  /**
   * Trains an adapter for that model (LoRA) instead of all of its parameters; the learning rate is then 0.001 by
   * default. Gradients and moments are those of A and B, by PEFT's names; in `parameters` and `export` the adapter
   * is merged.
   */
  readonly lora?: LoraSettings;
  readonly model?: ModelSettings;
  /**
   * Training data: a text, its bytes in UTF-8, or tokens as numbers. The last tenth is kept for `evaluate`.
   * Without data, each step takes one of `batches`, or its own.
   */
  readonly data?: string | Uint8Array | Int32Array;
  /** Batches, one for each step, where there is no data. */
  readonly batches?: Iterable<TokenBatch>;
  /** Tokenizer of the text (default `'chars'`). */
  readonly tokenizer?: 'bytes' | 'chars' | 'words' | 'bpe';
  /**
   * Checkpoint of `save` to resume from. Settings that are given must be those of the checkpoint, except `steps`,
   * and the data must be the same.
   */
  readonly checkpoint?: Uint8Array;
}

/**
 * A language model in training, in the memory of one loaded module. Made by `tril.trainer`; its
 * memory is freed by `dispose`, and at the end of a `using` declaration or of a `tril.scope`.
 *
 * A step depends on the model, the moments, the settings, the data and its number alone: a restored
 * trainer continues with the same bits, on any number of threads.
 */
export class Trainer extends TrainedModel {
  /**
   * One step: the loss of a batch, its gradient, and an update by the optimizer. The batch is drawn from the data,
   * or is the next of `batches`, or the given one.
   *
   * @throws TrilError where there is no batch, or it does not fit the model; and where the loss or the gradient is
   * not finite, naming the parameter whose gradient failed first in the backward pass. Parameters and moments are
   * then as they were before the step
   *
   * @example
   * ```ts
   * const model = { layers: 1, heads: 2, width: 16, context: 8 };
   * const trainer = tril.trainer({ model, data: 'the cat sat on the mat. '.repeat(20), steps: 50 });
   * const { step, loss, learningRate } = trainer.step();
   * step; // 0
   * loss < 6; // true
   * learningRate; // 0.0003
   * trainer.step({ tokens: [[1, 2, 3]], targets: [[2, 3, 300]] }); // throws TrilError: step: targets: 300 at [0, 2]
   * ```
   */
  override step(batch?: TokenBatch): TrainingStep {
    const call = 'step';
    const chosen = batch ?? this.nextBatch(call);
    if (chosen !== undefined) return this.stepOver(this.#batch(call, chosen));
    return this.run(call, (raw) => stepOf(raw.stepOnData()));
  }

  /**
   * The cost of a step over `sequences` sequences of `length` tokens, part by part, counted by the
   * core from formulas and sizes, not measured.
   *
   * @throws TrilError for a size below 1
   *
   * @example
   * ```ts
   * const model = { layers: 1, heads: 2, width: 16, context: 8, vocabulary: 30 };
   * const { forward, backward } = tril.trainer({ model }).cost(4, 8);
   * forward.flops; // 286944
   * backward.flops; // 567264
   * ```
   */
  cost(sequences: number, length: number): TrainingParts<PartCost> {
    const call = 'cost';
    const rows = integerOption(call, 'sequences', sequences, Number.NaN, 1);
    const tokens = integerOption(call, 'length', length, Number.NaN, 1);
    const found = this.run(call, (raw) => raw.cost(rows, tokens)) as number[];
    const part = (i: number) => ({ flops: found[2 * i]!, bytes: found[2 * i + 1]! });
    return { forward: part(0), backward: part(1), optimizer: part(2) };
  }

  /**
   * The mean loss of the last tenth of the data, which is not trained on, over at most 20 evenly
   * spaced batches; or the mean loss of a batch.
   *
   * @throws TrilError where the data is too short, or the batch does not fit the model
   *
   * @example
   * ```ts
   * const model = { layers: 1, heads: 2, width: 16, context: 8 };
   * const trainer = tril.trainer({ model, data: 'the cat sat on the mat. '.repeat(20) });
   * const { loss, counted } = trainer.evaluate();
   * counted; // 48
   * loss < 6; // true
   * trainer.evaluate({ tokens: [[1, 2]], targets: [[2, -100]] }).counted; // 1
   * ```
   */
  evaluate(batch?: TokenBatch): TrainingLoss {
    const call = 'evaluate';
    if (batch !== undefined) return this.lossOver(this.#batch(call, batch));
    return this.run(call, (raw) => lossOf(raw.evaluateOnData()));
  }

  #batch(call: string, batch: TokenBatch): RawBatches {
    checkKeys(call, 'batch', 'part', batch, ['tokens', 'targets']);
    const { context } = this.settings.model;
    const tokens = rowsOf(call, 'tokens', batch.tokens, context);
    const targets = rowsOf(call, 'targets', batch.targets, context);
    const [wanted, found] = [shapeText(tokens.shape), shapeText(targets.shape)];
    if (wanted !== found) {
      throw new TrilError(call, 'targets', `must have the shape of tokens, ${wanted}, is ${found}`);
    }
    return {
      tokens: joinedValues([tokens, targets]),
      sizes: Int32Array.of(tokens.rows, 0, tokens.shape.at(-1)!),
    };
  }
}
