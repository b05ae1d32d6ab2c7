// Times calls. Every number is the median of batches that last 20 ms or more, after a warm-up; who is
// compared takes turns at each size, so that whatever else the machine does hits all alike.
import type { Tensor, Tril } from 'tril';
import type { Session } from './answers';
import type { Measured, Plan, Said, Subject, Subjects } from './measure-protocol';

const batchMilliseconds = 20;
export const batches = 5;

/** One who takes part, at one size, ready to be called. */
export interface Contender<S extends Subject> {
  readonly runner: Subjects[S]['runner'];
  readonly call: () => void;
  /** What else is to be said, the time of one call being known. */
  readonly facts: (milliseconds: number) => Subjects[S]['facts'];
}

/** All who take part at one size, and the tensors that they work on. */
export interface Ready<S extends Subject> {
  readonly contenders: readonly Contender<S>[];
  readonly tensors: readonly Tensor[];
}

export interface Contest<S extends Subject> {
  /** The work of one call grows with size to this power. */
  readonly growth: (runner: Subjects[S]['runner']) => number;
  readonly prepare: (tril: Tril, runners: readonly Subjects[S]['runner'][], n: number) => Ready<S>;
}

/** Milliseconds that so many calls take. */
function timed(call: () => void, calls: number): number {
  const begin = performance.now();
  for (let i = 0; i < calls; ++i) call();
  return performance.now() - begin;
}

/** A batch: as many calls as fill its time. What is too short is not counted, and done with more calls. */
export class Batch {
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

function summary<S extends Subject>(
  { runner, facts }: Contender<S>,
  n: number,
  times: number[],
): Measured<S> {
  times.sort((x, y) => x - y);
  const median = times[Math.floor(times.length / 2)];
  return { runner, n, median, least: times[0], most: times[times.length - 1], ...facts(median) };
}

export async function compete<S extends Subject>(
  tril: Tril,
  { runners, sizes, longest }: Plan<S>,
  { growth, prepare }: Contest<S>,
  session: Session<Said<S>>,
): Promise<void> {
  type Runner = Subjects[S]['runner'];
  const begin = performance.now();
  const last = new Map<Runner, Measured<S>>();
  /** Milliseconds of one call, by what is known of the size before. */
  const expected = (runner: Runner, n: number) => {
    const before = last.get(runner);
    return before ? before.median * (n / before.n) ** growth(runner) : 0;
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
      if (!going.includes(runner)) session.say({ kind: 'skipped', runner, n });
    }
    const { contenders, tensors } = tril.scope(() => prepare(tril, going, n));
    try {
      const ready = contenders.map((contender) => ({
        ...{ contender, batch: new Batch(contender.call), times: [] as number[] },
      }));
      for (const { contender, batch } of ready) {
        await session.turn();
        if (!isLong(contender.runner, n)) batch.time(); // the warm-up
      }
      for (let turn = 0; turn < batches; ++turn) {
        for (const { contender, batch, times } of ready) {
          const { runner } = contender;
          if (turn >= turnsOf(runner, n)) continue;
          const rest = remaining(n, turn + 1);
          const elapsed = performance.now() - begin;
          const done = elapsed / (elapsed + rest);
          session.say({ kind: 'progress', done, runner, n, remaining: rest });
          await session.turn();
          times.push(batch.time());
        }
      }
      for (const { contender, times } of ready) {
        const measured = tril.scope(() => summary(contender, n, times));
        last.set(contender.runner, measured);
        session.say({ kind: 'measured', measured });
      }
    } finally {
      for (const tensor of tensors) tensor.dispose();
    }
  }
}
