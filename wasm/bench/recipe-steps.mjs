// The part of recipe.mjs that runs in the measured place.

const every = 250; // steps between two validations, which are not timed

/** Trains with the defaults of `tril.trainer`, which are the recipe. */
export async function train({ text, threads, steps, seed }, { loadTraining }, report) {
  const tril = await loadTraining({ threads });
  const trainer = tril.trainer({ data: text, steps, seed });
  let seconds = 0;
  for (let step = 0; step < steps;) {
    const taken = trainer.steps(Math.min(every, steps - step));
    for (const { milliseconds } of taken) seconds += milliseconds / 1000;
    step += taken.length;
    report({ step, loss: trainer.evaluate().loss, seconds });
  }
  trainer.dispose();
  return { variant: tril.variant, threads: tril.threads };
}
