// This chapter's figures as programs elsewhere.
import type { Reading, StrassenSigns, TracedMethod } from 'tril';
import type { Factors, MemoryTotals } from '../../compute/lessons/multiply';
import type { MatrixData } from '../../compute/protocol';
import { cppProgram, numpyProgram, torchProgram } from '../../figures/code';
import { shape } from './memory';

/** The loops around the line that a reading repeats, in Python. */
function loops(reading: Reading, outer: string): string {
  const line: Record<Reading, string> = {
    dots: `for i in range(len(A)):
    for j in range(B.shape[1]):
        C[i, j] = A[i] @ B[:, j]`,
    rows: `for i in range(len(A)):
    for k in range(len(B)):
        C[i] += A[i, k] * B[k]`,
    columns: `for j in range(B.shape[1]):
    for k in range(len(B)):
        C[:, j] += A[:, k] * B[k, j]`,
    outer: `for k in range(len(B)):
    C += ${outer}(A[:, k], B[k])`,
  };
  return line[reading];
}

const readingNames: Record<Reading, string> = {
  dots: 'dot products',
  rows: 'rows',
  columns: 'columns',
  outer: 'outer products',
};

const cppReadings: Record<Reading, string> = {
  dots: 'dot_products',
  rows: 'row_combinations',
  columns: 'column_combinations',
  outer: 'outer_products',
};

export function readingCode({ a, b }: Factors, reading: Reading, product: MatrixData) {
  const about = `C = A B, ${readingNames[reading]}`;
  const python = { about, inputs: { A: a, B: b }, result: 'C', expected: product };
  return {
    numpy: () =>
      numpyProgram({
        ...python,
        steps: `C = np.zeros((len(A), B.shape[1]), dtype=np.float32)\n${loops(reading, 'np.outer')}`,
      }),
    pytorch: () =>
      torchProgram({
        ...python,
        steps: `C = torch.zeros(len(A), B.shape[1])\n${loops(reading, 'torch.outer')}`,
      }),
    cpp: () =>
      cppProgram({
        about,
        inputs: { a, b },
        uses: ['lessons/readings'],
        steps: `tril::Buffer<float, 2> c({${a.rows}, ${b.cols}});
int steps = 0;
tril::read_product(a, b, tril::Reading::${cppReadings[reading]}, c,
                   [&](const tril::ReadingStep&) { ++steps; });
std::printf("%d steps\\n", steps);`,
        result: 'c.view()',
        expected: product,
      }),
  };
}

/** The order's loops around the two or three accesses of its innermost one, and a cache that counts. */
function memorySteps(order: TracedMethod): string {
  const { n, lineFloats, lines, block } = shape;
  const [outer, middle, inner] = order;
  const around = `for ${outer} in range(n):
    for ${middle} in range(n):
        `;
  const calls: Record<string, string> = {
    k: 'dot(i, j)',
    j: 'add_row(i, k, range(n))',
    i: 'add_column(k, j)',
  };
  const cleared =
    'for i in range(n):\n    for j in range(n):\n        touch(2, i, j)  # C begins with zeros\n';
  const loops =
    order === 'blocked'
      ? `${cleared}for i0, k0, j0 in product(range(0, n, ${block}), repeat=3):
    for i in range(i0, i0 + ${block}):
        for k in range(k0, k0 + ${block}):
            add_row(i, k, range(j0, j0 + ${block}))`
      : `${inner === 'k' ? '' : cleared}${around}${calls[inner]}`;
  return `n, held, counts = ${n}, [], [0, 0]  # misses, hits
def touch(matrix, row, col):  # 0, 1, 2 for A, B, C, one after the other in memory
    line = (matrix * n * n + row * n + col) // ${lineFloats}
    counts[line in held] += 1
    if line in held:
        held.remove(line)
    held.append(line)
    del held[:-${lines}]  # the ${lines} lines that were used last
def dot(i, j):
    for k in range(n):
        touch(0, i, k), touch(1, k, j)
    touch(2, i, j)
def add_row(i, k, columns):
    touch(0, i, k)
    for j in columns:
        touch(2, i, j), touch(1, k, j), touch(2, i, j)
def add_column(k, j):
    touch(1, k, j)
    for i in range(n):
        touch(2, i, j), touch(0, i, k), touch(2, i, j)
${loops}
misses, hits = counts`;
}

/** Accesses, hits and misses, as the core counts them. */
export function memoryCode(order: TracedMethod, { accesses, hits, misses }: MemoryTotals) {
  const { n, lineFloats, lines, block } = shape;
  const expected = {
    rows: 1,
    cols: 3,
    data: Float32Array.of(accesses, hits, misses),
  };
  const about = `Loops ${order === 'blocked' ? order : [...order].join(' ')}, ${n} x ${n}, a cache of ${lines} lines of ${lineFloats} numbers: accesses, hits, misses`;
  const python = (array: string) => ({
    ...{ about, inputs: {}, uses: ['from itertools import product'], expected },
    steps: memorySteps(order),
    result: `${array}([[hits + misses, hits, misses]])`,
  });
  return {
    numpy: () => numpyProgram(python('np.array')),
    pytorch: () => torchProgram(python('torch.tensor')),
    cpp: () =>
      cppProgram({
        about,
        inputs: {},
        uses: ['lessons/access_trace', 'lessons/cache_model'],
        steps: `tril::Buffer<float, 2> a({${n}, ${n}}), b(a.shape()), c(a.shape());
tril::CacheModel cache({.line_bytes = ${4 * lineFloats}, .ways = ${lines}, .sets = 1});
tril::trace_matmul(a, b, {.method = tril::MatmulMethod::${order}},
                   {.a = 0, .b = ${4 * n * n}, .out = ${8 * n * n}, .block = ${block}}, c,
                   [&](const tril::MatrixAccess& access) { cache.access(access.address); });
const float hits = static_cast<float>(cache.hits()), misses = static_cast<float>(cache.misses());
const float counted[] = {hits + misses, hits, misses};`,
        result: '{counted, {1, 3}}',
        expected,
      }),
  };
}

export function strassenCode(
  { a, b }: Factors,
  signs: readonly StrassenSigns[],
  product: MatrixData,
) {
  const about = 'Strassen 1969: seven products of quarters in place of eight';
  const list = (values: readonly number[]) => `[${values.join(', ')}]`;
  const table = signs
    .map(({ left, right, out }) => `    (${[left, right, out].map(list).join(', ')}),`)
    .join('\n');
  const half = a.rows / 2;
  const steps = (
    join: string,
  ) => `# Signs of the quarters 11, 12, 21, 22: of A, of B, and where the product goes in C.
signs = [\n${table}\n]
def quarters(X):
    return X[:${half}, :${half}], X[:${half}, ${half}:], X[${half}:, :${half}], X[${half}:, ${half}:]
def blend(factors, matrices):
    return sum(factor * matrix for factor, matrix in zip(factors, matrices))
products = [blend(left, quarters(A)) @ blend(right, quarters(B)) for left, right, _ in signs]
c = [blend([out[q] for _, _, out in signs], products) for q in range(4)]
C = ${join}`;
  const python = { about, inputs: { A: a, B: b }, result: 'C', expected: product };
  return {
    numpy: () =>
      numpyProgram({ ...python, steps: steps('np.block([[c[0], c[1]], [c[2], c[3]]])') }),
    pytorch: () =>
      torchProgram({
        ...python,
        steps: steps('torch.cat([torch.cat([c[0], c[1]], 1), torch.cat([c[2], c[3]], 1)])'),
      }),
    cpp: () =>
      cppProgram({
        about,
        inputs: { a, b },
        uses: ['lessons/strassen_level'],
        steps: `tril::Buffer<float, 2> c(a.shape());
tril::Buffer<float, 3> left({7, ${half}, ${half}}), right(left.shape()), products(left.shape());
tril::strassen_level(a, b, c, {left, right, products});`,
        result: 'c.view()',
        expected: product,
      }),
  };
}
