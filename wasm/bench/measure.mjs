// Timing in rounds: all subjects of a case take turns, so that what the machine does meanwhile meets
// all of them alike. Runs in Node, in a Worker of a browser, wherever there is `performance`.

/** How carefully: `rounds` turns of at least `batch` ms each, after `warmUp` ms. */
export const careful = { rounds: 11, batch: 20, warmUp: 250 };
export const quick = { rounds: 5, batch: 20, warmUp: 60 };

const wallClock = () => performance.now();

async function time(run, calls, clock) {
  const begin = clock();
  for (let call = 0; call < calls; call += 1) {
    const pending = run();
    // A promise of a microtask would cost what it waits for, so only true ones are waited for.
    if (typeof pending?.then === 'function') await pending;
  }
  return clock() - begin;
}

/**
 * Calls until `warmUp` ms have passed and it was called often enough for the engine's optimising
 * compiler, which takes over after some calls and compiles beside them; then settles on how many
 * calls a batch has.
 */
async function prepare(run, { batch, warmUp, clock = wallClock }) {
  const begin = performance.now();
  let calls = 1;
  let elapsed;
  // Only from a whole batch is the time of a call known: a browser's clock may stand still between.
  do {
    elapsed = await time(run, calls, clock);
    if (elapsed < batch) calls *= 2;
  } while (elapsed < batch || performance.now() - begin < warmUp);
  return Math.max(1, Math.ceil((calls * batch) / elapsed));
}

/**
 * Measures `subjects`, each { subject, run, ... }, where `run` computes once, at once or by a
 * promise. Resolves to the same without `run`, with `times`: ms a call, one a round, by
 * `options.clock`, else as time passes.
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
