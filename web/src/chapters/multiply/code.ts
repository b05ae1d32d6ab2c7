// This chapter's figures as programs elsewhere.
import type { Reading, StrassenSigns, TracedMethod } from 'tril/lessons';
import type { Factors, MemoryTotals } from '../../compute/worker/lessons/multiply';
import type { MatrixData } from '../../compute/page/protocol';
import { programs } from '../../figures/program';
import { shape } from './memory';

/** The loops around the line that a reading repeats, in Python. */
const loops = (lib: string): Readonly<Record<Reading, string>> => ({
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
    C += ${lib}.outer(A[:, k], B[k])`,
});

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
  const given = {
    about: `C = A B, ${readingNames[reading]}`,
    inputs: { A: a, B: b },
    expected: product,
  };
  return programs(given, (say) => ({
    steps: [
      say.by({
        numpy: `C = np.zeros((len(A), B.shape[1]), dtype=np.float32)\n${loops('np')[reading]}`,
        pytorch: `C = torch.zeros(len(A), B.shape[1])\n${loops('torch')[reading]}`,
        cpp: (c) => `${c.matrices({ C: [a.rows, b.cols] })}
int steps = 0;
tril::read_product(A, B, tril::Reading::${cppReadings[reading]}, C,
                   [&](const tril::ReadingStep&) { ++steps; });
std::printf("%d steps\\n", steps);`,
      }),
    ],
    result: 'C',
  }));
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
  return programs({ about, inputs: {}, expected }, (say) => ({
    steps: [
      say.by({
        python: memorySteps(order),
        cpp: (c) => `${c.matrices({ a: [n, n], b: [n, n], c: [n, n] })}
tril::CacheModel cache({.line_bytes = ${4 * lineFloats}, .ways = ${lines}, .sets = 1});
tril::trace_matmul(a, b, {.method = tril::MatmulMethod::${order}},
                   {.a = 0, .b = ${4 * n * n}, .out = ${8 * n * n}, .block = ${block}}, c,
                   [&](const tril::MatrixAccess& access) { cache.access(access.address); });
const float hits = static_cast<float>(cache.hits()), misses = static_cast<float>(cache.misses());
const float counted[] = {hits + misses, hits, misses};`,
      }),
    ],
    result: {
      python: (p) => p.arrayOf('[[hits + misses, hits, misses]]'),
      cpp: '{counted, {1, 3}}',
    },
  }));
}

export function strassenCode(
  { a, b }: Factors,
  signs: readonly StrassenSigns[],
  product: MatrixData,
) {
  const given = {
    about: 'Strassen 1969: seven products of quarters in place of eight',
    inputs: { A: a, B: b },
    expected: product,
  };
  const list = (values: readonly number[]) => `[${values.join(', ')}]`;
  const table = signs
    .map(({ left, right, out }) => `    (${[left, right, out].map(list).join(', ')}),`)
    .join('\n');
  const half = a.rows / 2;
  return programs(given, (say) => ({
    steps: [
      say.by({
        python: (
          p,
        ) => `# Signs of the quarters 11, 12, 21, 22: of A, of B, and where the product goes in C.
signs = [\n${table}\n]
def quarters(X):
    return X[:${half}, :${half}], X[:${half}, ${half}:], X[${half}:, :${half}], X[${half}:, ${half}:]
def blend(factors, matrices):
    return sum(factor * matrix for factor, matrix in zip(factors, matrices))
products = [blend(left, quarters(A)) @ blend(right, quarters(B)) for left, right, _ in signs]
c = [blend([out[q] for _, _, out in signs], products) for q in range(4)]
C = ${p.joinOf(`[${p.joinOf('c[:2]', 1)}, ${p.joinOf('c[2:]', 1)}]`)}`,
        cpp: (c) => `${c.matrices({ C: [a.rows, b.cols] })}
tril::Buffer<float, 3> left({7, ${half}, ${half}}), right(left.shape()), products(left.shape());
tril::strassen_level(A, B, C, {left, right, products});`,
      }),
    ],
    result: 'C',
  }));
}
