// The answers of chapter "Multiply", computed by the core. There is no arithmetic here.
import type { MatmulMethod } from 'tril';
import type { LessonsTril as Tril, Reading, StrassenSigns, TracedMethod } from 'tril/lessons';
import { products } from '../contests';
import type { Answers } from '../answers';
import type { Runner } from '../../shared/measure-protocol';
import type { MatrixData } from '../../page/protocol';
import type { Time } from '../../shared/steady';
import { timeOfEach } from '../timing';
import { download, stack, upload } from '../../shared/lessons/matrices';

export interface Factors {
  readonly a: MatrixData;
  readonly b: MatrixData;
}

interface ReadingResult {
  readonly output: MatrixData;
  /** The partial sums after every step. */
  readonly partial: readonly MatrixData[];
}

/** The example of the memory figure: square matrices and a fully associative cache. */
export interface MemoryShape {
  readonly n: number;
  readonly lineFloats: number;
  readonly lines: number;
  readonly block: number;
}

export interface MemoryTotals {
  readonly order: TracedMethod;
  readonly accesses: number;
  readonly hits: number;
  readonly misses: number;
  /** Misses divided by accesses. */
  readonly rate: number;
  /** The calculated number of misses; null if the formula does not apply. */
  readonly expected: number | null;
}

export interface MemoryTrace extends MemoryTotals {
  readonly shape: MemoryShape;
  /** The values of traceProduct. */
  readonly steps: Int32Array;
  readonly held: Int32Array;
  readonly missed: Int32Array;
  readonly totals: Int32Array;
}

interface StrassenResult {
  readonly output: MatrixData;
  readonly left: readonly MatrixData[];
  readonly right: readonly MatrixData[];
  readonly products: readonly MatrixData[];
  readonly signs: readonly StrassenSigns[];
}

interface ErrorMap {
  readonly method: MatmulMethod;
  readonly levels: number;
  readonly error: MatrixData;
  readonly largest: number;
  readonly rms: number;
}

export interface MultiplyLessons {
  reading: { ask: Factors & { readonly reading: Reading }; answer: ReadingResult };
  memory: {
    ask: { readonly order: TracedMethod; readonly shape: MemoryShape };
    answer: MemoryTrace;
  };
  totals: {
    ask: { readonly orders: readonly TracedMethod[]; readonly shape: MemoryShape };
    answer: readonly MemoryTotals[];
  };
  strassen: { ask: Factors; answer: StrassenResult };
  /** Times of one product of n x n matrices by each of two methods, and the speedup of the second. */
  race: {
    ask: { readonly runners: readonly [Runner, Runner]; readonly n: number };
    answer: { readonly times: readonly Time[]; readonly ratio: number };
  };
  errors: { ask: { readonly n: number; readonly seed: number }; answer: readonly ErrorMap[] };
}

function trace(tril: Tril, order: TracedMethod, shape: MemoryShape) {
  const zeros = tril.zeros([shape.n, shape.n]);
  const options = {
    method: order,
    block: shape.block,
    cache: { lineBytes: 4 * shape.lineFloats, ways: shape.lines },
  };
  const { count, accesses, lines, ...counts } = tril.traceProduct(zeros, zeros, options);
  const [hits, misses] = counts.totals.slice(-2);
  const inAll: MemoryTotals = {
    order,
    accesses: count,
    ...{ hits, misses },
    rate: tril.cost.ratio(misses, count),
    expected: tril.expectedMisses(shape.n, options),
  };
  const { misses: missed, totals } = counts;
  return { inAll, steps: accesses, held: lines, missed, totals };
}

const strassens = [0, 1, 2].map((levels) => ({ method: 'strassen' as const, levels }));

export const multiplyAnswers: Answers<MultiplyLessons> = {
  reading(tril, { a, b, reading }) {
    const { output, partial } = tril.readProduct(upload(tril, a), upload(tril, b), { reading });
    return { output: download(output), partial: stack(partial) };
  },

  memory(tril, { order, shape }) {
    const { inAll, ...followed } = trace(tril, order, shape);
    return { ...inAll, shape, ...followed };
  },

  totals: (tril, { orders, shape }) =>
    orders.map((order) => tril.scope(() => trace(tril, order, shape).inAll)),

  strassen(tril, { a, b }) {
    const { output, left, right, products } = tril.strassenLevel(upload(tril, a), upload(tril, b));
    return {
      output: download(output),
      left: stack(left),
      right: stack(right),
      products: stack(products),
      signs: tril.strassenSigns(),
    };
  },

  race(tril, { runners, n }) {
    const calls = products.prepare(tril, runners, n).contenders.map(({ call }) => call);
    const times = timeOfEach(calls, { tries: 3 });
    const [one, other] = times.map(({ milliseconds }) => milliseconds);
    return { times, ratio: tril.cost.ratio(one, other) };
  },

  errors(tril, { n, seed }) {
    const a = tril.randomNormal([n, n], { seed });
    const b = tril.randomNormal([n, n], { seed: seed + 1 });
    return strassens.map((way) => {
      const { error, largest, rms } = tril.productError(a, b, way);
      return { ...way, error: download(error), largest, rms };
    });
  },
};
