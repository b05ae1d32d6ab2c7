// The part of recipe.mjs that runs where it is measured.

const every = 250; // steps between two validations, which the seconds do not count

/** Trains with all that `tril.trainer` has unless told otherwise, which is the recipe. */
export async function train({ text, threads, steps, seed }, { loadTraining }, report) {
  const tril = await loadTraining({ threads });
  const trainer = tril.trainer({ data: text, steps, seed });
  let seconds = 0;
  for (const { step, milliseconds } of trainer.steps(steps)) {
    seconds += milliseconds / 1000;
    const count = step + 1;
    if (count % every === 0 || count === steps) {
      report({ step: count, loss: trainer.evaluate().loss, seconds });
    }
  }
  trainer.dispose();
  return { variant: tril.variant, threads: tril.threads };
}
