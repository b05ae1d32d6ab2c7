#include <tril/layers/lanes.h>
#include <tril/layers/squares.h>
#include <tril/training/optimizer_kernels.h>

namespace tril::TRIL_ISA {
namespace {

void adamw(float* x, const float* g, float* m, float* v, Index count,
           const OptimizerKernels::AdamW& numbers) noexcept {
  const Register keep = broadcast(numbers.keep), scale = broadcast(numbers.scale);
  const Register gain1 = broadcast(numbers.gain1), beta2 = broadcast(numbers.beta2);
  const Register gain2 = broadcast(numbers.gain2), step = broadcast(numbers.step);
  const Register root_scale = broadcast(numbers.root_scale), eps = broadcast(numbers.eps);
  for_each_register(count, [&](Index i, auto lanes) {
    const Register gradient = scale * lanes.get(g + i), before = lanes.get(m + i);
    const Register first = madd(gain1, gradient - before, before);
    const Register second = madd(gain2 * gradient, gradient, beta2 * lanes.get(v + i));
    const Register divisor = madd(root_scale, sqrt(second), eps);
    lanes.put(m + i, first);
    lanes.put(v + i, second);
    // An element that has had no gradient so far, 0 / 0 with eps = 0, does not change.
    const Register move = select(divisor > Register{}, step * first / divisor, first);
    lanes.put(x + i, madd(keep, lanes.get(x + i), -move));
  });
}

void sgd(float* x, const float* g, float* m, Index count,
         const OptimizerKernels::Sgd& numbers) noexcept {
  const Register rate = broadcast(numbers.rate), momentum = broadcast(numbers.momentum);
  const Register decay = broadcast(numbers.weight_decay), scale = broadcast(numbers.scale);
  for_each_register(count, [&](Index i, auto lanes) {
    const Register value = lanes.get(x + i);
    Register move = madd(decay, value, scale * lanes.get(g + i));
    if (m) {
      move = madd(momentum, lanes.get(m + i), move);
      lanes.put(m + i, move);
    }
    lanes.put(x + i, madd(-rate, move, value));
  });
}

// The sum of squares, in blocks that are added in double, so that the error does not grow with the
// length.
double squares(const float* x, Index count) noexcept {
  constexpr Index kBlock = 1024;
  double sum = 0;
  for (Index first = 0; first < count; first += kBlock) {
    const Index length = count - first < kBlock ? count - first : kBlock;
    Register block{};
    IntRegister any{};
    for_each_register(length, [&](Index i, auto lanes) {
      const Register value = lanes.get(x + first + i);
      any |= value != Register{};
      block = madd(value, value, block);
    });
    if (!any_lane(any)) continue;  // gradients of words that did not occur are all 0
    sum += in_range_or_double(reduce_add(block), length,
                              [&](Index i) noexcept { return static_cast<double>(x[first + i]); });
  }
  return sum;
}

}  // namespace

extern const OptimizerKernels kOptimizerKernels;
const OptimizerKernels kOptimizerKernels{adamw, sgd, squares};

}  // namespace tril::TRIL_ISA
