// Tril and its peers in one run: peers that agree with Tril on a case's result are timed with it, in the same rounds.

import { peerCases } from '../cases.mjs';
import { chosenGroups, modelGroups } from '../groups.mjs';
import { openGeneration } from '../generation.mjs';
import { careful, measure, quick } from '../measure.mjs';
import { chosen } from '../run.mjs';
import { evaluate } from '../statistics.mjs';
import { openTraining } from '../training.mjs';
import { computation, hasCase, inputs, prepared, release } from '../subjects.mjs';
import { resultOf, resultShape } from '../subjects.mjs';

/** The largest difference between float results with different orders of summation, relative to the largest element. */
export const tolerance = 2e-5;

/** The largest difference relative to the largest element; NaN if there is one. */
export function difference(values, expected) {
  if (values.length !== expected.length) return Infinity;
  let [largest, most] = [0, 0];
  for (let i = 0; i < expected.length; i += 1) {
    largest = Math.max(largest, Math.abs(expected[i]));
    most = Math.max(most, Math.abs(values[i] - expected[i]));
  }
  return most / largest;
}

export function toArrays(tensors) {
  return Object.fromEntries(
    Object.entries(tensors).map(([name, tensor]) => [
      name,
      typeof tensor.read === 'function' ? tensor.read() : toArrays(tensor),
    ]),
  );
}

/** The ways of the peer to compute a case that are right; the others as { subject, failed }. */
export async function openChecked(peer, about, arrays, expected, threads) {
  const opened = await peer.open(about, arrays, threads);
  const checked = [];
  for (const each of opened) {
    const { subject, failed } = each;
    if (failed) {
      checked.push({ subject, failed });
      continue;
    }
    try {
      const error = difference(await each.read(), expected);
      if (error <= tolerance) {
        checked.push({ ...each, error });
        continue;
      }
      checked.push({
        subject,
        failed: `its result is off by ${error.toPrecision(2)} of the largest`,
      });
    } catch (problem) {
      checked.push({ subject, failed: String(problem.message ?? problem).split('\n')[0] });
    }
    await each.release();
  }
  return checked;
}

/** Tril's part in a case: its participants, the result expected of peers, and their inputs. */
async function openOwn(tril, about) {
  if (modelGroups.includes(about.group)) {
    const open = about.group === 'training' ? openTraining : openGeneration;
    const { run, ...opened } = await open(tril, about);
    return { ...opened, own: [{ subject: 'Tril', run }] };
  }
  const given = inputs(tril, about);
  const out = tril.zeros(resultShape(about));
  // Peers get their weights as constants, so Tril packs them once as well.
  const ready = prepared(tril, about, given);
  const packed = ready && computation(tril, about, ready, out);
  const compute = packed && about.group === 'block' ? packed : computation(tril, about, given, out);
  const expected = resultOf(tril, about, given, out);
  const own = [{ subject: 'Tril', run: compute }];
  if (packed && packed !== compute) own.push({ subject: 'Tril: packed before', run: packed });
  const disposed = () => {
    ready?.weights.dispose();
    release(given, out);
  };
  return { own, expected, arrays: toArrays(given), release: disposed };
}

/** Peers that name groups take part in these, others in all but the chosen ones. */
const takesPart = ({ groups }, { group }) =>
  groups?.includes(group) ?? !chosenGroups.includes(group);

async function runCase(about, tril, peers, { threads, ...request }) {
  const { own, expected, arrays, release: releaseOwn } = await openOwn(tril, about);
  const { flops } = about;
  const subjects = [];
  for (const peer of peers.filter((each) => takesPart(each, about))) {
    subjects.push(...(await openChecked(peer, about, arrays, expected, threads)));
  }
  const right = subjects.filter(({ failed }) => !failed);
  const runs = [...own, ...right].map(({ subject, run, error }) => ({
    ...{ subject, run },
    ...(error !== undefined && { error }),
    ...(flops && { flops }),
  }));
  const results = evaluate(await measure(runs, request.quick ? quick : careful));
  for (const each of right) await each.release();
  releaseOwn();
  return [...results, ...subjects.filter(({ failed }) => failed)];
}

/**
 * @param {object} request { quick, only, variant?, threads }
 * @param {object[]} peers [{ name, groups?, open(about, given, threads) }]
 * @param {object} load { loadTril, loadTraining }
 */
export async function runBesides(request, peers, { loadTril, loadTraining }, report) {
  const { variant, threads } = request;
  const options = { ...(variant && { variant }), threads };
  const tril = await loadTril(options);
  let training;
  for (const about of chosen(peerCases, request.only)) {
    if (!hasCase(tril, about)) continue;
    const { group, name } = about;
    const isModel = modelGroups.includes(group);
    if (!peers.some((each) => takesPart(each, about))) continue;
    if (isModel) training ??= await loadTraining(options);
    const results = await runCase(about, isModel ? training : tril, peers, request);
    report({ group, name, about, results });
  }
  return { variant: tril.variant, threads };
}
