#include <tril/foundation/exp.h>
#include <tril/layers/lanes.h>
#include <tril/layers/loss_kernels.h>
#include <tril/layers/rows.h>

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

// maximum = max x;  sum = e^(x[0] - maximum) + e^(x[1] - maximum) + ...
// d_x[i] = factor / sum * e^(x[i] - maximum) - factor * share
//
// The exponentials are computed twice rather than held: d_x may be x, whose elements are then gone.
LossKernels::Row cross_entropy(const float* x, Index target, float* d_x, Index count, float factor,
                               float share, float rest) noexcept {
  const float largest = row_max(x, count);
  const Register shift = broadcast(shift_of(largest));
  const NonpositiveExp exp;
  double powers = 0, values = 0;
  for_each_block(count, [&](Index first, Index length) {
    Register block_powers{}, block_values{};
    for_each_register(length, [&](Index i, auto lanes) {
      const Register value = lanes.get(x + first + i);
      block_values += value;
      block_powers += lanes.keep(exp(value - shift));
    });
    powers += static_cast<double>(reduce_add(block_powers));
    values += static_cast<double>(reduce_add(block_values));
  });
  const LossKernels::Row row{shift[0], powers, values, is_first_largest(x, target, largest)};
  if (d_x) {
    const Register scale = broadcast(powers == 0 ? 0.0f : static_cast<float>(factor / powers));
    const Register offset = broadcast(-factor * share);
    for_each_register(count, [&](Index i, auto lanes) {
      lanes.put(d_x + i, madd(scale, exp(lanes.get(x + i) - shift), offset));
    });
    d_x[target] -= factor * rest;
  }
  return row;
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
      if (d_x) lanes.put(d_x + first + i, scale * difference);
    });
    sum += static_cast<double>(reduce_add(squares));
  });
  return sum;
}

}  // namespace

extern const LossKernels kLossKernels;
const LossKernels kLossKernels{cross_entropy, squared_error};

}  // namespace tril::TRIL_ISA
