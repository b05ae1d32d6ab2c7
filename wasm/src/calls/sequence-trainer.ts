import type { Context } from '../context.js';
import { checkKeys, integerOption, stringOption } from '../names.js';
import { batchWithOldNames } from '../old-names.js';
import { SequenceTrainer } from '../sequence-trainer.js';
import type {
  DrawnSequences,
  DrawSequencesOptions,
  SequenceTrainerOptions,
} from '../sequence-trainer-types.js';
import { checkSeed } from './tensor.js';
import { checkBatches, checkpointGiven, settingsGiven, type Kind } from './trainer.js';

const modelKinds: Record<string, Kind> = {
  ...{ sourceVocabulary: 'count', targetVocabulary: 'count', context: 'count' },
  ...{ encoderLayers: 'count', decoderLayers: 'count', heads: 'count' },
  ...{ width: 'count', hidden: 'count', norm: 'name', activation: 'name', eps: 'number' },
  ...{ dropout: 'number', positions: 'name', gated: 'flag' },
};
const trainingKinds: Record<string, Kind> = {
  ...{ learningRate: 'number', lowestRate: 'number', warmup: 'count', steps: 'count' },
  ...{ beta1: 'number', beta2: 'number', eps: 'number', weightDecay: 'number' },
  ...{ clip: 'number', seed: 'seed' },
};

export const sequenceTrainerCalls = (context: Context) => ({
  /**
   * An encoder-decoder from sequence to sequence (Vaswani et al. 2017), with its trainer: `nn.Transformer` with embeddings and
   * positions before it and a head after it, initialised as its authors do. All sequences of a batch have one length.
   * `model.dropout` applies to embeddings, attention weights, activations and the outputs of sublayers, in steps only.
   *
   * @throws TrilError for settings that do not fit, a checkpoint of other settings, and where memory runs out; nothing has been
   * done then
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { drawSequences, sequenceTrainer } = await loadTril({ variant: 'simd' });
   * const sizes = { sourceVocabulary: 9, targetVocabulary: 9, context: 6, width: 32, hidden: 64 };
   * const model = { ...sizes, encoderLayers: 1, decoderLayers: 1, heads: 2, norm: 'pre' } as const;
   * const trainer = sequenceTrainer({ model, learningRate: 0.005, steps: 60, seed: 1 });
   * const batch = (step: number) => drawSequences('reverse', { tokens: 6, vocabulary: 9, step });
   * const losses = Array.from({ length: 60 }, (_, step) => trainer.step(batch(step)).loss);
   * losses[59]! < losses[0]! - 0.5; // true
   * trainer.settings.beta2; // 0.98
   * trainer.dispose();
   * sequenceTrainer({ model: { ...model, heads: 3 } }); // throws TrilError: sequenceTrainer: heads: 3 does not divide width 32
   * ```
   */
  sequenceTrainer(options: SequenceTrainerOptions = {}): SequenceTrainer {
    const call = 'sequenceTrainer';
    const names = ['model', 'batches', 'checkpoint', ...Object.keys(trainingKinds)];
    checkKeys(call, 'options', 'option', options, names);
    const { model = {}, batches, checkpoint } = options;
    checkKeys(call, 'model', 'setting', model, Object.keys(modelKinds));
    const settings = [
      ...settingsGiven(call, 'model.', model, modelKinds),
      ...settingsGiven(call, 'trainer.', options, trainingKinds),
    ];
    const file = checkpointGiven(call, checkpoint);
    checkBatches(batches, undefined, call);
    return context.run(call, {}, () => {
      const made = context.training(call)._sequenceTrainer(context.engine, settings, file)!;
      return context.own(new SequenceTrainer(context, made, batches));
    });
  },

  /**
   * A batch of a task with known answers, so that a trained model can be checked: to reverse a sequence,
   * or to sort it. The same seed and step give the same batch, as in the core.
   *
   * @throws TrilError for an unknown task, and for sizes below 1
   *
   * @example
   * ```ts
   * import { loadTril } from 'tril/training';
   *
   * const { drawSequences } = await loadTril({ variant: 'simd' });
   * const { source, target, labels } = drawSequences('reverse', { batch: 1, tokens: 3 });
   * labels[0]; // [...source[0]!].reverse()
   * target[0]; // [0, labels[0]![0], labels[0]![1]]
   * drawSequences('shuffle' as 'sort'); // throws TrilError: drawSequences: task: unknown task "shuffle"
   * ```
   */
  drawSequences(task: 'reverse' | 'sort', options: DrawSequencesOptions = {}): DrawnSequences {
    const call = 'drawSequences';
    checkKeys(call, 'options', 'option', options, [
      ...['batch', 'tokens', 'vocabulary', 'seed', 'step'],
    ]);
    const name = stringOption(call, 'task', task, '');
    const rows = integerOption(call, 'batch', options.batch, 32, 1);
    const tokens = integerOption(call, 'tokens', options.tokens, 6, 1);
    const vocabulary = integerOption(call, 'vocabulary', options.vocabulary, 9, 2);
    const seed = options.seed === undefined ? 1 : checkSeed(call, options.seed);
    const step = integerOption(call, 'step', options.step, 0, 0);
    const drawn = context.run(call, {}, () =>
      context.training(call)._drawSequences(name, rows, tokens, vocabulary, seed, step),
    );
    const part = (n: number) =>
      Array.from({ length: rows }, (_, row) => [
        ...drawn.subarray((n * rows + row) * tokens, (n * rows + row + 1) * tokens),
      ]);
    const batch = { source: part(0), target: part(1), labels: part(2) };
    return batchWithOldNames(batch) as DrawnSequences;
  },
});
