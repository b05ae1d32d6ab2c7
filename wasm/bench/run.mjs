// A request for measurements, carried out where it is: in Node (node.mjs) or in a Worker of a
// browser (worker.mjs).

import { allCases, quickCases } from './cases.mjs';
import { careful, measure, quick } from './measure.mjs';
import { evaluate } from './statistics.mjs';
import { hasCase, subjectsFor } from './subjects.mjs';

/** Those with their group in `only`, all where it is empty. */
export const chosen = (cases, only) =>
  cases.filter(({ group }) => only.length === 0 || only.includes(group));

/**
 * @param {object} request { quick, only, variant?, threads }
 * @param {Function} loadTril the package's
 * @param {Function} report called with each case's results, { group, name, results, memory }
 * @returns what was measured on, { variant, threads }
 */
export async function runBench(request, loadTril, report) {
  const { variant, threads } = request;
  const tril = await loadTril(variant ? { variant } : {});
  let threaded;
  if (threads > 1) {
    threaded = await loadTril({ variant: `${tril.variant}-threads`, threads });
  }
  const cases = chosen(request.quick ? quickCases : allCases, request.only);
  for (const about of cases) {
    if (!hasCase(tril, about)) continue;
    const { subjects, release } = subjectsFor(tril, threaded, about);
    const results = await measure(subjects, request.quick ? quick : careful);
    release();
    report({ group: about.group, name: about.name, about, results: evaluate(results) });
  }
  return { variant: tril.variant, threads };
}
