// The calls that a module of `tril/training` adds or takes more options in. A factory listed here gives its
// calls to `TrainingTril`.
export { trainingAttentionCalls } from './calls/attention.js';
export { attentionGradientCalls } from './calls/attention-gradients.js';
export { blockGradientCalls } from './calls/block-gradients.js';
export { trainingAttentionBackwardCalls } from './calls/attention-backward.js';
export { encoderCalls } from './calls/encoder.js';
export { layerGradientCalls } from './calls/layer-gradients.js';
export { modelCalls } from './calls/model.js';
export { trainingMultiHeadCalls } from './calls/multi-head-attention.js';
export { samplingCalls } from './calls/sampling.js';
export { sequenceTrainerCalls } from './calls/sequence-trainer.js';
export { tokenizerCalls } from './calls/tokenizer.js';
export { trainerCalls } from './calls/trainer.js';
export { trainingTransformerCalls } from './calls/transformer.js';
export { wordVectorCalls } from './calls/word-vectors.js';
