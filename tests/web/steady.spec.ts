// Times on a busy machine: disturbances are noticed, and the times measured again. The test runs in Node, with a clock
// of its own.
import type { LessonsTril as Tril } from 'tril/lessons';
import type { Session } from '../../web/src/compute/worker/answers.ts';
import { batches, Batch } from '../../web/src/compute/worker/batch.ts';
import { compete, type Contest } from '../../web/src/compute/worker/benchmark.ts';
import type { Measured, Said } from '../../web/src/compute/shared/measure-protocol.ts';
import { timeOfEach } from '../../web/src/compute/worker/timing.ts';
import { expect, test } from '@playwright/test';

/** A simulated machine. Time passes only in its calls: `slower` times the duration on an idle machine. */
class Machine {
  now = 0;
  /** The number of calls so far. */
  calls = 0;

  constructor(readonly slower: (machine: Machine) => number = () => 1) {}

  readonly clock = () => this.now;

  work(milliseconds: number): void {
    this.now += milliseconds * this.slower(this);
    this.calls += 1;
  }
}

const peakFlops = 1e9;
const peakMilliseconds = 25;
/** The duration of one product, chosen so that a batch is one call. */
const productMilliseconds = (n: number) => 30 * (n / 16) ** 3;

/** Measures two ways of multiplying, of which the first takes twice as long; returns its messages in order. */
async function competeOn(
  machine: Machine,
  sizes = [16, 32, 64],
  brief = false,
): Promise<Said<'products'>[]> {
  const core = {
    scope: (work: () => unknown) => work(),
    runPeak: () => {
      machine.work(peakMilliseconds);
      return peakFlops;
    },
    cost: { gigaflops: (flops: number, milliseconds: number) => flops / milliseconds / 1e6 },
  } as unknown as Tril;
  const contest: Contest<'products'> = {
    growth: () => 3,
    prepare: (_, runners, n) => ({
      tensors: [],
      contenders: runners.map((runner) => ({
        runner,
        call: () => machine.work(productMilliseconds(n) * (runner === 'ijk' ? 2 : 1)),
        facts: (milliseconds) => ({ gigaflops: 1 / milliseconds, own: 1 / milliseconds }),
      })),
    }),
  };
  const said: Said<'products'>[] = [];
  const session: Session<Said<'products'>> = {
    say: (message) => said.push(message),
    turn: () => Promise.resolve(),
    told: () => [],
    next: () => Promise.reject(new Error('nothing is told')),
    signal: new AbortController().signal,
  };
  const plan = { runners: ['ijk', 'tiled'] as const, sizes, longest: Infinity, brief };
  await compete(core, plan, contest, session, machine.clock);
  return said;
}

const measuredOf = (said: readonly Said<'products'>[]) =>
  said.flatMap((message) => (message.kind === 'measured' ? [message.measured] : []));
const againAt = (said: readonly Said<'products'>[]) => [
  ...new Set(said.flatMap((one) => (one.kind === 'progress' && one.again ? [one.n] : []))),
];

function expectQuietTimes(all: readonly Measured[]): void {
  for (const { n, runner, median, least, most, steady } of all) {
    const expected = productMilliseconds(n) * (runner === 'ijk' ? 2 : 1);
    expect([median, least, most], `${runner} ${n}`).toEqual([
      expect.closeTo(expected, 6),
      expect.closeTo(expected, 6),
      expect.closeTo(expected, 6),
    ]);
    expect(steady).toBe(true);
  }
}

test('a quiet machine: each size once, every time steady, one peak', async () => {
  const said = await competeOn(new Machine());
  expect(measuredOf(said)).toHaveLength(6);
  expectQuietTimes(measuredOf(said));
  expect(againAt(said)).toEqual([]);
  expect(said.filter(({ kind }) => kind === 'peak')).toEqual([{ kind: 'peak', gigaflops: 40 }]);
});

test('what is disturbed for a while is taken again, and then right', async () => {
  // After the ten batches of the peak and two warm-ups, the first round at n = 16 is disturbed: every second call takes
  // three times as long.
  const first = 2 * batches + 2;
  const machine = new Machine(({ calls }) =>
    calls >= first && calls < first + 3 * batches && calls % 2 === 0 ? 3 : 1,
  );
  const said = await competeOn(machine);
  expect(againAt(said)).toEqual([16]);
  expectQuietTimes(measuredOf(said));
});

test('a machine that is evenly slower at one size is noticed by what should take as long at each', async () => {
  const machine: Machine = new Machine(({ now }) => (now > 900 && now < 3000 ? 2 : 1));
  const said = await competeOn(machine);
  expect(againAt(said).length).toBeGreaterThan(0);
  expectQuietTimes(measuredOf(said));
});

test('a machine that is never quiet: three rounds, and it is said', async () => {
  const machine = new Machine(({ calls }) => [1, 2.5, 1.7, 2.2][calls % 4]);
  const said = await competeOn(machine, [16]);
  const measured = measuredOf(said);
  expect(measured.map(({ steady }) => steady)).toEqual([false, false]);
  for (const { median, least, most } of measured) {
    expect(least).toBeLessThanOrEqual(median);
    expect(median).toBeLessThanOrEqual(most);
  }
  const turns = said.filter((one) => one.kind === 'progress');
  expect(turns).toHaveLength(3 * 2 * batches);
});

test('a first look has fewer turns, no warm-up, and one more try', async () => {
  const quiet = new Machine();
  const said = await competeOn(quiet, [16, 32, 64], true);
  expectQuietTimes(measuredOf(said));
  expect(quiet.calls).toBe(2 * 3 + 3 * 3 * (1 + 2)); // the peak, then at each size its yardstick and both ways
  const restless = new Machine(({ calls }) => [1, 2.5, 1.7, 2.2][calls % 4]);
  const rough = await competeOn(restless, [16], true);
  expect(measuredOf(rough).some(({ steady }) => !steady)).toBe(true);
  expect(rough.filter((one) => one.kind === 'progress')).toHaveLength(2 * 2 * 3);
});

test('a short batch is filled as a long one is', () => {
  const machine = new Machine();
  const batch = new Batch(() => machine.work(0.01), machine.clock, 1.5);
  expect(batch.time()).toBeCloseTo(0.01);
  const before = machine.now;
  batch.time();
  expect(machine.now - before).toBeGreaterThanOrEqual(1.5);
  expect(machine.now - before).toBeLessThan(3);
});

test('a peak that was measured too low is put right', async () => {
  const machine = new Machine(({ calls }) => (calls < 2 * batches ? 1.5 : 1));
  const said = await competeOn(machine);
  const peaks = said.flatMap((one) => (one.kind === 'peak' ? [one.gigaflops] : []));
  expect(peaks).toEqual([expect.closeTo(40 / 1.5), 40]);
});

test('times of single calls say whether they are steady, and can be taken again', () => {
  const quiet = new Machine();
  expect(timeOfEach([() => quiet.work(1)], { clock: quiet.clock })).toEqual([
    { milliseconds: expect.closeTo(1), steady: true },
  ]);
  const uneven = (machine: Machine) => (machine.now < 400 ? [1, 2, 4][machine.calls % 3] : 1);
  const once = new Machine(uneven);
  const [rough] = timeOfEach([() => once.work(25)], { clock: once.clock });
  expect(rough.steady).toBe(false);
  const again = new Machine(uneven);
  const [right] = timeOfEach([() => again.work(25)], { clock: again.clock, tries: 3 });
  expect(right).toEqual({ milliseconds: expect.closeTo(25), steady: true });
  // A long call is timed twice.
  const slow = new Machine();
  expect(timeOfEach([() => slow.work(300)], { clock: slow.clock, tries: 3 })[0].steady).toBe(true);
  expect(slow.calls).toBe(2);
});

test('a batch has as many calls as fill its time', () => {
  const machine = new Machine();
  const batch = new Batch(() => machine.work(0.01), machine.clock);
  expect(batch.time()).toBeCloseTo(0.01);
  const before = machine.calls;
  batch.time();
  expect(machine.calls - before).toBeGreaterThanOrEqual(2000);
});
