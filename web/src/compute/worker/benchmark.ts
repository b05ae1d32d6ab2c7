// Times calls, each in batches (batch.ts), after a warm-up. Contenders take turns at each size, so that other activity
// of the machine affects all alike. A yardstick, whose duration is the same at every size, takes turns with them: if it
// is slower than before, or a contender's times differ, the turns at that size are repeated.
import type { Tensor } from 'tril';
import type { LessonsTril as Tril } from 'tril/lessons';
import type { Session } from './answers';
import { Batch, batches, usually, type Clock } from './batch';
import type { Measured, Plan, Said, Subject, Subjects } from '../shared/measure-protocol';
import { median, steadyUpTo, unrest } from '../shared/steady';

/** A participant at one size, ready to be called. */
interface Contender<S extends Subject> {
  readonly runner: Subjects[S]['runner'];
  readonly call: () => void;
  /** Further facts, given the time of one call. */
  readonly facts: (milliseconds: number) => Subjects[S]['facts'];
}

/** All participants at one size, and their tensors. */
interface Ready<S extends Subject> {
  readonly contenders: readonly Contender<S>[];
  readonly tensors: readonly Tensor[];
}

export interface Contest<S extends Subject> {
  /** The work of one call grows with size to this power. */
  readonly growth: (runner: Subjects[S]['runner']) => number;
  readonly prepare: (tril: Tril, runners: readonly Subjects[S]['runner'][], n: number) => Ready<S>;
}

/** Milliseconds of a batch, number of batches at each size, and maximum number of repetitions of these turns. */
const thorough = { milliseconds: 20, turns: batches, rounds: 3 };
const brief = { milliseconds: 1.5, turns: 3, rounds: 2 };
/** A call longer than this many batches is made once per turn, in fewer turns, without a warm-up. */
const long = 10;

/**
 * The peak that speeds are compared with: multiply-adds of the processor in registers alone. The fastest batch counts.
 */
class Yardstick {
  shortest = Infinity;
  #flops = 0;
  readonly #batch: Batch;
  readonly #tril: Tril;

  constructor(tril: Tril, clock: Clock, milliseconds: number) {
    this.#tril = tril;
    const run = () => void (this.#flops = tril.runPeak(1 << 16));
    this.#batch = new Batch(run, clock, milliseconds);
  }

  time(): number {
    const milliseconds = this.#batch.time();
    this.shortest = Math.min(this.shortest, milliseconds);
    return milliseconds;
  }

  get gigaflops(): number {
    return this.#tril.cost.gigaflops(this.#flops, this.shortest);
  }
}

/** The times of one round, of each participant and of the yardstick. */
interface Round {
  readonly each: readonly number[][];
  readonly yard: readonly number[];
}

export async function compete<S extends Subject>(
  tril: Tril,
  plan: Plan<S>,
  { growth, prepare }: Contest<S>,
  session: Session<Said<S>>,
  clock: Clock = () => performance.now(),
): Promise<void> {
  type Runner = Subjects[S]['runner'];
  const { runners, sizes, longest } = plan;
  const { milliseconds, turns: most, rounds } = plan.brief ? brief : thorough;
  const usual = usually(milliseconds);
  const begin = clock();
  const last = new Map<Runner, Measured<S>>();
  /** Expected milliseconds of one call, by the previous size. */
  const expected = (runner: Runner, n: number) => {
    const before = last.get(runner);
    return before ? before.median * (n / before.n) ** growth(runner) : 0;
  };
  const isLong = (runner: Runner, n: number) => expected(runner, n) > long * usual;
  const turnsOf = (runner: Runner, n: number) => (isLong(runner, n) ? 3 : most);
  /** Milliseconds for all sizes from n on, after the first `turns` turns of this one. */
  const remaining = (n: number, turns: number) => {
    let sum = 0;
    for (const size of sizes.filter((one) => one >= n)) {
      for (const runner of runners.filter((one) => expected(one, size) <= longest)) {
        const left = Math.max(0, turnsOf(runner, size) - (size === n ? turns : 0));
        sum += left * Math.max(expected(runner, size), usual);
      }
    }
    return sum;
  };

  const yardstick = new Yardstick(tril, clock, milliseconds);
  let said = 0;
  const sayPeak = () => {
    if (yardstick.gigaflops > said) {
      said = yardstick.gigaflops;
      session.say({ kind: 'peak', gigaflops: said });
    }
  };
  for (let turn = 0; turn < 2 * most; ++turn) {
    await session.turn();
    yardstick.time();
  }
  sayPeak();

  type Ready = { readonly runner: Runner; readonly batch: Batch };
  async function round(n: number, ready: readonly Ready[], again: boolean): Promise<Round> {
    const [each, yard] = [ready.map(() => [] as number[]), [] as number[]];
    for (let turn = 0; turn < most; ++turn) {
      yard.push(yardstick.time());
      for (const [i, { runner, batch }] of ready.entries()) {
        if (turn >= turnsOf(runner, n)) continue;
        const rest = remaining(n, turn + 1);
        const elapsed = clock() - begin;
        const done = elapsed / (elapsed + rest);
        session.say({ kind: 'progress', done, runner, n, remaining: rest, again });
        await session.turn();
        each[i].push(batch.time());
      }
    }
    return { each, yard };
  }
  /**
   * Unsteadiness of a round for each participant: the slowness of the machine, or the variation of its own times if
   * that is larger.
   */
  const unrestOf = ({ each, yard }: Round) => {
    const machine = unrest(yard, yardstick.shortest);
    return each.map((times) => Math.max(machine, unrest(times)));
  };
  const worst = (one: Round) => Math.max(...unrestOf(one));

  for (const n of sizes) {
    const going = runners.filter((runner) => expected(runner, n) <= longest);
    for (const runner of runners) {
      if (!going.includes(runner)) session.say({ kind: 'skipped', runner, n });
    }
    if (going.length === 0) continue;
    const { contenders, tensors } = tril.scope(() => prepare(tril, going, n));
    try {
      const ready = contenders.map(({ runner, call }) => ({
        runner,
        batch: new Batch(call, clock, milliseconds),
      }));
      for (const { runner, batch } of ready) {
        await session.turn();
        if (!plan.brief && !isLong(runner, n)) batch.time(); // the warm-up
      }
      const taken: Round[] = [];
      do taken.push(await round(n, ready, taken.length > 0));
      while (taken.length < rounds && worst(taken[taken.length - 1]) > steadyUpTo);
      const best = taken.reduce((one, other) => (worst(other) < worst(one) ? other : one));
      const unsteady = unrestOf(best);
      for (const [i, { runner, facts }] of contenders.entries()) {
        const times = best.each[i];
        const measured = tril.scope((): Measured<S> => ({
          ...{ runner, n, median: median(times), steady: unsteady[i] <= steadyUpTo },
          ...{ least: Math.min(...times), most: Math.max(...times) },
          ...facts(median(times)),
        }));
        last.set(runner, measured);
        session.say({ kind: 'measured', measured });
      }
      sayPeak();
    } finally {
      for (const tensor of tensors) tensor.dispose();
    }
  }
}
