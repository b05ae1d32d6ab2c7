// Times products of n x n matrices. Every number is the median of batches that last 20 ms or more, after a
// warm-up; methods take turns at each size, so that whatever else the machine does hits them alike.
import { loadTril, type Tril } from 'tril';
import type { FromMeasuring, Measured, Plan, Runner } from './measure-protocol';

const batchMilliseconds = 20;
const batches = 5;

function say(message: FromMeasuring): void {
  self.postMessage(message);
}

/** The subject of the comparison, not a part of the page's computing: loops as anyone would write them. */
function multiplyInJavaScript(
  a: Float32Array,
  b: Float32Array,
  out: Float32Array,
  n: number,
): void {
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < n; ++j) {
      let sum = 0;
      for (let k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      out[i * n + j] = sum;
    }
  }
}

/** Milliseconds of one call, over as many as fill a batch. */
function timed(call: () => void, calls: number): number {
  const begin = performance.now();
  for (let i = 0; i < calls; ++i) call();
  return (performance.now() - begin) / calls;
}

/** How many calls fill a batch; running them is the warm-up. */
function callsFor(call: () => void): number {
  for (let calls = 1; ; calls *= 2) {
    const each = timed(call, calls);
    if (each * calls >= batchMilliseconds / 2)
      return Math.max(1, Math.ceil(batchMilliseconds / each));
  }
}

/** The highest of five batches: whatever disturbs only makes it lower. */
function peak(tril: Tril): number {
  let rounds = 1 << 16;
  while (timed(() => void tril.runPeak(rounds), 1) < 2 * batchMilliseconds) rounds *= 2;
  let best = 0;
  for (let i = 0; i < 2 * batches; ++i) {
    let flops = 0;
    const milliseconds = timed(() => void (flops = tril.runPeak(rounds)), 1);
    best = Math.max(best, flops / milliseconds / 1e6);
  }
  return best;
}

/** A product of fresh matrices by every runner, ready to be called. */
function products(tril: Tril, runners: readonly Runner[], n: number) {
  const a = tril.randomNormal([n, n], { seed: n });
  const b = tril.randomNormal([n, n], { seed: n + 1 });
  const out = tril.zeros([n, n]);
  const [plainA, plainB, plainOut] = [a.read(), b.read(), out.read()];
  return runners.map((runner) => ({
    runner,
    call:
      runner === 'javascript'
        ? () => multiplyInJavaScript(plainA, plainB, plainOut, n)
        : () => void tril.matmul(a, b, { method: runner, out }),
  }));
}

function summary(runner: Runner, n: number, times: number[]): Measured {
  times.sort((x, y) => x - y);
  const median = times[Math.floor(times.length / 2)];
  const gigaflops = (2 * n ** 3) / median / 1e6;
  return { runner, n, median, least: times[0], most: times[times.length - 1], gigaflops };
}

function measure(tril: Tril, { runners, sizes, longest }: Plan): void {
  say({ kind: 'peak', gigaflops: peak(tril) });
  const last = new Map<Runner, Measured>();
  const expected = (runner: Runner, n: number) => {
    const before = last.get(runner);
    return before ? before.median * (n / before.n) ** 3 : 0;
  };
  /** Milliseconds that this size and all larger ones will take, by what is known of the last one. */
  const remaining = (from: number) => {
    let sum = 0;
    for (const n of sizes.filter((size) => size >= from)) {
      for (const runner of runners) {
        const one = expected(runner, n);
        if (one <= longest) sum += Math.max(3 * one, (batches + 2) * batchMilliseconds);
      }
    }
    return sum;
  };
  let done = 0;
  const total = sizes.length * runners.length;
  for (const n of sizes) {
    const going = runners.filter((runner) => {
      const goes = expected(runner, n) <= longest;
      if (!goes) {
        say({ kind: 'skipped', runner, n });
        done += 1;
      }
      return goes;
    });
    tril.scope(() => {
      const ready = products(tril, going, n).map(({ runner, call }) => {
        say({ kind: 'progress', done: done++ / total, runner, n, remaining: remaining(n) });
        const long = expected(runner, n) > 10 * batchMilliseconds;
        return { runner, call, calls: long ? 1 : callsFor(call), times: [] as number[], long };
      });
      for (let turn = 0; turn < batches; ++turn) {
        for (const { call, calls, times, long } of ready) {
          if (!long || turn < 3) times.push(timed(call, calls));
        }
      }
      for (const { runner, times } of ready) {
        const measured = summary(runner, n, times);
        last.set(runner, measured);
        say({ kind: 'measured', measured });
      }
    });
  }
}

self.addEventListener('message', async ({ data }: MessageEvent<Plan>) => {
  try {
    const tril = await loadTril();
    say({ kind: 'loaded', variant: tril.variant });
    measure(tril, data);
    say({ kind: 'finished' });
  } catch (error) {
    say({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
});
