/// <reference lib="esnext.disposable" preserve="true" />
import type { Context } from './context.js';
import { describe } from './describe.js';
import { TrilError } from './error.js';
import { OwnedObject } from './owned.js';
import type { RawSequenceTrainer } from './raw.js';
import type { SequenceTrainerSettings } from './sequence-trainer-types.js';
import type { Tensor } from './tensor.js';
import type { Moments } from './trainer-types.js';
import { checkBytes, checkParameterNames, settingsOf } from './trainer-values.js';

/** What a `SequenceTrainer` holds: settings, parameters, gradients and moments. */
export abstract class SequenceState extends OwnedObject implements Disposable {
  /** All settings, with what was not given. */
  readonly settings: SequenceTrainerSettings;
  /** How many numbers the model learns. */
  readonly parameterCount: number;
  readonly #context: Context;
  #raw: RawSequenceTrainer | undefined;

  /** @internal Trainers of sequences are made by `sequenceTrainer`. */
  constructor(context: Context, raw: RawSequenceTrainer) {
    super();
    const problem = 'trainers of sequences are made by sequenceTrainer';
    if (!raw) throw new TrilError('SequenceTrainer', 'options', problem);
    this.#context = context;
    this.#raw = raw;
    const settings: unknown = settingsOf(raw.settings());
    this.settings = Object.freeze(settings as SequenceTrainerSettings);
    this.parameterCount = raw.parameterCount();
  }

  /** @internal Behind a getter, since consoles print what is a property. */
  get context(): Context {
    return this.#context;
  }

  /** True once `dispose` was called: any further use throws. */
  get disposed(): boolean {
    return this.#raw === undefined;
  }

  /**
   * Copies of the parameters, all of them or those of these names: PyTorch's, as its tutorial "Language
   * Translation with nn.Transformer" has them.
   *
   * @throws TrilError for a name that there is not
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { sequenceTrainer } = await loadTril({ variant: 'simd' });
   * const sizes = { sourceVocabulary: 9, targetVocabulary: 7, width: 16, hidden: 32, context: 8 };
   * const trainer = sequenceTrainer({ model: { ...sizes, heads: 2 } });
   * trainer.parameters(['generator.weight'])['generator.weight']!.shape; // [7, 16]
   * Object.keys(trainer.parameters())[0]; // 'src_tok_emb.embedding.weight'
   * trainer.dispose();
   * ```
   */
  parameters(names: readonly string[] = []): Record<string, Tensor> {
    return this.#tensors('parameters', 'parameters', names);
  }

  /**
   * Copies of the gradients of the last step, before clipping, by the names of the parameters; 0
   * before the first.
   *
   * @throws TrilError for a name that there is not
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { sequenceTrainer } = await loadTril({ variant: 'simd' });
   * const sizes = { sourceVocabulary: 9, targetVocabulary: 7, width: 16, hidden: 32, context: 8 };
   * const trainer = sequenceTrainer({ model: { ...sizes, heads: 2 } });
   * const { gradientNorm } = trainer.step({ source: [1, 2], target: [0, 2], answers: [2, 1] });
   * const gradients = Object.values(trainer.gradients()).flatMap((each) => [...each.read()]);
   * Math.abs(Math.hypot(...gradients) / gradientNorm - 1) < 1e-5; // true
   * trainer.dispose();
   * ```
   */
  gradients(names: readonly string[] = []): Record<string, Tensor> {
    return this.#tensors('gradients', 'gradients', names);
  }

  /**
   * Copies of AdamW's moments, by the names of the parameters.
   *
   * @throws TrilError for a name that there is not
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { sequenceTrainer } = await loadTril({ variant: 'simd' });
   * const sizes = { sourceVocabulary: 9, targetVocabulary: 7, width: 16, hidden: 32, context: 8 };
   * const trainer = sequenceTrainer({ model: { ...sizes, heads: 2 } });
   * const { first, second } = trainer.moments(['generator.bias']);
   * [first['generator.bias']!.shape, Object.keys(second)]; // [[7], ['generator.bias']]
   * trainer.dispose();
   * ```
   */
  moments(names: readonly string[] = []): Moments {
    return {
      first: this.#tensors('moments', 'first', names),
      second: this.#tensors('moments', 'second', names),
    };
  }

  /**
   * Puts copies of these in the place of the parameters of these names. Moments and the number of steps
   * stay.
   *
   * @throws TrilError for a name that there is not, or another shape than the parameter's; nothing
   * changes then
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { sequenceTrainer, zeros } = await loadTril({ variant: 'simd' });
   * const sizes = { sourceVocabulary: 9, targetVocabulary: 7, width: 16, hidden: 32, context: 8 };
   * const trainer = sequenceTrainer({ model: { ...sizes, heads: 2 } });
   * trainer.setParameters({ 'generator.weight': zeros([7, 16]), 'generator.bias': zeros([7]) });
   * trainer.evaluate({ source: [1], target: [0], answers: [3] }).loss; // 1.9459
   * trainer.dispose();
   * ```
   */
  setParameters(values: Readonly<Record<string, Tensor>>): this {
    const call = 'setParameters';
    if (typeof values !== 'object' || values === null || Array.isArray(values)) {
      throw new TrilError(call, 'values', `must be an object, is ${describe(values)}`);
    }
    this.run(call, (raw) =>
      this.#context.runWithWeights(call, values, {}, (_, state) =>
        raw.setParameters(Object.keys(state), state),
      ),
    );
    return this;
  }

  /**
   * A checkpoint: the bytes of a .safetensors file of parameters and moments, with all settings and
   * the number of steps. `sequenceTrainer({ checkpoint })` makes a trainer that goes on from it.
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { drawSequences, sequenceTrainer } = await loadTril({ variant: 'simd' });
   * const sizes = { sourceVocabulary: 9, targetVocabulary: 9, width: 16, hidden: 32, context: 6 };
   * const trainer = sequenceTrainer({ model: { ...sizes, heads: 2 } });
   * trainer.step(drawSequences('reverse'));
   * const copy = sequenceTrainer({ checkpoint: trainer.save() });
   * copy.done; // 1
   * const next = drawSequences('reverse', { step: 1 });
   * copy.step(next).loss === trainer.step(next).loss; // true
   * copy.dispose();
   * trainer.dispose();
   * ```
   */
  save(): Uint8Array {
    return this.run('save', (raw) => raw.save());
  }

  /**
   * Puts this trainer where the one was whose checkpoint this is. What is not in one is how far
   * `batches` have gone.
   *
   * @throws TrilError where it is no checkpoint, or one of another model or other settings; nothing
   * changes then
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { drawSequences, sequenceTrainer } = await loadTril({ variant: 'simd' });
   * const sizes = { sourceVocabulary: 9, targetVocabulary: 9, width: 16, hidden: 32, context: 6 };
   * const trainer = sequenceTrainer({ model: { ...sizes, heads: 2 } });
   * const start = trainer.save();
   * const { loss } = trainer.step(drawSequences('sort'));
   * trainer.restore(start).step(drawSequences('sort')).loss === loss; // true
   * trainer.dispose();
   * ```
   */
  restore(checkpoint: Uint8Array): this {
    const bytes = checkBytes('restore', 'checkpoint', checkpoint);
    this.run('restore', (raw) => raw.restore(bytes));
    return this;
  }

  /**
   * Gives the memory back. Any later use throws; disposing again does nothing.
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { sequenceTrainer } = await loadTril({ variant: 'simd' });
   * const sizes = { sourceVocabulary: 9, targetVocabulary: 9, width: 16, hidden: 32, context: 6 };
   * const trainer = sequenceTrainer({ model: { ...sizes, heads: 2 } });
   * trainer.dispose();
   * trainer.disposed; // true
   * trainer.save(); // throws TrilError: save: trainer: has been disposed
   * ```
   */
  override dispose(): void {
    if (!this.#raw) return;
    this.#context.release(this, this.#raw);
    this.#raw = undefined;
  }

  /** What `using` calls at the end of a block. */
  declare [Symbol.dispose]: () => void;

  /** `SequenceTrainer 1 and 1 layers of 2 heads, width 16, 4000 parameters`. */
  override toString(): string {
    const { encoderLayers, decoderLayers, heads, width } = this.settings.model;
    const layers = `${encoderLayers} and ${decoderLayers} layers of ${heads} heads`;
    return `SequenceTrainer ${layers}, width ${width}, ${this.parameterCount} parameters`;
  }

  /** @internal */
  protected run<Result>(call: string, compute: (raw: RawSequenceTrainer) => Result): Result {
    const raw = this.#raw;
    if (raw) return this.#context.run(call, {}, () => compute(raw));
    throw new TrilError(call, 'trainer', `has been disposed; it was ${String(this)}`);
  }

  #tensors(call: string, which: string, names: readonly string[]): Record<string, Tensor> {
    const list = checkParameterNames(call, names);
    return this.run(call, (raw) => this.#context.adoptAll(raw.tensors(which, list)));
  }
}

// Engines without `using` have no Symbol.dispose either.
if (Symbol.dispose) SequenceState.prototype[Symbol.dispose] = SequenceState.prototype.dispose;
