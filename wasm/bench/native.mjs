// The native part: builds the Google Benchmark program of native/bench and reads its JSON. Times are those of the
// thread, so that other work of the machine matters little.

import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../toolchain/cmake.mjs';
import { root, run } from '../toolchain/steps.mjs';
import { allCases, attentionMethods, methods, quickCases } from './cases.mjs';
import { peerEnvironment } from './environment.mjs';
import { careful, quick } from './measure.mjs';
import { chosen } from './run.mjs';
import { evaluate } from './statistics.mjs';

/** The methods of products and of attention, except for the automatic choice. */
const ownMethods = [...new Set([...methods, ...attentionMethods])].filter(
  (name) => name !== 'auto',
);
const milliseconds = { ns: 1e-6, us: 1e-3, ms: 1, s: 1e3 };
const subjectNames = {
  ...{ given: 'auto', prepared: 'weights packed before' },
  ...{ '1_threads': 'auto', '2_threads': '2 threads', '2_threads/': '2 threads' },
  ...{ openblas: 'OpenBLAS', onednn: 'oneDNN' },
};

/** The names of a case's benchmarks there: a regular expression that captures the subject. */
export function nativeNames({ group, name, rows, depth, cols, batch, time, keys }) {
  switch (group) {
    case 'matmul':
      return `matmul/([^/]+)/${rows}x${depth}x${cols}`;
    case 'attention':
      return `causal_attention/(${attentionMethods.join('|')}|2_threads)/T${time}`;
    case 'attention backward':
      return `causal_attention/backward/((2_threads/)?)T${time}`;
    case 'decoding':
      return `decoding/(memory|${attentionMethods.join('|')}|2_threads)/S${keys}`;
    case 'block':
      return `block/(given|prepared|2_threads)/${batch > 1 ? `${batch}x` : ''}T${time}`;
    case 'softmax':
      return `softmax/()${rows}x${cols}`;
    case 'layer norm':
      return `layer_norm/()${rows}x${cols}`;
    case 'training':
      return `training/${name}/([12]_threads)`;
  }
}

/**
 * The results for a case in Google Benchmark's report, and the fastest of the peaks: [{ subject, flops?, needed?,
 * bytes?, threads?, times }].
 */
export function readBenchmarks({ benchmarks }, about) {
  const pattern = new RegExp(`^${nativeNames(about)}(?:/real_time)?$`);
  const found = new Map();
  for (const each of benchmarks) {
    if (each.run_type !== 'iteration') continue;
    if (each.error_occurred) throw new Error(`${each.name}: ${each.error_message}`);
    const [, named] = pattern.exec(each.run_name) ?? [];
    const isPeak = each.run_name.startsWith('peak/');
    if (named === undefined && !isPeak) continue;
    const key = isPeak ? each.run_name : subjectNames[named] || named || 'auto';
    if (!found.has(key)) found.set(key, { subject: isPeak ? 'peak' : key, times: [] });
    const subject = found.get(key);
    if (each.scratch) subject.scratch = each.scratch;
    const threads = Number(/^(\d+) threads$/.exec(subject.subject)?.[1] ?? 1);
    if (threads > 1) subject.threads = threads;
    // The clock's time for several threads, else the thread's own.
    const time = each[threads > 1 ? 'real_time' : 'cpu_time'] * milliseconds[each.time_unit];
    subject.times.push(time);
    if (isPeak) subject.flops = (each['FLOP/s'] * time) / 1e3;
    else
      for (const work of ['flops', 'needed', 'bytes']) if (about[work]) subject[work] = about[work];
  }
  const all = [...found.values()];
  const speed = ({ flops, times }) => flops / Math.min(...times);
  const peaks = all.filter(({ subject }) => subject === 'peak').sort((a, b) => speed(b) - speed(a));
  const order = ['memory', ...ownMethods, 'auto', 'weights packed before', '2 threads'];
  const place = ({ subject }) => (order.includes(subject) ? order.indexOf(subject) : order.length);
  const others = all
    .filter(({ subject }) => subject !== 'peak')
    .sort((one, other) => place(one) - place(other)); // their order was random
  return countsOperations(about) ? [...peaks.slice(0, 1), ...others] : others;
}

const countsOperations = ({ flops, needed }) => Boolean(flops ?? needed);

/** Builds the program; resolves to its path. */
export async function nativeProgram() {
  await build('native', 'tril_bench');
  return join(root, 'build', 'native', 'native', 'bench', 'tril_bench');
}

/** Runs a case in the program, its subjects in turns; resolves to the result of readBenchmarks. */
export async function runNative(program, about, { rounds, batch, warmUp }) {
  const names = nativeNames(about);
  if (!names) return [];
  const report = join(tmpdir(), `tril-bench-${process.pid}.json`);
  const filter = `^(${countsOperations(about) ? 'peak/.*|' : ''}${names.replace('()', '')})(/real_time)?$`;
  const [time, warm] = [batch / 1e3, warmUp / 1e3];
  const args = { filter, repetitions: rounds, min_time: time, min_warmup_time: warm, out: report };
  try {
    await run(
      program,
      Object.entries({ ...args, out_format: 'json', enable_random_interleaving: true }).map(
        ([name, value]) => `--benchmark_${name}=${value}`,
      ),
      { log: 'bench-native', env: peerEnvironment(1) },
    );
    const text = readFileSync(report, 'utf8'); // empty if no benchmark has such a name
    return text ? readBenchmarks(JSON.parse(text), about) : [];
  } finally {
    rmSync(report, { force: true });
  }
}

/** The C++ program's report on its libraries, and on the kernels that each has chosen. */
export function chosenKernels(program) {
  const { stdout } = spawnSync(program, ['--kernels'], {
    encoding: 'utf8',
    env: { ...process.env, ...peerEnvironment(1) },
  });
  return stdout.trim().split('\n').filter(Boolean);
}

export async function inNative(request, report = () => {}) {
  const program = await nativeProgram();
  const cases = [];
  for (const about of chosen(request.quick ? quickCases : allCases, request.only)) {
    const { group, name } = about;
    const all = await runNative(program, about, request.quick ? quick : careful);
    // bench:peers measures other installed libraries.
    const own = [...ownMethods, 'auto', 'peak', 'memory', 'weights packed before', '2 threads'];
    const subjects = all.filter(({ subject }) => own.includes(subject));
    if (subjects.length === 0) continue;
    cases.push({ group, name, about, results: evaluate(subjects) });
    report(cases.at(-1));
  }
  const kernels = chosenKernels(program);
  return { engine: 'natively', done: { variant: 'widest vectors', threads: 1 }, kernels, cases };
}
