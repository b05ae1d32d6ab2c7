import { callsOf, type TrainingCalls } from './calls.js';
import type { Context } from './context.js';
import * as training from './training-calls.js';

/** The calls that modules with training add to those of every module. */
export const moreCalls = (context: Context): TrainingCalls =>
  callsOf(training, context) as TrainingCalls;
