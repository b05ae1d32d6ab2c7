// The benchmark of attention's backward pass: its result, its inputs, and its report.
import { loadTril } from 'tril';
import { expect, test } from 'vitest';
import { allCases, peerCases, quickCases } from '../../wasm/bench/cases.mjs';
import { readBenchmarks } from '../../wasm/bench/native.mjs';
import { evaluate } from '../../wasm/bench/statistics.mjs';
import { computation, inputs, release } from '../../wasm/bench/subjects.mjs';
import { resultOf, resultShape } from '../../wasm/bench/subjects.mjs';
import { peerTables, placeTables } from '../../wasm/bench/table.mjs';

const group = 'attention backward';
const backward = (time) => ({ group, name: `T=${time}`, time, heads: 2, width: 8 });

test('is a case wherever there are some, of five products in place of two', () => {
  const named = (cases, group, name) =>
    cases.find((each) => each.group === group && each.name === name);
  for (const [cases, name] of [
    [allCases, 'T=1024'],
    [peerCases, 'T=1024'],
    [quickCases, 'T=128'],
  ]) {
    const { needed } = named(cases, group, name);
    expect(needed).toBe(2.5 * named(cases, 'attention', name).needed);
  }
});

test('gives all three gradients, and leaves nothing behind', async () => {
  const tril = await loadTril({ variant: 'simd' });
  const about = backward(12);
  const given = inputs(tril, about);
  const out = tril.zeros(resultShape(about));
  const before = tril.memory().tensors;
  const all = resultOf(tril, about, given, out);
  computation(tril, about, given, out)();
  expect(tril.memory().tensors).toBe(before);
  // The loss is linear in the values: their product with their gradient is the loss, the sum of d_out times out.
  const size = 2 * 12 * 8;
  expect(all).toHaveLength(3 * size);
  const sum = (a, b) => a.reduce((total, each, i) => total + each * b[i], 0);
  const loss = sum(given.d_out.read(), given.output.read());
  expect(sum(all.subarray(2 * size), given.v.read())).toBeCloseTo(loss, 3);
  release(given, out);
});

test('is read from the report by threads, and said in times of the way there', () => {
  const line = (run_name, cpu_time) => ({
    ...{ run_name, cpu_time, real_time: 2 * cpu_time, run_type: 'iteration', time_unit: 'ms' },
  });
  const benchmarks = [
    line('causal_attention/backward/T128', 6),
    line('causal_attention/backward/2_threads/T128/real_time', 2),
    line('causal_attention/backward/T1024', 9),
  ];
  const found = readBenchmarks({ benchmarks }, backward(128));
  expect(found.map(({ subject, times }) => [subject, times])).toEqual([
    ['auto', [6]],
    ['2 threads', [4]],
  ]);
  const forward = evaluate([
    { subject: 'auto', times: [2] },
    { subject: 'full', times: [3] },
  ]);
  const cases = [
    { group: 'attention', name: 'T=128', about: backward(128), results: forward },
    { group, name: 'T=128', about: backward(128), results: evaluate(found) },
  ];
  const note = 'auto takes 3.00 times its own attention T=128';
  expect(placeTables(cases).split('\n\n').at(-1)).toBe(note);
  expect(peerTables(cases).split('\n').at(-1)).toBe(note);
  expect(placeTables(cases.slice(1))).not.toContain('its own');
});
