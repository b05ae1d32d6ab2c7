// Timing in rounds: all subjects of a case take turns, so that other work of the machine affects all of them alike. It
// runs in Node, in a browser's Worker, and wherever there is `performance`.

/** The precision: `rounds` turns of at least `batch` ms each, after `warmUp` ms. */
export const careful = { rounds: 11, batch: 20, warmUp: 250 };
export const quick = { rounds: 5, batch: 20, warmUp: 60 };

const wallClock = () => performance.now();

async function time(run, calls, clock) {
  const begin = clock();
  for (let call = 0; call < calls; call += 1) {
    const pending = run();
    // Waiting for a microtask would cost time, so only true promises are awaited.
    if (typeof pending?.then === 'function') await pending;
  }
  return clock() - begin;
}

/**
 * Calls until `warmUp` ms have passed and there were enough calls for the engine's optimising compiler, which starts
 * after some calls and compiles in parallel; then determines the number of calls per batch.
 */
async function prepare(run, { batch, warmUp, clock = wallClock }) {
  const begin = performance.now();
  let calls = 1;
  let elapsed;
  // Only a whole batch tells the time of a call: a browser's clock may not tick in between.
  do {
    elapsed = await time(run, calls, clock);
    if (elapsed < batch) calls *= 2;
  } while (elapsed < batch || performance.now() - begin < warmUp);
  return Math.max(1, Math.ceil((calls * batch) / elapsed));
}

/**
 * Measures `subjects`, each { subject, run, ... }, where `run` computes once, synchronously or by a promise. Resolves
 * to the same without `run`, with `times`: ms per call, one for each round, by `options.clock`, by default the wall
 * clock.
 */
export async function measure(subjects, options = careful) {
  const { clock = wallClock } = options;
  const calls = [];
  for (const { run } of subjects) calls.push(await prepare(run, options));
  const times = subjects.map(() => []);
  for (let round = 0; round < options.rounds; round += 1) {
    for (const [index, { run }] of subjects.entries()) {
      times[index].push((await time(run, calls[index], clock)) / calls[index]);
    }
  }
  return subjects.map(({ run: _run, ...about }, index) => ({ ...about, times: times[index] }));
}
