import { averageMethods } from 'tril';
import { readings, type TracedMethod } from 'tril/lessons';
import { describe, expect, it } from 'vitest';
import { expectRefused, tril, withoutLeak } from './explained.js';
import { epsilon, expectClose, matmul, randomMatrix, randomNumbers } from './reference';

const orders: readonly TracedMethod[] = ['ijk', 'ikj', 'jik', 'jki', 'kij', 'kji', 'blocked'];
const cache = { lineBytes: 16, ways: 8 };

/** Integers from -4 to 4, whose products and sums are exact. */
function integers(rows: number, cols: number, seed: number): number[][] {
  return randomMatrix(rows, cols, seed).map((row) => row.map((x) => Math.round(4 * x)));
}

describe.each(readings)('the product read as %s', (reading) => {
  it('ends in the product, and has its number of steps', () => {
    withoutLeak(() => {
      const [a, b] = [integers(3, 4, 1), integers(4, 2, 2)];
      const { output, partial } = tril.readProduct(tril.tensor(a), tril.tensor(b), { reading });
      expect(output.toArray()).toEqual(matmul(a, b));
      const steps = { dots: 6, rows: 12, columns: 8, outer: 4 }[reading];
      expect(partial.shape).toEqual([steps, 3, 2]);
      expect((partial.toArray() as number[][][]).at(-1)).toEqual(matmul(a, b));
    });
  });
});

it('reads a product by its outer products: after step k the first k + 1 of them', () => {
  const [a, b] = [integers(3, 4, 3), integers(4, 2, 4)];
  const { partial } = tril.readProduct(tril.tensor(a), tril.tensor(b), { reading: 'outer' });
  (partial.toArray() as number[][][]).forEach((sum, k) => {
    const part = matmul(
      a.map((row) => row.slice(0, k + 1)),
      b.slice(0, k + 1),
    );
    expect(sum).toEqual(part);
  });
});

it('refuses a reading that there is not, and shapes that do not fit', () => {
  const [a, b] = [tril.zeros([2, 3]), tril.zeros([2, 3])];
  expectRefused(() => tril.readProduct(a, a, { reading: 'diagonals' as 'dots' }), {
    call: 'readProduct',
    argument: 'reading',
    says: 'unknown reading "diagonals"; there are dots, rows, columns, outer',
  });
  expectRefused(() => tril.readProduct(a, b, { reading: 'dots' }), {
    call: 'readProduct',
    argument: 'b',
    says: "depth 2 does not match a's depth 3",
    shapes: { a: [2, 3], b: [2, 3] },
  });
});

/** A fully associative cache in a few lines: line numbers, the most recently used first. */
function replay(lines: readonly number[], ways: number): { hits: boolean[]; held: number[][] } {
  let held: number[] = [];
  const hits: boolean[] = [];
  const all = lines.map((line) => {
    hits.push(held.includes(line));
    held = [line, ...held.filter((other) => other !== line)].slice(0, ways);
    return held;
  });
  return { hits, held: all };
}

describe.each(orders)('memory under %s', (method) => {
  it('is followed access by access, through a cache that can be replayed', () => {
    withoutLeak(() => {
      const n = 8;
      const [a, b] = [integers(n, n, 5), integers(n, n, 6)];
      const trace = tril.traceProduct(tril.tensor(a), tril.tensor(b), { method, cache });
      expect(trace.output.toArray()).toEqual(matmul(a, b));
      // Matrices of 64 floats, one after the other, 4 floats per cache line.
      const lines = Array.from({ length: trace.count }, (_, i) => {
        const [matrix, , row, col] = trace.accesses.subarray(5 * i, 5 * i + 4);
        return Math.floor((n * n * matrix! + n * row! + col!) / 4);
      });
      const { hits, held } = replay(lines, cache.ways);
      const missed = [0, 0, 0];
      const totals = [0, 0];
      for (let i = 0; i < trace.count; ++i) {
        expect(trace.accesses[5 * i + 4], `access ${i}`).toBe(Number(hits[i]));
        if (!hits[i]) missed[trace.accesses[5 * i]!]! += 1;
        expect([...trace.misses.subarray(3 * i, 3 * i + 3)]).toEqual(missed);
        totals[hits[i] ? 0 : 1]! += 1;
        expect([...trace.totals.subarray(2 * i, 2 * i + 2)]).toEqual(totals);
        const there = [...trace.lines.subarray(8 * i, 8 * i + 8)].filter((line) => line >= 0);
        expect(there).toEqual(held[i]);
      }
    });
  });

  it('misses as often as counted on paper', () => {
    const n = 16;
    const a = tril.zeros([n, n]);
    const { misses } = tril.traceProduct(a, a, { method, cache });
    const sum = misses.slice(-3).reduce((x, y) => x + y);
    expect(tril.expectedMisses(n, { method, cache })).toBe(sum);
    a.dispose();
  });
});

it('counts no misses on paper where the paper does not hold', () => {
  expect(tril.expectedMisses(15, { method: 'ijk', cache })).toBeNull();
  expect(tril.expectedMisses(16, { method: 'ijk', cache: { ...cache, sets: 2 } })).toBeNull();
  expect(tril.expectedMisses(16, { method: 'ijk', cache: { ...cache, ways: 100 } })).toBeNull();
});

it('refuses to trace what it cannot', () => {
  const a = tril.zeros([64, 64]);
  const call = 'traceProduct';
  expectRefused(() => tril.traceProduct(a, a, { method: 'tiled' as 'ijk', cache }), {
    call,
    argument: 'method',
    says: 'must be one of the six loop orders or blocked',
  });
  expectRefused(() => tril.traceProduct(a, a, { method: 'ijk', cache: { ...cache, ways: 99 } }), {
    call,
    argument: 'b',
    says: 'too large to trace',
  });
  expectRefused(
    () => tril.traceProduct(a, a, { method: 'ijk', cache: { lineBytes: 0, ways: 1 } }),
    {
      call,
      argument: 'lineBytes',
      says: 'must be a whole number of at least 1',
    },
  );
});

describe('one level of Strassen', () => {
  const quarter = (matrix: number[][], q: number) => {
    const [rows, cols] = [matrix.length / 2, matrix[0]!.length / 2];
    const [top, left] = [Math.floor(q / 2) * rows, (q % 2) * cols];
    return matrix.slice(top, top + rows).map((row) => row.slice(left, left + cols));
  };
  const sumOf = (parts: number[][][], signs: readonly number[]) =>
    parts[0]!.map((row, i) =>
      row.map((_, j) => parts.reduce((sum, part, p) => sum + signs[p]! * part[i]![j]!, 0)),
    );

  it('is seven products of sums, as its signs say', () => {
    withoutLeak(() => {
      const [a, b] = [integers(4, 6, 7), integers(6, 2, 8)];
      const { output, left, right, products } = tril.strassenLevel(tril.tensor(a), tril.tensor(b));
      const signs = tril.strassenSigns();
      expect(signs.length).toBe(7);
      const quarters = (m: number[][]) => [0, 1, 2, 3].map((q) => quarter(m, q));
      const [lefts, rights, made] = [left, right, products].map((t) => t.toArray() as number[][][]);
      for (const [p, sign] of signs.entries()) {
        expect(lefts![p]).toEqual(sumOf(quarters(a), sign.left));
        expect(rights![p]).toEqual(sumOf(quarters(b), sign.right));
        expect(made![p]).toEqual(matmul(lefts![p]!, rights![p]!));
      }
      const result = output.toArray() as number[][];
      expect(result).toEqual(matmul(a, b));
      for (const q of [0, 1, 2, 3]) {
        const into = signs.map((sign) => sign.out[q]!);
        expect(quarter(result, q)).toEqual(sumOf(made!, into));
      }
    });
  });

  it('refuses what has no quarters', () => {
    const a = tril.zeros([3, 2]);
    const b = tril.zeros([2, 2]);
    expectRefused(() => tril.strassenLevel(a, b), {
      call: 'strassenLevel',
      argument: 'b',
      says: 'every axis must be even',
    });
  });
});

describe('the error of a product', () => {
  const n = 64;
  const [a, b] = [randomMatrix(n, n, 9), randomMatrix(n, n, 10)];

  it('is its distance from the product in double, within the bound', () => {
    withoutLeak(() => {
      const [x, y] = [tril.tensor(a), tril.tensor(b)];
      for (const method of ['ijk', 'tiled'] as const) {
        const { error, largest, rms } = tril.productError(x, y, { method });
        const product = tril.matmul(x, y, { method }).read();
        const expected = matmul(a, b).flat();
        const distances = expected.map((value, i) => product[i]! - value);
        // Two sums of n products in double precision, each at most 1 in size, and their distance in float32.
        const farthest = Math.max(...distances.map(Math.abs));
        const tolerance = 2 * n * n * 2 ** -53 + (epsilon / 2) * farthest;
        expectClose(error.read(), distances, tolerance);
        const squares = distances.reduce((sum, d) => sum + d * d, 0);
        const expectedRms = Math.sqrt(squares / distances.length);
        expectClose([largest, rms], [farthest, expectedRms], tolerance);
        expect(largest).toBeGreaterThan(0);
        expect(largest).toBeLessThanOrEqual(n * epsilon * n);
      }
    });
  });

  it('grows with the levels of Strassen', () => {
    withoutLeak(() => {
      const [x, y] = [tril.tensor(a), tril.tensor(b)];
      const error = (levels: number) => tril.productError(x, y, { method: 'strassen', levels }).rms;
      expect(error(0)).toBe(tril.productError(x, y, { method: 'tiled' }).rms);
      expect(error(1)).toBeGreaterThan(error(0));
      expect(error(2)).toBeGreaterThan(error(1));
    });
  });

  it('refuses levels that a method does not have', () => {
    const x = tril.zeros([2, 2]);
    expectRefused(() => tril.productError(x, x, { method: 'ijk', levels: 1 }), {
      call: 'productError',
      argument: 'levels',
      says: 'only strassen has levels',
    });
    expectRefused(() => tril.productError(x, x, { method: 'strassen', levels: 3 }), {
      call: 'productError',
      argument: 'levels',
      says: 'must be 0 to 2, is 3',
    });
  });
});

it('runs in registers, twice as long for twice the rounds', () => {
  expect(tril.runPeak(1000)).toBe(1000 * tril.runPeak(1));
  expect(tril.runPeak(1)).toBeGreaterThanOrEqual(2 * 4);
  expectRefused(() => tril.runPeak(0), { call: 'runPeak', argument: 'rounds', says: 'at least 1' });
});

describe.each(averageMethods)('the running average by %s', (method) => {
  it('gives the worked example', () => {
    withoutLeak(() => {
      const x = tril.tensor([[[2, 7], [6, 4], [6, 5]]]); // prettier-ignore
      const { output } = tril.runningAverage(x, { method });
      // The same tolerance as below, for numbers up to 7.
      const tolerance = (3 + 4) * epsilon * 7;
      expectClose(output.read(), [2, 7, 4, 5.5, 14 / 3, 16 / 3], tolerance);
    });
  });

  it('averages every sequence of a batch by itself', () => {
    withoutLeak(() => {
      const [batch, length, width] = [3, 11, 2];
      const numbers = randomNumbers(batch * length * width, 12);
      const x = tril.tensor([batch, length, width], numbers);
      const { output, weights } = tril.runningAverage(x, { method });
      const mean = (b: number, t: number, c: number) => {
        let sum = 0;
        for (let s = 0; s <= t; ++s) sum += numbers[(b * length + s) * width + c]!;
        return sum / (t + 1);
      };
      const expected = numbers.map((_, i) =>
        mean(Math.floor(i / (length * width)), Math.floor(i / width) % length, i % width),
      );
      expectClose(output.read(), expected, (length + 4) * epsilon);
      expect(weights === undefined).toBe(method === 'loops');
      for (const [t, row] of ((weights?.toArray() ?? []) as number[][]).entries()) {
        expectClose(
          row,
          row.map((_, s) => (s <= t ? 1 / (t + 1) : 0)),
          epsilon,
        );
      }
    });
  });
});

describe('the running average', () => {
  it('sums, by loops and by a matrix', () => {
    const x = tril.tensor([1, 3, 1], [2, 4, 6]);
    for (const method of ['loops', 'matrix'] as const) {
      expect([...tril.runningAverage(x, { method, sum: true }).output.read()]).toEqual([2, 6, 12]);
    }
  });

  it('lets the future in through zeros in place of -inf', () => {
    const x = tril.tensor([1, 4, 1], [2, 4, 6, 8]);
    const { output, mask } = tril.runningAverage(x, { method: 'softmax', hidden: 0 });
    expect([...output.read()]).toEqual([5, 5, 5, 5]);
    expect([...mask!.read()]).toEqual(new Array(16).fill(0));
  });

  it('refuses what does not fit', () => {
    const x = tril.zeros([1, 3, 2]);
    const call = 'runningAverage';
    expectRefused(() => tril.runningAverage(x, { method: 'softmax', sum: true }), {
      call,
      argument: 'sum',
      says: 'cannot give sums',
    });
    expectRefused(() => tril.runningAverage(x, { hidden: 0 }), {
      call,
      argument: 'hidden',
      says: 'is softmax',
    });
    expectRefused(() => tril.runningAverage(x, { method: 'softmax', hidden: Number.NaN }), {
      call,
      argument: 'hidden',
      says: 'must be finite or -inf',
    });
    const flat = tril.zeros([3, 2]);
    expectRefused(() => tril.runningAverage(flat), {
      call,
      argument: 'x',
      says: 'must have three axes',
    });
  });
});
