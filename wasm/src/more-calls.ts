import { modelCalls } from './calls/model.js';
import { sequenceTrainerCalls } from './calls/sequence-trainer.js';
import { tokenizerCalls } from './calls/tokenizer.js';
import { wordVectorCalls } from './calls/word-vectors.js';
import type { Context } from './context.js';

/** What modules with training have besides the calls of every module. */
export const moreCalls = (context: Context) => ({
  ...modelCalls(context),
  ...sequenceTrainerCalls(context),
  ...tokenizerCalls(context),
  ...wordVectorCalls(context),
});
