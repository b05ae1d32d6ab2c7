// Figures as programs elsewhere: NumPy, PyTorch or C++ with all inputs, which compute the same and print the difference
// from the digits that the page has shown.
import type { MatrixData } from '../compute/page/protocol';
import { cppComment, pythonComment } from './quoting';

/** A program: its inputs by name, the lines that compute `result`, and the expected value. */
export interface Program {
  /** One line that describes it. */
  readonly about: string;
  readonly inputs: Readonly<Record<string, MatrixData>>;
  readonly steps: string;
  /** An expression for a matrix of the shape of `expected`. */
  readonly result: string;
  readonly expected: MatrixData;
}

/** The shortest decimal that reads back as the same float32. */
export function literal(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  if (Object.is(value, -0)) return '-0.0';
  for (let digits = 1; digits < 9; ++digits) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return String(shorter);
  }
  return String(Number(value.toPrecision(9)));
}

function lines(
  { rows: height, cols, data }: MatrixData,
  write: (value: number) => string,
): string[] {
  return Array.from({ length: height }, (_, row) =>
    Array.from(data.subarray(row * cols, (row + 1) * cols), write).join(', '),
  );
}

/** Nested lists in Python's notation. */
export function rows(matrix: MatrixData): string {
  return `[\n${lines(matrix, literal)
    .map((line) => `    [${line}],`)
    .join('\n')}\n]`;
}

function numpyArray(name: string, matrix: MatrixData): string {
  return `${name} = np.array(${rows(matrix)}, dtype=np.float32)`;
}

function torchTensor(name: string, matrix: MatrixData): string {
  return `${name} = torch.tensor(${rows(matrix)}, dtype=torch.float32)`;
}

/** A literal with a point if the number is an integer, which C++ converts to float only if it is exact. */
const cppLiteral = (value: number) =>
  literal(value)
    .replace('nan', 'NAN')
    .replace('inf', 'INFINITY')
    .replace(/^-?\d{8,}$/u, '$&.0');

/** A view of literal numbers. */
function cppMatrix(name: string, matrix: MatrixData): string {
  const numbers = lines(matrix, cppLiteral).map((line) => `      ${line},`);
  return `  const float ${name}_numbers[] = {
${numbers.join('\n')}
  };
  const tril::MatrixView<const float> ${name}(${name}_numbers, {${matrix.rows}, ${matrix.cols}});`;
}

/** Matrices of one width, joined one below the other. */
export function below(...parts: readonly MatrixData[]): MatrixData {
  const { cols } = parts[0];
  const data = new Float32Array(parts.reduce((sum, part) => sum + part.data.length, 0));
  let at = 0;
  for (const part of parts) {
    data.set(part.data, at);
    at += part.data.length;
  }
  return { rows: data.length / cols, cols, data };
}

/** The core's random numbers in Python: a call returns the next normal or uniform ones. */
export const pythonRandom = `def random(seed):  # PCG32 (O'Neill 2014)
    state = 0
    def bits():
        nonlocal state
        old, state = state, (state * 6364136223846793005 + 1442695040888963407) % 2**64
        mixed, turn = ((old >> 18 ^ old) >> 27) % 2**32, old >> 59
        return (mixed >> turn | mixed << (-turn & 31)) % 2**32
    bits()
    state = (state + seed) % 2**64
    bits()
    return lambda: (bits() >> 8) * 2.0**-24
def normal(seed, rows, cols):
    next = random(seed)
    draw = lambda: np.sqrt(-2 * np.log(1 - next())) * np.cos(2 * np.pi * next())
    return np.array([draw() for _ in range(rows * cols)], np.float32).reshape(rows, cols)
`;

function inputs(program: Program, write: (name: string, matrix: MatrixData) => string): string {
  return Object.entries(program.inputs)
    .map(([name, matrix]) => write(name, matrix))
    .join('\n');
}

/** The imports of Python for the names that the lines use. */
const imports = Object.entries({
  'import numpy as np': /\bnp\./u,
  'import torch.nn.functional as F': /\bF\./u,
  'from itertools import product': /\bproduct\(/u,
  'from math import erf, sqrt': /\berf\(/u,
});

const importsOf = ({ steps, result }: Program, without = '') =>
  imports
    .filter(([line, used]) => line !== without && used.test(`${steps}\n${result}`))
    .map(([line]) => `${line}\n`)
    .join('');

export function numpyProgram(program: Program): string {
  return `import numpy as np
from numpy import inf, nan
${pythonComment(program.about)}
${importsOf(program, 'import numpy as np')}
${inputs(program, numpyArray)}

${program.steps}
result = ${program.result}

np.set_printoptions(precision=4, suppress=True)
print(result)

# What the page shows.
${numpyArray('expected', program.expected)}
same = (result == expected) | (np.isnan(result) & np.isnan(expected))
print("largest difference:", np.abs(np.subtract(result, expected, where=~same, out=np.zeros(expected.shape))).max())
`;
}

export function torchProgram(program: Program): string {
  return `import torch
from math import inf, nan
${pythonComment(program.about)}
${importsOf(program)}
${inputs(program, torchTensor)}

${program.steps}
result = ${program.result}

torch.set_printoptions(precision=4, sci_mode=False)
print(result)

# What the page shows.
${torchTensor('expected', program.expected)}
same = (result == expected) | (result.isnan() & expected.isnan())
print("largest difference:", (result - expected).abs().masked_fill(same, 0).max().item())
`;
}

export function cppProgram(program: Program): string {
  return `${cppComment(program.about)}
// With CMake: add_subdirectory(tril), then target_link_libraries(app tril::core).
#include <tril/tril.h>

#include <cmath>
#include <cstdio>

int main() {
${inputs(program, cppMatrix)}

${program.steps.replace(/^(?=.)/gmu, '  ')}
  const tril::MatrixView<const float> result = ${program.result};

  // What the page shows.
${cppMatrix('expected', program.expected)}
  double largest = 0;
  for (tril::Index row = 0; row < result.size(0); ++row) {
    for (tril::Index col = 0; col < result.size(1); ++col) {
      const double value = result[row][col], shown = expected[row][col];
      std::printf("%10.4f", value);
      const bool same = value == shown || (std::isnan(value) && std::isnan(shown));
      const double apart = same ? 0 : std::fabs(value - shown);
      if (std::isnan(apart) || apart > largest) largest = apart;  // NaN, once there, stays
    }
    std::printf("\\n");
  }
  std::printf("largest difference: %g\\n", largest);
}
`;
}
