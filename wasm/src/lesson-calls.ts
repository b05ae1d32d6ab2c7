// What a module of `tril/lessons` has besides the calls of every module. A factory that is listed here gives its calls to
// `LessonsTril`.
export { lessonCalls } from './calls/lessons.js';
export { onlineAttentionCalls } from './calls/online-attention.js';
export { singularValueCalls } from './calls/singular-values.js';
export { softmaxStepCalls } from './calls/softmax-steps.js';
