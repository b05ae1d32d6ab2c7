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

/** Milliseconds that so many calls take. */
function timed(call: () => void, calls: number): number {
  const begin = performance.now();
  for (let i = 0; i < calls; ++i) call();
  return performance.now() - begin;
}

/** A batch: as many calls as fill its time. What is too short is not counted, and done with more calls. */
class Batch {
  #calls = 1;

  constructor(readonly call: () => void) {}

  /** Milliseconds of one call. */
  time(): number {
    for (;;) {
      const elapsed = timed(this.call, this.#calls);
      if (elapsed >= batchMilliseconds) return elapsed / this.#calls;
      const growth = elapsed > 1 ? (1.2 * batchMilliseconds) / elapsed : 16;
      this.#calls = Math.ceil(this.#calls * Math.max(1.2, Math.min(16, growth)));
    }
  }
}

/** The highest of ten batches: whatever disturbs only makes it lower. */
function peak(tril: Tril): number {
  let flops = 0;
  const batch = new Batch(() => void (flops = tril.runPeak(1 << 16)));
  const times = Array.from({ length: 2 * batches }, () => batch.time());
  return flops / Math.min(...times) / 1e6;
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
  const begin = performance.now();
  say({ kind: 'peak', gigaflops: peak(tril) });
  const last = new Map<Runner, Measured>();
  /** One product, by what is known of the size before: the work grows with n^3. */
  const expected = (runner: Runner, n: number) => {
    const before = last.get(runner);
    return before ? before.median * (n / before.n) ** 3 : 0;
  };
  const isLong = (runner: Runner, n: number) => expected(runner, n) > 10 * batchMilliseconds;
  const turnsOf = (runner: Runner, n: number) => (isLong(runner, n) ? 3 : batches + 2);
  /** Milliseconds that all sizes from n on will take, this one's first `turns` being over. */
  const remaining = (n: number, turns: number) => {
    let sum = 0;
    for (const size of sizes.filter((one) => one >= n)) {
      for (const runner of runners.filter((one) => expected(one, size) <= longest)) {
        const left = Math.max(0, turnsOf(runner, size) - (size === n ? turns : 0));
        sum += left * Math.max(expected(runner, size), 1.2 * batchMilliseconds);
      }
    }
    return sum;
  };
  for (const n of sizes) {
    const going = runners.filter((runner) => expected(runner, n) <= longest);
    for (const runner of runners) {
      if (!going.includes(runner)) say({ kind: 'skipped', runner, n });
    }
    tril.scope(() => {
      const ready = products(tril, going, n).map(({ runner, call }) => {
        const batch = new Batch(call);
        if (!isLong(runner, n)) batch.time(); // the warm-up
        return { runner, batch, times: [] as number[] };
      });
      for (let turn = 0; turn < batches; ++turn) {
        for (const { runner, batch, times } of ready) {
          if (turn >= turnsOf(runner, n)) continue;
          const rest = remaining(n, turn + 1);
          const elapsed = performance.now() - begin;
          say({ kind: 'progress', done: elapsed / (elapsed + rest), runner, n, remaining: rest });
          times.push(batch.time());
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
