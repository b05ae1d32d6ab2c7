// Statistics of one subject's times: order statistics only, since the noise of a shared machine is one-sided and
// heavy-tailed.

/** The value below which the share `q` of the values lies, linear between neighbours. */
export function quantile(values, q) {
  if (values.length === 0) throw new RangeError('no values');
  const sorted = Float64Array.from(values).sort();
  const place = q * (sorted.length - 1);
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

/**
 * The statistics of times in ms: `median`; `best` and `worst`, the quartiles; `spread`, half of their difference
 * relative to the median.
 */
export function summary(times) {
  const [best, median, worst] = [0.25, 0.5, 0.75].map((q) => quantile(times, q));
  return { median, best, worst, spread: (worst - best) / 2 / median };
}

/** 10^9 floating-point operations per second. */
export const gflops = (flops, milliseconds) => flops / milliseconds / 1e6;

/** The subjects that shares refer to: the loop on registers alone, and the one that reads memory. */
export const isLimit = ({ subject }) => subject === 'peak' || subject === 'memory';

/**
 * The results of one case, measured in the same rounds, each with `median`, `best`, `worst`, `spread`; with counted
 * operations also `gflops` (of the median); and with a limit also `share` and `bestShare`, those of the medians and of
 * the best quartiles: shares of the peak, in counted operations (`flops`) or in the `needed` ones, or, with counted
 * `bytes`, of the speed of reading memory.
 */
export function evaluate(subjects) {
  const all = subjects.map((subject) => ({ ...subject, ...summary(subject.times) }));
  const peak = all.find(({ subject }) => subject === 'peak');
  const memory = all.find(({ subject }) => subject === 'memory');
  for (const each of all) {
    if (each.flops) {
      each.gflops = gflops(each.flops, each.median);
      each.bestGflops = gflops(each.flops, each.best);
    }
    const [limit, work, most] = each.bytes
      ? [memory, each.bytes, memory?.bytes]
      : [peak, each.flops ?? each.needed, peak?.flops];
    if (!limit || !work) continue;
    const threads = each.threads ?? 1;
    each.share = work / each.median / (most / limit.median) / threads;
    each.bestShare = work / each.best / (most / limit.best) / threads;
  }
  return all;
}
