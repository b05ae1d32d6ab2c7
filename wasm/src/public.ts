// The common part of every entry, which adds its loadTril.
export type { LoadOptions, Tril } from './load.js';
export type { WasmSource } from './module.js';
export type { Bytes } from './kinds.js';
export { Tensor } from './tensor.js';
export type { Own } from './context.js';
export { TrilError, type Shapes } from './error.js';
export { detectFeatures, type Features } from './features.js';
export { chooseVariant, variants, type Variant, type Wish } from './variant.js';
export type { FloatArray, HalfArray, NestedNumbers, Values } from './values.js';
export { KeyValueCache, type KeyValueCacheSizes } from './key-value-cache.js';
export type { Operand } from './calls/arithmetic.js';
export type { AttentionBackwardOptions, AttentionGradients } from './calls/attention-backward.js';
export type { LayerGradients, NormBackwardOptions } from './calls/gradients.js';
export type {
  CrossEntropy,
  CrossEntropyOptions,
  LossOptions,
  SquaredError,
} from './calls/losses.js';
export type {
  AdditiveGradients,
  MultiHeadBackwardOptions,
  MultiHeadGradients,
} from './calls/attention-gradients.js';
export type {
  BlockGradients,
  DecoderBlockBackwardOptions,
  DecoderGradients,
  MaskGradientOption,
  TransformerBackwardOptions,
  TransformerBlockBackwardOptions,
  TransformerGradients,
} from './calls/block-gradients.js';
export type { GatedGradients, GatedOptions, MatmulGradients } from './calls/layer-gradients.js';
export type { DWeights, StateDict, WeightGradients } from './named-tensors.js';
export { Mask } from './calls/mask.js';
export type {
  DenseOptions,
  MaskTensorOptions,
  StridedOptions,
  WindowOptions,
} from './calls/mask.js';
export {
  attentionMethods,
  type AttentionDropout,
  type AttentionMethod,
  type AttentionOptions,
  type AttentionResult,
  type AttentionTrace,
  type DropoutOption,
  type KeyValue,
} from './calls/attention.js';
export type {
  AdditiveOptions,
  AdditiveResult,
  AdditiveTrace,
  AdditiveWeights,
  LinearAttentionOptions,
  LinearAttentionResult,
  LowRankOptions,
  LowRankResult,
} from './calls/efficient-attention.js';
export type { OnlineBlocks } from './calls/online-attention.js';
export type {
  AdditiveSizes,
  AttentionCost,
  AttentionCostOptions,
  AttentionSizes,
  Cost,
} from './calls/cost-types.js';
export type { AttentionCosts } from './calls/cost-attention.js';
export type { Rates } from './calls/rates.js';
export type { CompareOptions, Difference, Statistics } from './calls/measures.js';
export type { TriangularOptions } from './calls/matrices.js';
export type {
  MultiHeadOptions,
  MultiHeadResult,
  MultiHeadTrace,
  MultiHeadWeights,
} from './calls/multi-head-attention.js';
export {
  averageMethods,
  type AverageMethod,
  type RunningAverageOptions,
  type RunningAverageResult,
} from './calls/running-average.js';
export {
  matmulMethods,
  type BaseMatmulMethod,
  type MatmulMethod,
  type MatmulOptions,
} from './calls/matmul.js';
export type {
  NumpyType,
  SkippedEntry,
  StoredArray,
  StoredArrays,
  WriteOptions,
} from './calls/files.js';
export type { LayerNormOptions, RmsNormOptions } from './calls/norms.js';
export {
  activations,
  type Activation,
  type FeedForwardOptions,
  type FeedForwardResult,
  type FeedForwardTrace,
  type FeedForwardWeights,
  type GeluOptions,
} from './calls/feed-forward.js';
export type { OutOption, RotaryOptions, SinusoidalOptions } from './calls/layers.js';
export type { ArgmaxOptions, ReduceOptions } from './calls/reductions.js';
export type { JoinOptions, SliceRange, SplitOptions } from './calls/shapes.js';
export type { SoftmaxOptions } from './calls/softmax.js';
export type {
  BlockResult,
  DecoderBlockOptions,
  DecoderBlockTrace,
  DecoderBlockWeights,
  TransformerBlockOptions,
  TransformerBlockTrace,
  TransformerBlockWeights,
  TransformerOptions,
  TransformerTrace,
  TransformerWeights,
} from './calls/transformer-types.js';
export type { PreparedWeights } from './calls/weights.js';
export type { SavedArgument, SavedOption, SavedResult } from './saved.js';
export type { Learner } from './learner.js';
export type { OwnedObject } from './owned.js';
export type { TrainedModel } from './trained-model.js';
export { Trainer, type TrainerOptions } from './trainer.js';
export type {
  AdapterFiles,
  GenerateOptions,
  LoraSettings,
  ModelFiles,
  ModelSettings,
  Moments,
  PartCost,
  SampleOptions,
  TokenBatch,
  TrainerSettings,
  TrainerTextOptions,
  TrainerTrace,
  TrainingLoss,
  TrainingParts,
  TrainingSettings,
  TrainingStep,
} from './trainer-types.js';
export type { DrawOptions, GeneratedPart } from './generation-types.js';
export type { MemoryUse, RandomOptions, UniformOptions, WorkingMemory } from './calls/tensor.js';
