// How long one call of the core takes, for the cost beside a figure.
import { Batch, batches } from './benchmark';

/** Milliseconds: what takes longer is timed once, so that the Worker is free again. */
const longest = 200;

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];
}

/**
 * Milliseconds of each: the median of five batches after a warm-up. Those that are to be compared take turns, so that
 * whatever else the machine does hits all alike. Keeps the Worker busy for about a seventh of a second each.
 */
export function millisecondsOfEach(calls: readonly (() => void)[]): readonly number[] {
  const all = calls.map((call) => new Batch(call));
  const first = all.map((batch) => batch.time());
  if (Math.max(...first) > longest) return first;
  const turns = Array.from({ length: batches }, () => all.map((batch) => batch.time()));
  return all.map((_, i) => median(turns.map((turn) => turn[i])));
}

export const millisecondsOf = (call: () => void): number => millisecondsOfEach([call])[0];
