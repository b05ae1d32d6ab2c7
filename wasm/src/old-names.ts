// Old names of options and of parts of results, kept for one version beside the new ones.
import { TrilError } from './error.js';
import type { ModelTrace } from './model-types.js';

/**
 * The name under which a part is given: `now`, or `old`, its old name. The getters of `withOldNames` do not
 * count.
 *
 * @throws TrilError where it is given under both
 */
export function nameGiven<const Now extends string, const Old extends string>(
  call: string,
  parts: { readonly [Name in Now | Old]?: unknown },
  now: Now,
  old: Old,
  prefix = '',
): Now | Old {
  const isOld = Object.prototype.propertyIsEnumerable.call(parts, old);
  if (!isOld || parts[old] === undefined) return now;
  if (parts[now] === undefined) return old;
  throw new TrilError(call, `${prefix}${old}`, `is the old name of ${now}, which is given, too`);
}

/**
 * Adds getters to `made` with the old names of its parts. They are not enumerable, so that copies, comparisons
 * and other iterations meet each part once.
 */
export function withOldNames<Made extends object>(
  made: Made,
  names: Readonly<Record<string, keyof Made & string>>,
): Made {
  for (const [old, now] of Object.entries(names)) {
    Object.defineProperty(made, old, { get: () => made[now], configurable: true });
  }
  return made;
}

/** A trace of a model with the old names of its fields; its tensors may also be in a Worker. */
export function traceWithOldNames<Trace extends { readonly [Name in keyof ModelTrace]: unknown }>(
  trace: Trace,
): Trace {
  for (const layer of trace.layers as Record<string, unknown>[]) {
    withOldNames(layer, {
      ...{ normed1: 'ln1', attention: 'attnOut', between: 'residMid' },
      ...{ normed2: 'ln2', feedForward: 'mlpOut', out: 'residPost' },
    });
  }
  return withOldNames(trace, { finalNormed: 'lnFinal' });
}

/** A batch of sequences with the old name of its labels. */
export const batchWithOldNames = <Batch extends { readonly labels: unknown }>(
  batch: Batch,
): Batch => withOldNames(batch, { answers: 'labels' });
