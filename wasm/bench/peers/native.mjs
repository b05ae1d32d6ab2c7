// The peers natively: Eigen, OpenBLAS and oneDNN are in the C++ benchmark, in turns with Tril; ONNX Runtime is measured
// by Node and PyTorch by Python, if installed, in turns with that program.

import { loadTril } from 'tril';
import { peerCases } from '../cases.mjs';
import { chosenGroups, modelGroups } from '../groups.mjs';
import { careful, measure, quick } from '../measure.mjs';
import { chosenKernels, nativeProgram, runNative } from '../native.mjs';
import { chosen } from '../run.mjs';
import { evaluate } from '../statistics.mjs';
import { inputs, release, resultOf, resultShape } from '../subjects.mjs';
import { onnxRuntime } from './onnxruntime.mjs';
import { pyTorch, trainingTimes } from './pytorch.mjs';
import { difference, openChecked, toArrays, tolerance } from './run.mjs';

/**
 * The processor time of this process in milliseconds: the fair measure on one thread, like Tril's own native times,
 * since other work of the machine matters little.
 */
function processorTime() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
}

/** The number of turns of the programs. */
const turns = 3;

/** Adds times of the same subjects. */
function merge(into, subjects) {
  for (const { times, ...about } of subjects) {
    const known = into.get(about.subject);
    if (known) known.times.push(...times);
    else into.set(about.subject, { ...about, times: [...times] });
  }
}

/** PyTorch's result for the case if it is right, in the form of openChecked. */
async function openTorch(torch, about, given, expected, threads) {
  if (!torch) return [];
  try {
    const { subject, result, time } = await torch.open(about, given, threads);
    const error = difference(result, expected);
    if (error <= tolerance) return [{ subject, time, release: () => {} }];
    const failed = `its result is off by ${error.toPrecision(2)} of the largest`;
    return [{ subject, failed }];
  } catch (problem) {
    return [{ subject: 'PyTorch', failed: problem.message }];
  }
}

/** The peers that are right about a case, on Tril's numbers; the others as { subject, failed }. */
async function openPeers({ tril, runtime, torch }, about, threads) {
  const given = inputs(tril, about);
  const out = tril.zeros(resultShape(about));
  const expected = resultOf(tril, about, given, out);
  const takesPart = !chosenGroups.includes(about.group); // it only runs models
  const opened = [
    ...(takesPart ? await openChecked(runtime, about, toArrays(given), expected, threads) : []),
    ...(await openTorch(torch, about, given, expected, threads)),
  ];
  release(given, out);
  return opened;
}

/** Their times in one turn. */
async function timesOf(opened, options) {
  const runs = opened.filter(({ run }) => run);
  const timed = await measure(
    runs.map(({ subject, run }) => ({ subject, run })),
    options,
  );
  for (const { subject, time } of opened) {
    if (time) timed.push({ subject, times: await time(options) });
  }
  return timed;
}

/**
 * Tril's `auto` first, called "Tril", then the others; its other methods and the peak are left out. Peers get their
 * weights as constants, so Tril's block has its weights packed before.
 */
function besides(subjects, threads) {
  // The libraries in the C++ benchmark run on one thread.
  const peers = threads === 1 ? ['eigen', 'OpenBLAS', 'oneDNN'] : [];
  const called = (name) => subjects.find(({ subject }) => subject === name);
  const own =
    called(`${threads} threads`) ??
    called('weights packed before') ??
    called('auto') ??
    called('blocked');
  const others = subjects.filter((each) => peers.includes(each.subject) || each.isPeer);
  return [{ ...own, subject: 'Tril' }, ...others];
}

/** Training steps, which training.py measures in turns with the program, if PyTorch is installed. */
function besideTraining(program, { only, threads, ...request }) {
  const about = peerCases.filter(({ group }) => group === 'training');
  const rounds = request.quick ? 2 : 7;
  const seconds = request.quick ? 0.1 : 0.5;
  const wanted = chosen(about, only);
  const first = request.quick && { only: 'nanogpt' }; // a step of the other case may take a minute
  const times =
    wanted.length > 0 ? trainingTimes(program, { threads, rounds, seconds, ...first }) : [];
  return times.map((found) => {
    const each = wanted.find(({ name }) => name === found.name);
    const subjects = Object.entries(found.times).map(([subject, its]) => {
      return { subject, flops: each.flops, times: its };
    });
    const { group, name } = each;
    return { group, name, about: each, results: evaluate(subjects) };
  });
}

export async function besideNative(request, report) {
  const program = await nativeProgram();
  const options = request.quick ? quick : careful;
  const clock = request.threads === 1 ? { clock: processorTime } : {};
  const share = { ...options, ...clock, rounds: Math.ceil(options.rounds / turns) };
  const { default: ort } = await import('onnxruntime-node');
  const runtime = onnxRuntime(ort, { name: 'ONNX Runtime', isNative: true, provider: 'cpu' });
  // Tril in WebAssembly, for the inputs and for checking results.
  const peers = { tril: await loadTril(), runtime, torch: await pyTorch(request.threads) };
  const cases = [];
  // training.py measures training, and the program alone measures generation.
  const computed = peerCases.filter(({ group }) => !modelGroups.includes(group));
  for (const about of chosen(computed, request.only)) {
    const { group, name, flops } = about;
    const opened = await openPeers(peers, about, request.threads);
    const right = opened.filter(({ failed }) => !failed);
    const subjects = new Map();
    for (let turn = 0; turn < turns; turn += 1) {
      merge(subjects, await runNative(program, about, share));
      const timed = await timesOf(right, share);
      merge(
        subjects,
        timed.map((each) => ({ ...each, isPeer: true, ...(flops && { flops }) })),
      );
    }
    for (const each of right) await each.release();
    const failures = opened.filter(({ failed }) => failed);
    const results = [...evaluate(besides([...subjects.values()], request.threads)), ...failures];
    cases.push({ group, name, about, results });
    report(cases.at(-1));
  }
  peers.torch?.end();
  for (const each of besideTraining(program, request)) {
    cases.push(each);
    report(each);
  }
  return {
    engine: 'natively',
    done: { variant: 'widest vectors', threads: request.threads },
    kernels: [...chosenKernels(program), ...(peers.torch?.kernels ?? [])],
    cases,
  };
}
