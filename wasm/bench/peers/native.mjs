// The peers natively: Eigen, OpenBLAS and oneDNN are in the C++ benchmark, in turns with Tril; ONNX
// Runtime is measured by Node, in turns with that program.

import { loadTril } from 'tril';
import { peerCases } from '../cases.mjs';
import { careful, measure, quick } from '../measure.mjs';
import { nativeProgram, runNative } from '../native.mjs';
import { chosen } from '../run.mjs';
import { evaluate } from '../statistics.mjs';
import { computation, inputs, release, resultShape } from '../subjects.mjs';
import { openChecked, toArrays } from './run.mjs';
import { onnxRuntime } from './onnxruntime.mjs';

/** How often the two programs take turns. */
const turns = 3;

/** Adds times of the same subjects. */
function merge(into, subjects) {
  for (const { times, ...about } of subjects) {
    const known = into.get(about.subject);
    if (known) known.times.push(...times);
    else into.set(about.subject, { ...about, times: [...times] });
  }
}

async function openRuntime(about, threads) {
  const { default: ort } = await import('onnxruntime-node');
  const runtime = onnxRuntime(ort, { name: 'ONNX Runtime', isNative: true, provider: 'cpu' });
  const tril = await loadTril(); // for the numbers, and to know which results are right
  const given = inputs(tril, about);
  const out = tril.zeros(resultShape(about));
  computation(tril, about, given, out)();
  const [arrays, expected] = [toArrays(given), out.read()];
  release(given, out);
  return openChecked(runtime, about, arrays, expected, threads);
}

/** Tril's `auto` first and called so, then the others; its other methods and the peak are left out. */
function besides(subjects) {
  const peers = ['eigen', 'OpenBLAS', 'oneDNN'];
  const own = subjects.find(({ subject }) => subject === 'auto') ?? subjects.at(-1);
  const others = subjects.filter((each) => peers.includes(each.subject) || each.isPeer);
  return [{ ...own, subject: 'Tril' }, ...others];
}

export async function besideNative(request, report) {
  const program = await nativeProgram();
  const options = request.quick ? quick : careful;
  const share = { ...options, rounds: Math.ceil(options.rounds / turns) };
  const cases = [];
  for (const about of chosen(peerCases, request.only)) {
    const opened = await openRuntime(about, request.threads);
    const right = opened.filter(({ failed }) => !failed);
    const subjects = new Map();
    for (let turn = 0; turn < turns; turn += 1) {
      merge(subjects, await runNative(program, about, share));
      const runs = right.map(({ subject, run }) => ({ subject, run, isPeer: true }));
      merge(
        subjects,
        (await measure(runs, share)).map((each) => ({ ...each, flops: about.flops })),
      );
    }
    for (const each of right) await each.release();
    const all = [...subjects.values()];
    if (all.every(({ isPeer }) => isPeer)) continue; // not in the C++ benchmark
    const failures = opened.filter(({ failed }) => failed);
    const { group, name } = about;
    cases.push({ group, name, about, results: [...evaluate(besides(all)), ...failures] });
    report(cases.at(-1));
  }
  return {
    engine: 'natively',
    done: { variant: 'widest vectors', threads: request.threads },
    cases,
  };
}
