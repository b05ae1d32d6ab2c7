// The parts of the benchmarks: their evaluation of times, not the times themselves.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadTril } from 'tril/training';
import { describe, expect, test, vi } from 'vitest';
import { allCases, methodsFor, peerCases } from '../../wasm/bench/cases.mjs';
import { llamaFiles, openGeneration } from '../../wasm/bench/generation.mjs';
import { measure } from '../../wasm/bench/measure.mjs';
import { readBenchmarks } from '../../wasm/bench/native.mjs';
import { readOptions } from '../../wasm/bench/options.mjs';
import { difference } from '../../wasm/bench/peers/run.mjs';
import { plot, spread, steps } from '../../wasm/bench/plot.mjs';
import { evaluate, quantile, summary } from '../../wasm/bench/statistics.mjs';
import { align, digits, markdown, peerTables, placeTables } from '../../wasm/bench/table.mjs';
import { openTraining } from '../../wasm/bench/training.mjs';

const about = (n) => ({ group: 'matmul', name: `${n}`, rows: n, depth: n, cols: n });

/** The results of a run: GFLOP/s of each subject, the same in every round. */
function matmulCase(n, speeds) {
  const flops = 2 * n ** 3;
  const subjects = Object.entries(speeds).map(([subject, speed]) => {
    const time = flops / speed / 1e6;
    return { subject, flops, times: [time, time, time] };
  });
  return { group: 'matmul', name: `${n}`, about: about(n), results: evaluate(subjects) };
}

describe('statistics', () => {
  test('quantiles lie between neighbours, whatever the order', () => {
    expect(quantile([10, 2, 9], 0.5)).toBe(9);
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(quantile([5], 0.25)).toBe(5);
    expect(quantile([0, 10], 0.25)).toBe(2.5);
    expect(() => quantile([], 0.5)).toThrow(RangeError);
  });

  test('the spread is half the distance of the quartiles, of the median', () => {
    expect(summary([8, 9, 10, 11, 12])).toEqual({ median: 10, best: 9, worst: 11, spread: 0.1 });
  });

  test('shares are of the peak of the same rounds, on all threads together', () => {
    const [peak, tiled, two] = evaluate([
      { subject: 'peak', flops: 1e6, times: [1, 1, 3] }, // 1 GFLOP/s
      { subject: 'tiled', flops: 2e6, times: [4, 4, 4] },
      { subject: '2 threads', flops: 2e6, threads: 2, times: [2, 2, 2] },
    ]);
    expect(peak.gflops).toBe(1);
    expect(tiled.gflops).toBe(0.5);
    expect(tiled.share).toBe(0.5);
    expect(two.gflops).toBe(1);
    expect(two.share).toBe(0.5);
    const [, attended] = evaluate([
      { subject: 'peak', flops: 1e6, times: [1] },
      { subject: 'auto', needed: 3e6, times: [4] },
    ]);
    expect(attended.share).toBe(0.75);
    expect(attended.gflops).toBeUndefined();
    const [, decoded] = evaluate([
      { subject: 'memory', bytes: 1e6, times: [2] },
      { subject: 'auto', bytes: 1e6, times: [2.5] },
    ]);
    expect(decoded.share).toBe(0.8);
    const [timed] = evaluate([{ subject: 'auto', times: [1, 2, 3] }]);
    expect(timed.median).toBe(2);
    expect(timed.gflops).toBeUndefined();
  });
});

test('subjects take turns, and each is called', async () => {
  const calls = [];
  const subject = (name, run = () => calls.push(name)) => ({ subject: name, run, flops: 7 });
  const results = await measure(
    [subject('first'), subject('second', () => Promise.resolve(calls.push('second')))],
    { rounds: 3, batch: 0.2, warmUp: 1 },
  );
  expect(results.map(({ times }) => times.length)).toEqual([3, 3]);
  expect(results.flatMap(({ times }) => times).every((time) => time > 0)).toBe(true);
  expect(results[0]).not.toHaveProperty('run');
  expect(results[0].flops).toBe(7);
  // After the warm-up: first, second, first, second, first, second.
  const turns = calls.filter((name, index) => name !== calls[index - 1]);
  expect(turns.slice(-6)).toEqual(['first', 'second', 'first', 'second', 'first', 'second']);
});

test('a clock too coarse for one call is no obstacle', async () => {
  let clock = 0; // milliseconds, of which the clock shows integers
  const coarse = vi.spyOn(performance, 'now').mockImplementation(() => Math.floor(clock));
  try {
    const run = () => void (clock += 0.002);
    const options = { rounds: 2, batch: 20, warmUp: 60 };
    const [{ times }] = await measure([{ subject: 'short', run }], options);
    for (const time of times) expect(time).toBeCloseTo(0.002, 4);
  } finally {
    coarse.mockRestore();
  }
});

test('a step of training: its operations, and what peers begin with and have to find', async () => {
  const steps = peerCases.filter(({ group }) => group === 'training');
  expect(steps.map(({ name, flops }) => [name, digits(flops / 1e9)])).toEqual([
    ['nanogpt', '3.81'],
    ['larger', '75.7'],
  ]);
  const sizes = { layers: 1, heads: 2, width: 8, context: 4, batch: 3, vocabulary: 11 };
  const { run, arrays, expected, release } = openTraining(await loadTril(), sizes);
  expect(arrays['wte.weight']).toHaveLength(11 * 8);
  expect(arrays.targets.subarray(0, -1)).toEqual(arrays.tokens.subarray(1));
  // Weights with a deviation of 0.02 predict next to nothing yet.
  expect(expected[0]).toBeCloseTo(Math.log(11), 1);
  expect(expected[1]).toBeGreaterThan(0);
  // The expected loss is that of the first step; the next step differs.
  expect(run().loss).toBeLessThan(expected[0]);
  release();
  expect(run).toThrow(/disposed/);
});

test('a model that writes: the tokens that are asked for, and logits that peers have to find', async () => {
  const tril = await loadTril();
  const sizes = { layers: 1, heads: 2, width: 16, hidden: 24, vocabulary: 512, tokens: 15 };
  const { run, arrays, expected, release } = await openGeneration(tril, sizes);
  expect(arrays.weights['model.layers.0.mlp.down_proj.weight'].shape).toEqual([16, 24]);
  const written = await run();
  expect(written).toHaveLength(15);
  expect(await run()).toEqual(written);
  // The logits of the trial's last token: 512 numbers, none of them missing.
  const { files } = llamaFiles(tril, sizes, 12);
  const model = await tril.loadModel(files);
  const { logits } = model.forward(arrays.trial);
  expect(logits.shape).toEqual([12, 512]);
  expect(difference(expected, logits.read().slice(11 * 512))).toBe(0);
  release();
  model.dispose();
  expect([...expected].every(Number.isFinite)).toBe(true);
});

test('the cases are those that the targets are about, and slow methods stop in time', () => {
  const names = (cases, group) =>
    cases.filter((each) => each.group === group).map((one) => one.name);
  expect(names(allCases, 'matmul')).toEqual(
    expect.arrayContaining(['16', '2048', '1x768x3072', '16x768x3072', '128x512x2048']),
  );
  expect(names(peerCases, 'attention')).toEqual(['T=128', 'T=1024', 'T=4096']);
  expect(names(peerCases, 'block')).toEqual(['T=128', 'T=512', '8xT=128']);
  const at = (name) => methodsFor(allCases.find((each) => each.name === name));
  expect(at('512')).toContain('jki');
  expect(at('2048')).toEqual(['tiled', 'strassen', 'eigen', 'auto']);
});

describe('tables', () => {
  const cases = [
    matmulCase(64, { peak: 60, ijk: 1.5, tiled: 54 }),
    matmulCase(1024, { peak: 60, tiled: 57 }),
  ];

  test('three digits', () => {
    const texts = [0.01234, 1.234, 12.34, 123.4, 1234, 0, 9.999].map((each) => digits(each));
    expect(texts).toEqual(['0.0123', '1.23', '12.3', '123', '1234', '0', '10.00']);
    expect(digits(Infinity)).toBe('Infinity');
  });

  test('one row a case, one column a subject, holes where it was left out', () => {
    const [values, shares] = placeTables(cases).split('\n\n');
    expect(values.split('\n').map((line) => line.split(/\s{2,}/))).toEqual([
      ['matmul, GFLOP/s', 'peak', 'ijk', 'tiled'],
      ['64', '60.0 ±0 %', '1.50 ±0 %', '54.0 ±0 %'],
      ['1024', '60.0 ±0 %', '57.0 ±0 %'],
    ]);
    expect(shares).toContain('90 %');
    expect(shares).toContain('95 %');
    const lengths = placeTables(cases)
      .split('\n\n')[0]
      .split('\n')
      .map((line) => line.length);
    expect(new Set(lengths).size).toBe(1); // aligned to the right
  });

  test('working memory, in all and for one token', () => {
    const results = evaluate([
      { subject: 'full', times: [2], scratch: 128 * 2 ** 14 },
      { subject: 'online', times: [2], scratch: 128 * 2 ** 10 },
      { subject: '2 threads', times: [1] },
    ]);
    const tables = placeTables([
      { group: 'attention', name: 'T=128', about: { time: 128 }, results },
    ]).split('\n\n');
    expect(tables).toHaveLength(2);
    expect(tables[1].split('\n').map((row) => row.split(/\s{2,}/))).toEqual([
      ['working memory, KiB', 'full', 'online'],
      ['T=128', '2048 = T * 16.0', '128 = T * 1.00'],
    ]);
  });

  test('Markdown, and columns', () => {
    expect(
      markdown([
        ['a', 'b'],
        ['1', '2'],
      ]),
    ).toBe('| a | b |\n| --- | ---: |\n| 1 | 2 |');
    expect(
      align([
        ['a', 'bb'],
        ['ccc', 'd'],
      ]),
    ).toBe('a    bb\nccc   d');
  });

  test('peers: how many times faster Tril is than each, and than the best that is right', () => {
    const results = [
      ...evaluate([
        { subject: 'Tril', times: [2, 2, 2] },
        { subject: 'one', times: [3, 3, 3] },
        { subject: 'other', times: [5, 5, 5] },
      ]),
      { subject: 'third', failed: 'its result is off' },
    ];
    const text = peerTables([{ group: 'softmax', name: '8x8', results }]);
    const rows = text.split('\n').map((line) => line.split(/\s{2,}/));
    expect(rows[0].slice(0, 2)).toEqual(['softmax 8x8', 'ms']);
    expect(rows[2]).toEqual(['one', '3.00 ±0 %', '1.50', '1.50']);
    expect(rows[4]).toEqual(['the best of them', '1.50', '1.50']);
    expect(rows[5].join('')).toBe('third fails: its result is off');
  });

  test('peers: what is packed before stands beside what is', () => {
    const results = evaluate([
      { subject: 'Tril', times: [4, 4, 4] },
      { subject: 'Tril: packed before', times: [2, 2, 2] },
      { subject: 'one: packed before', times: [3, 3, 3] },
      { subject: 'one: both given', times: [5, 5, 5] },
    ]);
    const text = peerTables([{ group: 'matmul', name: '8x8', results }]);
    const rows = text.split('\n').map((line) => line.split(/\s{2,}/));
    expect(rows[3]).toEqual(['one: packed before', '3.00 ±0 %', '1.50', '1.50']);
    expect(rows[4]).toEqual(['one: both given', '5.00 ±0 %', '1.25', '1.25']);
    expect(rows[5]).toEqual(['the best of them', '1.50', '1.50']);
  });
});

describe('plot', () => {
  const cases = [64, 256, 1024].map((n) => matmulCase(n, { peak: 60, 'a<b': 6, tiled: 57 }));

  test('its top is the peak, its lines go through the medians', () => {
    const svg = plot(cases, 'Products & more');
    expect(svg).toContain('aria-label="Products &#38; more"');
    expect(svg).not.toContain('a<b');
    const peakY = Number(/<line class="peak"[^>]* y1="([\d.]+)"/.exec(svg)[1]);
    const zeroY = Number(/y1="([\d.]+)"[^>]*\/><text[^>]*>0<\/text>/.exec(svg)[1]);
    const points = /<g[^>]*data-name="tiled"><polyline points="([^"]+)"/.exec(svg)[1].split(' ');
    const places = points.map((point) => point.split(',').map(Number));
    for (const [, y] of places) expect((zeroY - y) / (zeroY - peakY)).toBeCloseTo(57 / 60, 2);
    // 64, 256 and 1024 are evenly spaced on a logarithmic axis.
    expect(places[1][0] - places[0][0]).toBeCloseTo(places[2][0] - places[1][0], 0);
  });

  test('nothing is drawn of one size, or without a peak', () => {
    expect(plot(cases.slice(0, 1), '')).toBeUndefined();
    expect(plot([matmulCase(8, { tiled: 1 }), matmulCase(16, { tiled: 1 })], '')).toBeUndefined();
  });

  test('axis steps are round, labels keep apart and inside', () => {
    expect(steps(63)).toEqual([0, 10, 20, 30, 40, 50, 60]);
    expect(steps(262)).toEqual([0, 50, 100, 150, 200, 250]);
    const places = spread([50, 52, 10, 100, 99], 15, 100);
    const sorted = [...places].sort((one, other) => one - other);
    for (let i = 1; i < sorted.length; i += 1)
      expect(sorted[i] - sorted[i - 1]).toBeGreaterThanOrEqual(15);
    expect(Math.max(...places)).toBeLessThanOrEqual(100);
    expect(places[2]).toBe(10);
  });
});

test('reports of Google Benchmark: the thread’s time in ms, on two the clock’s, the fastest peak', () => {
  const line = (run_name, cpu_time, more = {}) => ({
    ...{ run_name, cpu_time, real_time: 1e9, run_type: 'iteration', time_unit: 'us', ...more },
  });
  const benchmarks = [
    line('peak/baseline', 1000, { 'FLOP/s': 5e9 }),
    line('peak/avx512', 1000, { 'FLOP/s': 2e11 }),
    line('matmul/auto/256x256x256', 250),
    line('matmul/auto/256x256x256', 500),
    line('matmul/openblas/256x256x256', 130),
    line('matmul/auto/512x512x512', 9000),
    line('softmax/1024x1024', 7000, { time_unit: 'ns' }),
    line('causal_attention/auto/T1024', 60, { scratch: 4096 }),
    line('causal_attention/full/T1024', 70, { scratch: 8192 }),
    line('causal_attention/2_threads/T1024/real_time', 60, { real_time: 35 }),
    line('decoding/auto/S1024', 50),
    line('decoding/memory/S1024', 40),
    line('block/prepared/8xT128', 20),
    line('block/given/8xT128', 30),
    line('block/given/T128', 3),
    line('layer_norm/1024x768', 50),
    line('training/nanogpt/1_threads', 40),
    line('training/nanogpt/2_threads/real_time', 45, { real_time: 25 }),
    line('matmul/auto/256x256x256', 1, { run_type: 'aggregate' }),
  ];
  const named = (name) => allCases.find((each) => each.name === name);
  const read = (name) => readBenchmarks({ benchmarks }, named(name));
  const flops = 2 * 256 ** 3;
  expect(read('256')).toEqual([
    { subject: 'peak', flops: 2e8, times: [1] },
    { subject: 'auto', flops, times: [0.25, 0.5] },
    { subject: 'OpenBLAS', flops, times: [0.13] },
  ]);
  expect(read('1024x1024')).toEqual([{ subject: 'auto', times: [expect.closeTo(0.007, 9)] }]);
  const peak = { subject: 'peak', flops: 2e8, times: [1] };
  const { needed } = named('T=1024');
  expect(needed).toBe(4 * 8 * 64 * 1024 * 512.5); // half of all, and the diagonal
  expect(read('T=1024')).toEqual([
    peak,
    { subject: 'full', needed, scratch: 8192, times: [expect.closeTo(0.07, 9)] },
    { subject: 'auto', needed, scratch: 4096, times: [expect.closeTo(0.06, 9)] },
    { subject: '2 threads', threads: 2, needed, times: [expect.closeTo(0.035, 9)] },
  ]);
  const ofBlock = { needed: named('8xT=128').needed };
  expect(read('8xT=128')).toEqual([
    peak,
    { subject: 'auto', ...ofBlock, times: [expect.closeTo(0.03, 9)] },
    { subject: 'weights packed before', ...ofBlock, times: [expect.closeTo(0.02, 9)] },
  ]);
  const bytes = 2 * 8 * 1024 * 64 * 4;
  expect(read('S=1024')).toEqual([
    { subject: 'memory', bytes, times: [expect.closeTo(0.04, 9)] },
    { subject: 'auto', bytes, times: [expect.closeTo(0.05, 9)] },
  ]);
  expect(read('1024x768')).toEqual([{ subject: 'auto', times: [expect.closeTo(0.05, 9)] }]);
  const { flops: ofStep } = named('nanogpt');
  expect(read('nanogpt')).toEqual([
    peak,
    { subject: 'auto', flops: ofStep, times: [expect.closeTo(0.04, 9)] },
    { subject: '2 threads', threads: 2, flops: ofStep, times: [expect.closeTo(0.025, 9)] },
  ]);
  const broken = line('peak/avx2', 0, { error_occurred: true, error_message: 'no', name: 'x' });
  expect(() => readBenchmarks({ benchmarks: [broken] }, named('256'))).toThrow('x: no');
});

test('a result of another length, or with a NaN, differs', () => {
  expect(difference([1, 2, 4.1], [1, 2, 4])).toBeCloseTo(0.025, 6);
  expect(difference([1, 2], [1, 2, 4])).toBe(Infinity);
  expect(difference([1, NaN, 4], [1, 2, 4])).toBeNaN();
});

test('options: places, groups and threads that there are', () => {
  const read = (...args) => readOptions({ node: [], chromium: [] }, { threads: 2 }, args);
  expect(read()).toEqual({
    where: ['node', 'chromium'],
    into: 'build/bench',
    markdown: false,
    request: { quick: false, only: [], threads: 2 },
  });
  expect(read('--only', 'matmul,softmax', '--where', 'node').request.only).toEqual([
    'matmul',
    'softmax',
  ]);
  expect(() => read('--only', 'matmull')).toThrow('--only knows no "matmull"');
  expect(() => read('--where', 'moon')).toThrow('--where knows no "moon"');
  expect(() => read('--threads', '0')).toThrow('--threads must be from 1 to 32, is 0');
});

test('the whole command ends with results that make sense', { timeout: 600_000 }, () => {
  const script = fileURLToPath(new URL('../../wasm/bench/bench.mjs', import.meta.url));
  const into = mkdtempSync(join(tmpdir(), 'tril-bench-'));
  try {
    const args = ['--quick', '--only', 'matmul,training', '--where', 'node', '--threads', '1'];
    execFileSync(process.execPath, [script, ...args, '--into', into], { encoding: 'utf8' });
    const measured = JSON.parse(readFileSync(join(into, 'node.json'), 'utf8'));
    expect(measured.engine).toBe(`Node ${process.versions.node}`);
    expect(['simd', 'relaxed']).toContain(measured.done.variant);
    expect(measured.cases.map(({ name }) => name)).toEqual([
      ...['16', '64', '256', '1x768x3072', 'nanogpt'],
    ]);
    for (const {
      group,
      results,
      about: { flops },
    } of measured.cases) {
      const methods = group === 'matmul' ? ['ijk', 'eigen', 'tiled'] : [];
      expect(results.map(({ subject }) => subject)).toEqual(
        expect.arrayContaining(['peak', ...methods, 'auto']),
      );
      for (const { subject, median, best, worst, times, gflops, ...rest } of results) {
        expect(times.length).toBe(5);
        expect(best).toBeGreaterThan(0);
        expect(median).toBeGreaterThanOrEqual(best);
        expect(worst).toBeGreaterThanOrEqual(median);
        if (subject !== 'peak') expect(rest.flops).toBe(flops);
        expect(gflops).toBeCloseTo(rest.flops / median / 1e6, 6);
      }
    }
    expect(readFileSync(join(into, 'matmul-node.svg'), 'utf8')).toMatch(/^<svg [^]*<\/svg>\n$/);
  } finally {
    rmSync(into, { recursive: true });
  }
});
