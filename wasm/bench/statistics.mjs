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

/**
 * The results of one case, measured in the same rounds, each with `median`, `best`, `worst`,
 * `spread`; and, where there is something to divide by, `gflops` (of the median) and `share` and
 * `bestShare` of the peak: those of the medians, and those of the best quartiles.
 */
export function evaluate(subjects) {
  const all = subjects.map((subject) => ({ ...subject, ...summary(subject.times) }));
  const peak = all.find(({ subject }) => subject === 'peak');
  for (const each of all) {
    if (!each.flops) continue;
    each.gflops = gflops(each.flops, each.median);
    each.bestGflops = gflops(each.flops, each.best);
    if (!peak) continue;
    const threads = each.threads ?? 1;
    each.share = each.gflops / gflops(peak.flops, peak.median) / threads;
    each.bestShare = each.bestGflops / gflops(peak.flops, peak.best) / threads;
  }
  return all;
}
