import type { Context } from './context.js';
import { Learner } from './learner.js';
import { checkKeys, integerOption } from './names.js';
import type { RawSequenceTrainer } from './raw.js';
import type {
  SequenceBatches,
  SequenceTrainerSettings,
  TranslateOptions,
} from './sequence-trainer-types.js';
import { rawBatches, rawPair, rowsSaid } from './sequence-values.js';
import type { Tensor } from './tensor.js';
import type { TrainingLoss, TrainingStep } from './trainer-types.js';
import { rowsOf } from './trainer-values.js';
import type { NestedNumbers } from './values.js';

/**
 * An encoder-decoder in training, in the memory of one loaded module: `nn.Transformer` with embeddings
 * and sinusoidal positions before it and a head after it, as in Vaswani et al. 2017. Made by
 * `sequenceTrainer` of `tril/training`; its memory is freed by `dispose`, and at the end of a `using`
 * declaration or of a `tril.scope`.
 *
 * A step depends on the model, the moments, the settings, the batches and its number alone: a restored
 * trainer continues with the same bits, on any number of threads.
 */
export class SequenceTrainer extends Learner<
  RawSequenceTrainer,
  SequenceTrainerSettings,
  SequenceBatches
> {
  /** @internal Trainers of sequences are made by `sequenceTrainer`. */
  constructor(context: Context, raw: RawSequenceTrainer, batches?: Iterable<SequenceBatches>) {
    const problem = 'trainers of sequences are made by sequenceTrainer';
    super(context, raw, ['SequenceTrainer', problem], batches);
  }

  /**
   * One step over the next of `batches` or over the given ones: the mean loss of all labels that count,
   * its gradient, and an update by AdamW. The gradients of several batches are added up: each may have
   * its own lengths, and only the largest takes memory.
   *
   * @throws TrilError where there is no batch, or it does not fit the model, naming a number that is not
   * a token and its place; and where the loss or the gradient is not finite, naming the parameter.
   * Parameters and moments are then as they were before the step
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { sequenceTrainer } = await loadTril({ variant: 'simd' });
   * const sizes = { sourceVocabulary: 9, targetVocabulary: 9, width: 16, hidden: 32, context: 8 };
   * const trainer = sequenceTrainer({ model: { ...sizes, heads: 2 }, learningRate: 0.01, steps: 20 });
   * const batch = { source: [[3, 1, 2]], target: [[0, 2, 1]], labels: [[2, 1, 3]] };
   * const { step, loss, learningRate, tokens } = trainer.step(batch);
   * [step, learningRate, tokens]; // [0, 0.005, 6]
   * loss < 5; // true
   * const longer = { source: [4, 5, 6, 7, 8], target: [0, 8], labels: [8, -100] };
   * trainer.step([batch, longer]).tokens; // 13
   * trainer.step({ ...longer, labels: [8, 9] }); // throws TrilError: step: labels: 9 at [0, 1]
   * trainer.dispose();
   * ```
   */
  override step(batch?: SequenceBatches): TrainingStep {
    const call = 'step';
    const chosen = batch ?? this.nextBatch(call, 'there are none: give the step its own');
    return this.stepOver(rawBatches(call, chosen));
  }

  /**
   * The mean loss of a batch, or of several, without an update.
   *
   * @throws TrilError where one does not fit the model
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { sequenceTrainer } = await loadTril({ variant: 'simd' });
   * const sizes = { sourceVocabulary: 9, targetVocabulary: 9, width: 16, hidden: 32, context: 8 };
   * const trainer = sequenceTrainer({ model: { ...sizes, heads: 2 } });
   * trainer.evaluate({ source: [1, 2], target: [0, 2], labels: [2, -100] }).counted; // 1
   * trainer.dispose();
   * ```
   */
  evaluate(batch: SequenceBatches): TrainingLoss {
    return this.lossOver(rawBatches('evaluate', batch));
  }

  /**
   * The logits after each token of targets, `[B, T, V]`, or `[T, V]` for one source and one target.
   *
   * @throws TrilError where they do not fit the model
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { sequenceTrainer } = await loadTril({ variant: 'simd' });
   * const sizes = { sourceVocabulary: 9, targetVocabulary: 7, width: 16, hidden: 32, context: 8 };
   * const trainer = sequenceTrainer({ model: { ...sizes, heads: 2 } });
   * trainer.logits([[1, 2, 3]], [[0, 3]]).shape; // [1, 2, 7]
   * trainer.dispose();
   * ```
   */
  logits(source: NestedNumbers | Int32Array, target: NestedNumbers | Int32Array): Tensor {
    const call = 'logits';
    const { tokens, sizes, single } = rawPair(call, source, target);
    return this.run(call, (raw) => this.context.adopt(raw.logits(tokens, sizes, single)!));
  }

  /**
   * The model's output for a source `[S]`, or for each row of sources `[B, S]`, by greedy decoding:
   * token after token, the most likely one after all before it, without `begin` and `end`.
   *
   * @throws TrilError where sources do not fit the model, or an option is wrong
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { drawSequences, sequenceTrainer } = await loadTril({ variant: 'simd' });
   * const trainer = sequenceTrainer({
   *   model: {
   *     ...{ sourceVocabulary: 5, targetVocabulary: 5, context: 4, norm: 'pre' },
   *     ...{ encoderLayers: 1, decoderLayers: 1, heads: 2, width: 32, hidden: 64 },
   *   },
   *   ...{ learningRate: 0.01, steps: 200, seed: 1 },
   * });
   * for (let step = 0; step < 200; ++step) {
   *   trainer.step(drawSequences('reverse', { tokens: 4, vocabulary: 5, step }));
   * }
   * trainer.translate([1, 2, 2, 4]); // Int32Array.of(4, 2, 2, 1)
   * trainer.translate([[3, 3, 1, 2]], { tokens: 2 })[0]; // Int32Array.of(2, 1)
   * trainer.dispose();
   * ```
   */
  translate(source: readonly number[] | Int32Array, options?: TranslateOptions): Int32Array;
  translate(source: readonly (readonly number[])[], options?: TranslateOptions): Int32Array[];
  translate(source: NestedNumbers | Int32Array, options: TranslateOptions = {}) {
    const call = 'translate';
    checkKeys(call, 'options', 'option', options, ['begin', 'end', 'tokens']);
    const begin = integerOption(call, 'begin', options.begin, 0, 0);
    const end = integerOption(call, 'end', options.end, -1, options.end === undefined ? -1 : 0);
    const most = integerOption(
      call,
      'tokens',
      options.tokens,
      0,
      options.tokens === undefined ? 0 : 1,
    );
    const { values, shape, rows } = rowsOf(call, 'source', source);
    const said = this.run(call, (raw) => raw.translate(values, rows, begin, end, most));
    return shape.length > 1 ? rowsSaid(said) : rowsSaid(said)[0]!;
  }

  /** `SequenceTrainer 1 and 1 layers of 2 heads, width 16, 4000 parameters`. */
  override toString(): string {
    const { encoderLayers, decoderLayers, heads, width } = this.settings.model;
    const layers = `${encoderLayers} and ${decoderLayers} layers of ${heads} heads`;
    return `SequenceTrainer ${layers}, width ${width}, ${this.parameterCount} parameters`;
  }
}
