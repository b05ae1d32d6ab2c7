// What is said about the times of one subject: order statistics only, since the noise of a shared
// machine is one-sided and heavy-tailed.

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
 * Of times in ms: `median`; `best` and `worst`, the quartiles; `spread`, half of what lies between
 * these as a share of the median.
 */
export function summary(times) {
  const [best, median, worst] = [0.25, 0.5, 0.75].map((q) => quantile(times, q));
  return { median, best, worst, spread: (worst - best) / 2 / median };
}

/** 10^9 floating-point operations per second. */
export const gflops = (flops, milliseconds) => flops / milliseconds / 1e6;

/** What shares are of: the loop on registers alone, and the one that reads memory. */
export const isLimit = ({ subject }) => subject === 'peak' || subject === 'memory';

/**
 * The results of one case, measured in the same rounds, each with `median`, `best`, `worst`,
 * `spread`; where operations are counted, `gflops` (of the median); and where there is something to
 * divide by, `share` and `bestShare`, those of the medians and those of the best quartiles: of the
 * peak, in counted operations (`flops`) or in those that are `needed`, or, where `bytes` are counted,
 * of the speed at which as many are read.
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
