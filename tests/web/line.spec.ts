// The channel between the page and its Worker: every question ends with an answer or a reason, also when the Worker
// fails; sessions stream, queue their commands, and can be cancelled. The test runs in Node, with Workers that are made
// to fail.
import type { Session } from '../../web/src/compute/worker/answers.ts';
import { common } from '../../web/src/compute/page/common.ts';
import { Jobs, type FromWorker, type ToWorker } from '../../web/src/compute/worker/jobs.ts';
import { Line, type Outcome, type WorkerLike } from '../../web/src/compute/page/line.ts';
import { expect, test } from '@playwright/test';

type Work = (ask: never, session: Session<unknown, unknown>) => unknown;

/** A Worker in this thread: messages take a turn of the event loop each way, as between threads. */
class Fake implements WorkerLike {
  onmessage: WorkerLike['onmessage'] = null;
  onerror: WorkerLike['onerror'] = null;
  onmessageerror: WorkerLike['onmessageerror'] = null;
  gone = false;
  readonly #jobs: Jobs;

  constructor(kinds: Record<string, Work>) {
    const say = (data: FromWorker) =>
      setImmediate(() => !this.gone && this.onmessage?.({ data } as MessageEvent));
    const explain = (error: unknown) => ({ message: (error as Error).message });
    this.#jobs = new Jobs((kind, ask, session) => kinds[kind](ask as never, session), say, explain);
    say({ what: 'loaded', loaded: { variant: 'fake', threads: 1, milliseconds: 1 } });
  }

  postMessage(message: unknown): void {
    setImmediate(() => !this.gone && this.#jobs.hear(structuredClone(message) as ToWorker));
  }

  terminate(): void {
    this.gone = true;
  }

  fail(message: string): void {
    this.onerror?.({ message, preventDefault() {} } as ErrorEvent);
  }
}

/** A channel to such Workers, and all outcomes on it. */
function lineTo(kinds: Record<string, Work>, made: (worker: Fake) => void = () => {}) {
  const { start, workers } = starter(kinds, made);
  return { workers, ...lineFrom(start) };
}

function starter(kinds: Record<string, Work>, made: (worker: Fake) => void = () => {}) {
  const workers: Fake[] = [];
  const start = () => {
    const worker = new Fake(kinds);
    workers.push(worker);
    made(worker);
    return worker;
  };
  return { start, workers };
}

function lineFrom(start: (again: boolean) => WorkerLike) {
  const line = new Line(start);
  const begin = (kind: string, ask: unknown, said?: (message: unknown) => void, holds = false) => {
    let begun!: ReturnType<Line['begin']>;
    const outcome = new Promise<Outcome>((hear) => {
      begun = line.begin(kind, ask, hear, said ?? null, holds);
    });
    return { outcome, ...begun };
  };
  return { line, begin };
}

const turns = async (count = 5) => {
  for (let turn = 0; turn < count; ++turn) await new Promise((done) => setImmediate(done));
};
const never: Work = () => new Promise(() => {});

test('questions are answered in order, and a refusal has its reason', async () => {
  const { begin, line } = lineTo({
    double: (one: number) => 2 * one,
    refuse() {
      throw new Error('matmul: b: has the wrong shape');
    },
  });
  const all = await Promise.all(
    [begin('double', 21), begin('refuse', 0)].map((one) => one.outcome),
  );
  expect(all[0]).toEqual({ what: 'answer', answer: 42 });
  expect(all[1]).toMatchObject({
    what: 'failed',
    failure: { message: 'matmul: b: has the wrong shape' },
  });
  expect([line.busy, line.loaded?.variant, line.failure]).toEqual([false, 'fake', null]);
});

test('nobody waits for a session that only holds something, and it hears that its Worker has failed', async () => {
  let held = 0;
  const hold: Work = async (_, session) => {
    held += 1;
    try {
      session.say(held);
      for (;;) await session.next();
    } finally {
      held -= 1;
    }
  };
  const { begin, workers, line } = lineTo({ hold, double: (one: number) => 2 * one });
  const said: unknown[] = [];
  const first = begin('hold', 0, (message) => said.push(message), true);
  expect(await begin('double', 21).outcome).toEqual({ what: 'answer', answer: 42 });
  expect([said, held, line.busy]).toEqual([[1], 1, false]);
  first.cancel();
  expect(await first.outcome).toEqual({ what: 'cancelled' });
  await turns();
  expect(held).toBe(0);
  const second = begin('hold', 0, (message) => said.push(message), true);
  await turns();
  workers[0].fail('out of memory');
  expect(await second.outcome).toEqual({ what: 'failed', failure: { message: 'out of memory' } });
  expect([workers.length, line.busy, line.failure]).toEqual([1, false, null]);
});

test('a Worker that fails is started again once, and asked again', async () => {
  let alive = false;
  const { begin, workers, line } = lineTo({ ask: () => (alive ? 'here' : new Promise(() => {})) });
  const waiting = begin('ask', 0);
  await turns();
  alive = true;
  workers[0].fail('out of memory');
  expect(await waiting.outcome).toEqual({ what: 'answer', answer: 'here' });
  expect([workers.length, workers[0].gone, line.failure]).toEqual([2, true, null]);
  // The last try succeeded: the next failure gets a second try of its own.
  alive = false;
  const later = begin('ask', 0);
  await turns();
  alive = true;
  workers[1].fail('out of memory');
  expect(await later.outcome).toEqual({ what: 'answer', answer: 'here' });
  expect(workers).toHaveLength(3);
});

test('the second one hears nothing of what the first still says', async () => {
  const { begin, workers, line } = lineTo({
    ask: async () => (await turns(), workers.length === 1 ? new Promise(() => {}) : 'here'),
  });
  const waiting = begin('ask', 0);
  await turns();
  // A nested Worker's failure arrives twice: as its own, and rethrown by its parent.
  workers[0].fail('first');
  workers[0].fail('and again');
  expect(await waiting.outcome).toEqual({ what: 'answer', answer: 'here' });
  expect([workers.length, line.failure]).toEqual([2, null]);
});

test('after the second failure all is settled, and nothing is begun until it is tried again', async () => {
  const { begin, workers, line } = lineTo({ ask: never, double: (one: number) => 2 * one });
  const waiting = [begin('ask', 1), begin('ask', 2)];
  await turns();
  workers[0].fail('first');
  await turns();
  workers[1].fail('second');
  const reason = { what: 'failed', failure: { message: 'second' } };
  expect(await Promise.all(waiting.map((one) => one.outcome))).toEqual([reason, reason]);
  expect(await begin('ask', 3).outcome).toEqual(reason);
  await turns();
  expect([workers.length, line.busy, line.failure?.message]).toEqual([2, false, 'second']);

  line.tryAgain();
  expect(await begin('double', 4).outcome).toEqual({ what: 'answer', answer: 8 });
  expect([workers.length, line.failure]).toEqual([3, null]);
});

test('a Worker that cannot be started at all is settled, too', async () => {
  const { begin, workers } = lineTo({}, (worker) => setImmediate(() => worker.fail('no script')));
  expect(await begin('ask', 1).outcome).toEqual({
    what: 'failed',
    failure: { message: 'no script' },
  });
  expect(workers).toHaveLength(2);
});

test('a module that broke within a call is loaded again; who broke it is told why', async () => {
  const { begin, workers } = lineTo({
    trap() {
      throw new WebAssembly.RuntimeError('unreachable');
    },
    ask: async () => {
      if (workers.length === 1) await new Promise(() => {});
      return 'here';
    },
  });
  const [broken, other] = [begin('trap', 0), begin('ask', 0)];
  expect(await broken.outcome).toMatchObject({
    what: 'failed',
    failure: { message: 'unreachable' },
  });
  expect(await other.outcome).toEqual({ what: 'answer', answer: 'here' });
  expect(workers).toHaveLength(2);
});

/** Adds up its commands and reports every sum; ends at 0. */
const adding: Work = async (from: number, session) => {
  let sum = from;
  for (let told = await session.next(); told !== 0; told = await session.next()) {
    sum += told as number;
    session.say(sum);
  }
  return sum;
};

test('a session streams, and holds its state between what it is told', async () => {
  const { begin } = lineTo({ adding });
  const said: unknown[] = [];
  const one = begin('adding', 100, (message) => said.push(message));
  const other = begin('adding', 1000, () => {});
  for (const number of [1, 2, 3]) {
    one.tell(number as never);
    other.tell((10 * number) as never);
  }
  one.tell(0 as never);
  expect(await one.outcome).toEqual({ what: 'answer', answer: 106 });
  expect(said).toEqual([101, 103, 106]);
  other.tell(0 as never);
  expect(await other.outcome).toEqual({ what: 'answer', answer: 1060 });
});

test('a session gives others their turn, is cancelled at once, and tidies up', async () => {
  let [pieces, tidied] = [0, 0];
  const { begin, line } = lineTo({
    double: (one: number) => 2 * one,
    long: async (_: never, session) => {
      try {
        for (;;) {
          session.say(++pieces);
          await session.turn();
        }
      } finally {
        ++tidied;
      }
    },
    adding: async (from: never, session) => {
      try {
        return await adding(from, session);
      } finally {
        ++tidied;
      }
    },
  });
  const said: unknown[] = [];
  const long = begin('long', 0, (message) => said.push(message));
  const waits = begin('adding', 0, () => {});
  expect(await begin('double', 3).outcome).toEqual({ what: 'answer', answer: 6 });
  expect(said.length).toBeGreaterThan(0);
  long.cancel();
  waits.cancel();
  const heard = said.length;
  expect(await long.outcome).toEqual({ what: 'cancelled' });
  expect(await waits.outcome).toEqual({ what: 'cancelled' });
  expect(line.busy).toBe(false);
  await turns(10);
  const done = pieces;
  await turns(10);
  expect([pieces, tidied, said.length]).toEqual([done, 2, heard]);
});

test('a session whose Worker fails ends with the reason: what it held is lost', async () => {
  const { begin, workers } = lineTo({ adding, ask: () => 'here' });
  const session = begin('adding', 5, () => {});
  const question = begin('ask', 0);
  workers[0].fail('killed');
  expect(await session.outcome).toEqual({ what: 'failed', failure: { message: 'killed' } });
  expect(await question.outcome).toEqual({ what: 'answer', answer: 'here' });
});

test('what waits for a quiet moment comes one after another, when nothing is waited for', async () => {
  const { line } = lineTo({ ask: (one: string) => one });
  const order: string[] = [];
  const ask = (name: string) => line.begin('ask', name, () => order.push(`${name} ends`));
  const late = (name: string) =>
    line.whenIdle(() => {
      order.push(`${name} begins`);
      ask(name);
    });
  ask('question');
  late('a');
  const taken = late('b');
  late('c');
  taken();
  await turns(20);
  expect(order).toEqual(['question ends', 'a begins', 'a ends', 'c begins', 'c ends']);
});

test('the visitor ends what takes too long; silence is noticed without asking again and again', async () => {
  const { begin, line, workers } = lineTo({ ask: never });
  const waiting = begin('ask', 0);
  line.stop();
  expect(await waiting.outcome).toEqual({ what: 'cancelled' });
  expect([line.stopped, line.busy, workers[0].gone]).toEqual([true, false, true]);
  expect(await begin('ask', 1).outcome).toEqual({ what: 'cancelled' });
  line.tryAgain();
  begin('ask', 2);
  await turns();
  expect([workers.length, line.stopped, line.busy]).toEqual([2, false, true]);
  line.close();
});

test('two lines share a Worker, whoever comes later; one leaves, and the other keeps it', async () => {
  const { start, workers } = starter({ adding, double: (one: number) => 2 * one });
  const others = starter({ double: (one: number) => 20 * one, wait: () => 'moved' });
  let own = false;
  const join = common(start);
  const [one, other] = [lineFrom(() => (own ? others.start() : join())), lineFrom(join)];
  one.line.start();
  await turns();
  const said: unknown[] = [];
  const session = other.begin('adding', 1, (message) => said.push(message));
  const answers = [3, 4, 5].map((number) => [one, other][number % 2].begin('double', number));
  expect(await Promise.all(answers.map(({ outcome }) => outcome))).toEqual(
    [6, 8, 10].map((answer) => ({ what: 'answer', answer })),
  );
  session.tell(2 as never);
  await turns();
  expect(said).toEqual([3]);
  expect([workers.length, other.line.loaded?.variant]).toEqual([1, 'fake']);

  // A question without an answer moves with its page.
  own = true;
  const asked = one.begin('double', 6);
  one.line.move();
  expect(await asked.outcome).toEqual({ what: 'answer', answer: 120 });
  expect([workers[0].gone, others.workers.length]).toEqual([false, 1]);
  session.tell(0 as never);
  expect(await session.outcome).toEqual({ what: 'answer', answer: 3 });
  other.line.move();
  await turns();
  expect([workers[0].gone, workers.length, workers[1].gone]).toEqual([true, 2, false]);
  other.line.close();
  one.line.close();
});

test('what fails or is ended fails for all who share it, and is started once for all', async () => {
  const { start, workers } = starter({
    adding,
    ask: () => (workers.length > 1 ? 'here' : new Promise(() => {})),
    never,
    trap() {
      throw new WebAssembly.RuntimeError('unreachable');
    },
  });
  const join = common(start);
  const [one, other] = [lineFrom(join), lineFrom(join)];
  const question = one.begin('ask', 0);
  const session = other.begin('adding', 0, () => {});
  const asked = other.begin('ask', 0);
  await turns();
  workers[0].fail('killed');
  expect(await session.outcome).toEqual({ what: 'failed', failure: { message: 'killed' } });
  for (const { outcome } of [question, asked]) {
    expect(await outcome).toEqual({ what: 'answer', answer: 'here' });
  }
  expect([workers.length, workers[0].gone]).toEqual([2, true]);

  // A Worker whose module has trapped is dropped for all its pages.
  const broken = other.begin('adding', 0, () => {});
  await one.begin('trap', 0).outcome;
  expect(await broken.outcome).toMatchObject({ failure: { message: 'unreachable' } });
  expect(await other.begin('ask', 0).outcome).toEqual({ what: 'answer', answer: 'here' });
  expect([workers.length, workers[1].gone]).toEqual([3, true]);

  // A visitor stops a hanging Worker, with all its work for others; it starts again at the next question.
  const ended = other.begin('adding', 0, () => {});
  one.begin('never', 0);
  await turns();
  one.line.stop();
  expect(await ended.outcome).toMatchObject({ what: 'failed' });
  expect(await other.begin('ask', 0).outcome).toEqual({ what: 'answer', answer: 'here' });
  expect([workers.length, workers[2].gone, one.line.stopped]).toEqual([4, true, true]);
});
