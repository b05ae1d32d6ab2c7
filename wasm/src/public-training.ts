// The common part of every entry with training, which adds its loadTril.
import type { TrainingCalls } from './calls.js';
import type { Tril } from './load.js';

export { DecodingSession, type SessionOptions } from './decoding-session.js';
export { Encoder, type EncodedTokens, type EncoderSettings } from './encoder.js';
export type { LoadedModel } from './loaded-model.js';
export { Model } from './model.js';
export type {
  ForwardOptions,
  LoadModelOptions,
  ModelAttention,
  ModelFile,
  Interventions,
  ModelChanges,
  ModelForward,
  ModelParameters,
  ModelLayerTrace,
  ModelSource,
  ModelTrace,
  ModelTraceOptions,
  Replacement,
  TextEvaluation,
  TextOptions,
  Without,
} from './model-types.js';
export type { SamplingOptions } from './calls/sampling.js';
export type { DrawOptions, GeneratedPart } from './generation-types.js';
export { Tokenizer, type EncodeOptions, type EncodedText } from './tokenizer.js';
export type { TokenizerSource } from './calls/tokenizer.js';
export { SequenceTrainer } from './sequence-trainer.js';
export type {
  DrawnSequences,
  DrawSequencesOptions,
  OldSequenceBatch,
  SequenceBatch,
  SequenceBatches,
  SequenceModelSettings,
  SequenceTrainerOptions,
  SequenceTrainerSettings,
  SequenceTrainingSettings,
  TranslateOptions,
} from './sequence-trainer-types.js';
export { Trainer } from './trainer.js';
export { WordVectors } from './word-vectors.js';
export type {
  WordNeighbour,
  WordText,
  WordVectorOptions,
  WordVectorSettings,
  WordVectorStep,
} from './word-vector-types.js';

/**
 * A loaded module with training: `trainer`, `sequenceTrainer`, `wordVectors` and the gradients of blocks and their
 * parts; and with `loadModel` and `loadEncoder`, for models trained elsewhere. All else is as in {@link Tril}, except
 * that some calls take more options: `attention` takes `dropout`, and blocks take `saved`.
 */
export interface TrainingTril extends Omit<Tril, keyof TrainingCalls>, TrainingCalls {}
