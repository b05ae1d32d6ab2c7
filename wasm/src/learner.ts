import type { Context } from './context.js';
import { describe } from './describe.js';
import { TrilError, afterSteps } from './error.js';
import { integerOption } from './names.js';
import { OwnedObject } from './owned.js';
import type { RawLearner } from './raw.js';
import type { Tensor } from './tensor.js';
import type { Moments, TrainingLoss, TrainingStep } from './trainer-types.js';
import { checkBytes, checkParameterNames, lossOf, settingsOf, stepOf } from './trainer-values.js';
import type { RawBatches } from './trainer-values.js';
import type { WordVectorStep } from './word-vector-types.js';

/**
 * Takes steps one by one: a number of them, or one over each batch of a list. An error carries the reports of the
 * steps before it.
 */
export function* eachStep<Step extends TrainingStep | WordVectorStep, Batch>(
  count: number | readonly Batch[],
  step: (batch?: Batch) => Step,
): Generator<Step, void, undefined> {
  const batches = Array.isArray(count) ? (count as readonly Batch[]) : undefined;
  const all = batches?.length ?? integerOption('steps', 'count', count as number, Number.NaN, 0);
  const reports: Step[] = [];
  while (reports.length < all) {
    try {
      reports.push(step(batches?.[reports.length]));
    } catch (error) {
      throw afterSteps(error, reports);
    }
    yield reports.at(-1)!;
  }
}

/** The base of all trainers of models: settings, parameters, gradients and moments, in the memory of a module. */
export abstract class Learner<Raw extends RawLearner, Settings, Batch> extends OwnedObject<
  Raw,
  Context
> {
  /** All settings, with defaults. */
  readonly settings: Settings;
  /** The number of trained parameters: the model's, or, with `lora`, the adapter's. */
  readonly parameterCount: number;
  readonly #batches: Iterator<Batch> | undefined;

  /** @internal Trainers are made by calls; `refusal` names the class and the call. */
  constructor(
    context: Context,
    raw: Raw,
    refusal: readonly [name: string, problem: string],
    batches?: Iterable<Batch>,
  ) {
    super(context, raw, 'trainer', [refusal[0], 'options', refusal[1]]);
    this.#batches = batches?.[Symbol.iterator]();
    const settings: unknown = settingsOf(raw.settings());
    this.settings = Object.freeze(settings as Settings);
    this.parameterCount = raw.parameterCount();
  }

  /** The number of steps done. */
  get done(): number {
    return this.run('done', (raw) => raw.done());
  }

  /** Makes one step. */
  abstract step(batch?: Batch): TrainingStep;

  /**
   * Makes a number of steps, or one over each batch of a list.
   *
   * @throws TrilError as `step`; the steps before the failed one are done, and their reports are the error's
   * `steps`
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { drawSequences, sequenceTrainer, trainer } = await loadTril({ variant: 'simd' });
   * const model = { layers: 1, heads: 2, width: 16, context: 8 };
   * const learner = trainer({ model, data: 'abcdefgh'.repeat(30), learningRate: 0.01, steps: 60 });
   * const losses = learner.steps(60).map(({ loss }) => loss);
   * losses[0]! > 5 && losses[59]! < 2; // true
   * learner.done; // 60
   * const sizes = { sourceVocabulary: 9, targetVocabulary: 9, width: 16, hidden: 32, context: 6 };
   * const batches = [0, 1, 2].map((step) => drawSequences('sort', { step }));
   * const sorter = sequenceTrainer({ model: { ...sizes, heads: 2, encoderLayers: 1, decoderLayers: 1 }, batches });
   * sorter.steps(2).map(({ step }) => step); // [0, 1]
   * sorter.steps(batches).length; // 3
   * sorter.steps(2); // throws TrilError: step: batches: there are no more
   * learner.dispose();
   * sorter.dispose();
   * ```
   */
  steps(count: number | readonly Batch[]): TrainingStep[] {
    return [...this.each(count)];
  }

  /** @internal The reports of `steps`, one by one. */
  each(count: number | readonly Batch[]): Generator<TrainingStep, void, undefined> {
    return eachStep(count, (batch?: Batch) => this.step(batch));
  }

  /**
   * Copies of the parameters, all of them or those with these names: as in the files of the model's
   * family, or, for an encoder-decoder, as in PyTorch's tutorial "Language Translation with
   * nn.Transformer".
   *
   * @throws TrilError for an unknown name
   *
   * @example
   * ```ts
   * const model = { layers: 2, heads: 2, width: 16, context: 8, vocabulary: 30 };
   * const trainer = tril.trainer({ model });
   * trainer.parameters(['wte.weight'])['wte.weight']!.shape; // [30, 16]
   * Object.keys(trainer.parameters()).slice(0, 3); // ['wte.weight', 'wpe.weight', 'h.0.ln_1.weight']
   * ```
   */
  parameters(names: readonly string[] = []): Record<string, Tensor> {
    return this.#tensors('parameters', 'parameters', names);
  }

  /**
   * Copies of the gradients of the last step, before clipping, by the names of the parameters; 0
   * before the first.
   *
   * @throws TrilError for an unknown name
   *
   * @example
   * ```ts
   * const model = { layers: 1, heads: 2, width: 16, context: 8, vocabulary: 30 };
   * const trainer = tril.trainer({ model });
   * const { gradientNorm } = trainer.step({ tokens: [[1, 2, 3]], targets: [[2, 3, 4]] });
   * const gradients = Object.values(trainer.gradients()).flatMap((each) => [...each.read()]);
   * Math.abs(Math.hypot(...gradients) - gradientNorm) < 1e-5; // true
   * ```
   */
  gradients(names: readonly string[] = []): Record<string, Tensor> {
    return this.#tensors('gradients', 'gradients', names);
  }

  /**
   * Copies of AdamW's moments, by the names of the parameters: running averages of the gradients and
   * of their squares. The first moment of SGD is the momentum.
   *
   * @throws TrilError for an unknown name
   *
   * @example
   * ```ts
   * const model = { layers: 1, heads: 2, width: 16, context: 8, vocabulary: 30 };
   * const trainer = tril.trainer({ model });
   * const { first, second } = trainer.moments(['h.0.attn.c_attn.weight']);
   * first['h.0.attn.c_attn.weight']!.shape; // [16, 48]
   * Object.keys(second); // ['h.0.attn.c_attn.weight']
   * ```
   */
  moments(names: readonly string[] = []): Moments {
    return {
      first: this.#tensors('moments', 'first', names),
      second: this.#tensors('moments', 'second', names),
    };
  }

  /**
   * Replaces the parameters with these names by copies of the tensors, for other initial values or
   * to ablate a head. Moments and the number of steps stay.
   *
   * @throws TrilError for an unknown name, and for another shape than the parameter's; nothing
   * changes then
   *
   * @example
   * ```ts
   * const model = { layers: 1, heads: 2, width: 16, context: 8, vocabulary: 30 };
   * const trainer = tril.trainer({ model });
   * const positions = tril.multiply(tril.randomNormal([8, 16], { seed: 1 }), 0.1);
   * trainer.setParameters({ 'wpe.weight': positions });
   * tril.compare(trainer.parameters(['wpe.weight'])['wpe.weight']!, positions).maxAbsolute; // 0
   * ```
   */
  setParameters(values: Readonly<Record<string, Tensor>>): this {
    const call = 'setParameters';
    if (typeof values !== 'object' || values === null || Array.isArray(values)) {
      throw new TrilError(call, 'values', `must be an object, is ${describe(values)}`);
    }
    this.run(call, (raw) =>
      this.context.runWithWeights(call, values, {}, (_, state) =>
        raw.setParameters(Object.keys(state), state),
      ),
    );
    return this;
  }

  /**
   * A checkpoint: the bytes of a .safetensors file of parameters and moments, with all settings and the
   * number of steps. `tril.trainer({ checkpoint, data })`, or `sequenceTrainer({ checkpoint })`, makes a
   * trainer that resumes from it.
   *
   * @example
   * ```ts
   * const model = { layers: 1, heads: 2, width: 16, context: 8 };
   * const data = 'the cat sat on the mat. '.repeat(20);
   * const trainer = tril.trainer({ model, data });
   * trainer.steps(2);
   * const copy = tril.trainer({ checkpoint: trainer.save(), data });
   * copy.done; // 2
   * copy.step().loss === trainer.step().loss; // true
   * ```
   */
  save(): Uint8Array {
    return this.run('save', (raw) => raw.save());
  }

  /**
   * Restores the state of the trainer that saved this checkpoint. A checkpoint does not hold the
   * position in `batches`.
   *
   * @throws TrilError where it is not a checkpoint, or belongs to another model, other settings or
   * other data; nothing changes then
   *
   * @example
   * ```ts
   * const model = { layers: 1, heads: 2, width: 16, context: 8 };
   * const trainer = tril.trainer({ model, data: 'the cat sat on the mat. '.repeat(20) });
   * const start = trainer.save();
   * const { loss } = trainer.step();
   * trainer.restore(start).step().loss === loss; // true
   * ```
   */
  restore(checkpoint: Uint8Array): this {
    const bytes = checkBytes('restore', 'checkpoint', checkpoint);
    this.run('restore', (raw) => raw.restore(bytes));
    return this;
  }

  /** @internal */
  protected override get wasWhat(): string {
    return `; it was ${String(this)}`;
  }

  /** @internal The next of its batches; undefined without batches. Throws `problem` where they have ended. */
  protected nextBatch(call: string, problem?: string): Batch | undefined {
    if (!this.#batches && !problem) return undefined;
    this.run(call, () => {}); // before one is taken that nobody will see
    const { done, value } = this.#batches?.next() ?? { done: true };
    if (done) throw new TrilError(call, 'batches', this.#batches ? 'there are no more' : problem!);
    return value as Batch;
  }

  /** @internal One step over these batches. */
  protected stepOver({ tokens, sizes }: RawBatches): TrainingStep {
    return this.run('step', (raw) => stepOf(raw.step(tokens, sizes)));
  }

  /** @internal The mean loss of these batches. */
  protected lossOver({ tokens, sizes }: RawBatches): TrainingLoss {
    return this.run('evaluate', (raw) => lossOf(raw.evaluate(tokens, sizes)));
  }

  #tensors(call: string, which: string, names: readonly string[]): Record<string, Tensor> {
    const list = checkParameterNames(call, names);
    return this.run(call, (raw) => this.context.adoptAll(raw.tensors(which, list)));
  }
}
