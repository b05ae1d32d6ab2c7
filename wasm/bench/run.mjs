// Carries out a request for measurements in its place: in Node (node.mjs) or in a Worker of a browser (worker.mjs).

import { allCases, quickCases } from './cases.mjs';
import { careful, measure, quick } from './measure.mjs';
import { evaluate } from './statistics.mjs';
import { hasCase, peak, subjectsFor } from './subjects.mjs';
import { openTraining } from './training.mjs';

/** The cases whose group is in `only`, or all if it is empty. */
export const chosen = (cases, only) =>
  cases.filter(({ group }) => only.length === 0 || only.includes(group));

/** A step on one thread, on several if available, and the peak. */
function trainingSubjects(lessons, { tril, threaded }, about) {
  const { flops } = about;
  const opened = openTraining(tril, about);
  const subjects = [peak(lessons), { subject: 'auto', flops, run: opened.run }];
  if (!threaded) return { subjects, release: opened.release };
  const { threads } = threaded;
  const its = openTraining(threaded, about);
  subjects.push({ subject: `${threads} threads`, threads, flops, run: its.run });
  const release = () => [opened, its].forEach((each) => each.release());
  return { subjects, release };
}

/**
 * @param {object} request { quick, only, variant?, threads }
 * @param {object} load { loadTril, loadTraining }, the package's with lessons and with training
 * @param {Function} report called with each case's results, { group, name, results, memory }
 * @returns the measured build, { variant, threads }
 */
export async function runBench(request, { loadTril, loadTraining }, report) {
  const { variant, threads } = request;
  const tril = await loadTril(variant ? { variant } : {});
  let threaded;
  if (threads > 1) {
    threaded = await loadTril({ variant: `${tril.variant}-threads`, threads });
  }
  const cases = chosen(request.quick ? quickCases : allCases, request.only);
  const training = cases.some(({ group }) => group === 'training') && {
    tril: await loadTraining({ variant: tril.variant }),
    threaded: threaded && (await loadTraining({ variant: threaded.variant, threads })),
  };
  for (const about of cases) {
    if (!hasCase(tril, about)) continue;
    const { subjects, release } =
      about.group === 'training'
        ? trainingSubjects(tril, training, about)
        : subjectsFor(tril, threaded, about);
    const results = await measure(subjects, request.quick ? quick : careful);
    release();
    report({ group: about.group, name: about.name, about, results: evaluate(results) });
  }
  return { variant: tril.variant, threads };
}
