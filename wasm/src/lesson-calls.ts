// The calls that a module of `tril/lessons` adds or takes more options in. A factory listed here gives its calls to
// `LessonsTril`.
export { lessonCalls } from './calls/lessons.js';
export { lessonMatmulCalls } from './calls/matmul.js';
export { onlineAttentionCalls } from './calls/online-attention.js';
export { singularValueCalls } from './calls/singular-values.js';
export { softmaxStepCalls } from './calls/softmax-steps.js';
