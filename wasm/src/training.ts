/**
 * `tril` with what trains models: `loadTril` loads a module that is 187 kB larger, in which
 * `tril.trainer` works, the gradients of blocks and all that they are made of, `loadModel`,
 * `sequenceTrainer` and `wordVectors`.
 *
 * @module tril/training
 */
import { modelCalls } from './calls/model.js';
import { sequenceTrainerCalls } from './calls/sequence-trainer.js';
import { wordVectorCalls } from './calls/word-vectors.js';
import type { Context } from './context.js';
import { loadFrom, type LoadOptions, type Modules, type Tril } from './load.js';

export { Model } from './model.js';
export type {
  ForwardOptions,
  GeneratedPart,
  LoadModelOptions,
  ModelChanges,
  ModelForward,
  ModelParameters,
  ModelLayerTrace,
  ModelSource,
  ModelTraceOptions,
  Replacement,
  TextOptions,
  Without,
} from './model-types.js';
export { SequenceTrainer } from './sequence-trainer.js';
export type {
  DrawnSequences,
  DrawSequencesOptions,
  SequenceBatch,
  SequenceBatches,
  SequenceModelSettings,
  SequenceTrainerOptions,
  SequenceTrainerSettings,
  SequenceTrainingSettings,
  TranslateOptions,
} from './sequence-trainer-types.js';
export { WordVectors } from './word-vectors.js';
export type {
  WordNeighbour,
  WordText,
  WordVectorOptions,
  WordVectorSettings,
  WordVectorStep,
} from './word-vector-types.js';

/**
 * A loaded module with `loadModel`, for models that others have trained, `sequenceTrainer` and
 * `wordVectors`.
 */
export interface TrainingTril
  extends
    Tril,
    ReturnType<typeof modelCalls>,
    ReturnType<typeof sequenceTrainerCalls>,
    ReturnType<typeof wordVectorCalls> {}

const moreCalls = (context: Context) => ({
  ...modelCalls(context),
  ...sequenceTrainerCalls(context),
  ...wordVectorCalls(context),
});

const modules: Modules = {
  suffix: '-training',
  fetch: {
    simd: () => import('./generated/tril-simd-training.js'),
    relaxed: () => import('./generated/tril-relaxed-training.js'),
    'simd-threads': () => import('./generated/tril-simd-threads-training.js'),
    'relaxed-threads': () => import('./generated/tril-relaxed-threads-training.js'),
  },
};

/**
 * As `loadTril` of `tril`, with training.
 *
 * @throws TrilError as that
 *
 * @example
 * ```ts
 * import { loadTril } from 'tril/training';
 *
 * const tril = await loadTril({ variant: 'simd' });
 * const trainer = tril.trainer({ model: { layers: 1 }, data: 'both banks of the Mississippi. '.repeat(20) });
 * trainer.step().step; // 0
 * ```
 */
export function loadTril(options: LoadOptions = {}): Promise<TrainingTril> {
  return loadFrom(modules, options, moreCalls);
}
