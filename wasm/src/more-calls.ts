import { callsOf, type TrainingCalls } from './calls.js';
import type { Context } from './context.js';
import * as training from './training-calls.js';

/** What modules with training have besides the calls of every module. */
export const moreCalls = (context: Context): TrainingCalls =>
  callsOf(training, context) as TrainingCalls;
