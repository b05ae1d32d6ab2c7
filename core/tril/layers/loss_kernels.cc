#include <tril/foundation/exp.h>
#include <tril/layers/lanes.h>
#include <tril/layers/loss_kernels.h>
#include <tril/layers/rows.h>
#include <tril/layers/squares.h>

namespace tril::TRIL_ISA {
namespace {

// Rows are summed in blocks of this many elements, and the blocks in double: the error of a sum
// grows with the block, not with the row.
constexpr Index kBlock = 1024;

template <typename Body>
void for_each_block(Index count, const Body& body) noexcept {
  for (Index first = 0; first < count; first += kBlock) {
    body(first, count - first < kBlock ? count - first : kBlock);
  }
}

bool is_first_largest(const float* x, Index target, float largest) noexcept {
  if (x[target] != largest) return false;
  for (Index i = 0; i < target; ++i) {
    if (x[i] == largest) return false;
  }
  return true;
}

// maximum = max x;  e[i] = e^(x[i] - maximum);  sum = e[0] + e[1] + ...
// d_x[i] = factor / sum * e[i] - factor * share
//
// d_x holds e meanwhile. It may be x, which is not read after that.
LossKernels::Row cross_entropy(const float* x, Index target, float* d_x, Index count, float factor,
                               float share, float rest) noexcept {
  const float largest = row_max(x, count);
  const bool correct = is_first_largest(x, target, largest);
  const Register shift = broadcast(shift_of(largest));
  const NonpositiveExp exp;
  double powers = 0, values = 0;
  for_each_block(count, [&](Index first, Index length) {
    Register block_powers{}, block_values{};
    for_each_register(length, [&](Index i, auto lanes) {
      const Register value = lanes.get(x + first + i), power = exp(value - shift);
      block_values += value;
      block_powers += lanes.keep(power);
      if (d_x) lanes.put(d_x + first + i, power);
    });
    powers += static_cast<double>(reduce_add(block_powers));
    values += static_cast<double>(reduce_add(block_values));
  });
  if (d_x) {
    const Register scale = broadcast(powers == 0 ? 0.0f : static_cast<float>(factor / powers));
    const Register offset = broadcast(-factor * share);
    for_each_register(count, [&](Index i, auto lanes) {
      lanes.put(d_x + i, madd(scale, lanes.get(d_x + i), offset));
    });
    d_x[target] -= factor * rest;
  }
  return {shift[0], powers, values, correct};
}

double squared_error(const float* x, const float* y, float* d_x, Index count,
                     float factor) noexcept {
  const Register scale = broadcast(factor);
  double sum = 0;
  for_each_block(count, [&](Index first, Index length) {
    Register squares{};
    for_each_register(length, [&](Index i, auto lanes) {
      const Register difference = lanes.get(x + first + i) - lanes.get(y + first + i);
      squares = madd(difference, difference, squares);
    });
    sum += in_range_or_double(reduce_add(squares), length, [&](Index i) noexcept {
      return static_cast<double>(x[first + i]) - static_cast<double>(y[first + i]);
    });
    if (!d_x) return;  // after the sum, since it may be x
    for_each_register(length, [&](Index i, auto lanes) {
      const Register difference = lanes.get(x + first + i) - lanes.get(y + first + i);
      lanes.put(d_x + first + i, scale * difference);
    });
  });
  return sum;
}

}  // namespace

extern const LossKernels kLossKernels;
const LossKernels kLossKernels{cross_entropy, squared_error};

}  // namespace tril::TRIL_ISA
