// How long one call of the core takes, for the cost beside a figure.
import { Batch, batches } from './benchmark';

/** Milliseconds: what takes longer is timed once, so that the Worker is free again. */
const longest = 200;

/** Milliseconds: the median of five batches after a warm-up. Keeps the Worker busy for about a seventh of a second. */
export function millisecondsOf(call: () => void): number {
  const batch = new Batch(call);
  const first = batch.time();
  if (first > longest) return first;
  const times = Array.from({ length: batches }, () => batch.time()).sort((a, b) => a - b);
  return times[Math.floor(batches / 2)];
}
