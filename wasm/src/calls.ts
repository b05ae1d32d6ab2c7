import { tensorCalls } from './calls/tensor.js';
import type { Context } from './context.js';

/** Everything that can be called on a loaded module. */
export const calls = (context: Context) => ({
  ...tensorCalls(context),
});
