// Writes a graph as a C++ program on Tril's core: a buffer for each value, and a statement that fills it.
import { isFused, isInput, type Step } from './plan.js';
import { float } from './program-python.js';
import { nameIn, type Source } from './program-source.js';

const write = (value: number): string =>
  Number.isFinite(value)
    ? float(value)
    : String(value).replace('Infinity', 'INFINITY').replace('NaN', 'NAN');

export function cppProgram(source: Source): string {
  const numbers = (step: Step) => Array.from(source.numbers(step), write).join(', ');
  const buffer = (step: Step) => {
    const { output } = source.sized(step);
    return `Buffer<float, ${output.length}> ${nameIn(step)}({${output.join(', ')}});`;
  };
  const lines = source.steps.flatMap((step) => {
    const name = nameIn(step);
    if (isInput(step)) {
      return [
        buffer(step),
        `std::ranges::copy(std::vector<float>{${numbers(step)}}, ${name}.data());`,
      ];
    }
    if (isFused(step.operation)) return [];
    const args = step.inputs.map(nameIn);
    return [buffer(step), ...step.operation.cpp(args, source.sized(step), name).split('\n')];
  });
  const compared = source.shown.map(
    (step) => `differ<${step.shape.length}>(${nameIn(step)}, {${numbers(step)}});`,
  );
  const body = [...lines, '', '// What was found.', ...compared];
  return `#include <tril/tril.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

using namespace tril;

static double largest = 0;

template <int Rank>
void differ(TensorView<const float, Rank> found, const std::vector<float>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const float a = found.data()[i], b = expected[i];
    if (a != b && !(std::isnan(a) && std::isnan(b)))
      largest = std::max(largest, std::abs(double{a} - b));
  }
}

int main() {
${body.map((line) => (line ? `  ${line}` : '')).join('\n')}
  std::printf("largest difference: %g\\n", largest);
}
`;
}
