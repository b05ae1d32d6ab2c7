// Duration of one call of the core, for the cost beside a figure.
import { Batch, batches, type Clock } from './batch';
import { timeOf, type Time } from '../shared/steady';

/** Milliseconds: a longer call is timed only twice, so that the Worker is free again. */
const longest = 200;

interface Options {
  /** Maximum number of tries while times are unsteady. */
  readonly tries?: number;
  readonly clock?: Clock;
}

/**
 * The time of each call: the median of five batches after a warm-up. Calls that are compared take turns, so that other
 * activity of the machine affects all alike. Each keeps the Worker busy for about a seventh of a second.
 */
export function timeOfEach(
  calls: readonly (() => void)[],
  { tries = 1, clock }: Options = {},
): readonly Time[] {
  const all = calls.map((call) => new Batch(call, clock));
  const first = all.map((batch) => batch.time());
  const long = Math.max(...first) > longest;
  const once = () => all.map((batch) => batch.time());
  for (let left = tries; ; --left) {
    const turns = long ? [first, once()] : Array.from({ length: batches }, once);
    const times = all.map((_, i) => timeOf(turns.map((turn) => turn[i])));
    if (long || left <= 1 || times.every(({ steady }) => steady)) return times;
  }
}
