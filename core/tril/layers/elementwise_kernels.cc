// The activations, all of one form:
//
//   f(x) = max(x, 0) - a tail(a),   a = |x|
//
// where tail falls from 1/2 to 0, so that nothing cancels, both tails keep their relative accuracy,
// and one exponential of a number <= 0 is enough:
//
//   silu        tail(a) = e / (1 + e),  e = exp(-a)
//   gelu_tanh   the same with e = exp(-z),  z = 2 sqrt(2/pi) (a + 0.044715 a^3),
//               since (1 + tanh(z/2)) / 2 = 1 / (1 + exp(-z))
//   gelu        tail(a) = 1 - Phi(a) = exp(-a^2 / 2) r(a)
//
// r is Mills' ratio over sqrt(2 pi): smooth, 1/2 at 0, about 0.4 / a far out. It is taken as a
// polynomial in t = 1 / (1 + p a) (the form of Abramowitz, Stegun 7.1.26), degree 9 without
// constant term, minimax in relative error on [0, 14]: 1.2e-8, 4.1e-8 after its coefficients are
// rounded to float.
#include <tril/foundation/exp.h>
#include <tril/layers/elementwise_kernels.h>

#include <functional>

namespace tril::TRIL_ISA {
namespace {

// Beyond this a, exp_nonpositive gives 0 for each of the tails; infinity times that would be NaN.
constexpr float kFar = 128.0f;

Register magnitude(Register x) noexcept { return min(broadcast(kFar), max(-x, x)); }

// e / (1 + e) for e = exp(-exponent).
Register logistic_tail(Register exponent) noexcept {
  const Register e = exp_nonpositive(-exponent);
  return e / (broadcast(1.0f) + e);
}

Register relu(Register x) noexcept { return max(Register{}, x); }

Register silu(Register x) noexcept {
  const Register a = magnitude(x);
  return relu(x) - a * logistic_tail(a);
}

Register gelu_tanh(Register x) noexcept {
  const Register a = magnitude(x);
  const Register cubic = broadcast(0x1.2444f2p-4f);   // 2 sqrt(2/pi) * 0.044715 = 0.0713548
  const Register linear = broadcast(0x1.988454p+0f);  // 2 sqrt(2/pi) = 1.5957691
  return relu(x) - a * logistic_tail(a * madd(cubic, a * a, linear));
}

Register gelu(Register x) noexcept {
  const Register a = magnitude(x);
  const Register t = broadcast(1.0f) / madd(broadcast(0x1.1p-2f), a, broadcast(1.0f));  // p = 17/64
  Register r = broadcast(0x1.f67deap-6f);
  r = madd(r, t, broadcast(-0x1.23736ep-3f));
  r = madd(r, t, broadcast(0x1.b27e1cp-3f));
  r = madd(r, t, broadcast(-0x1.c51d34p-4f));
  r = madd(r, t, broadcast(0x1.12d25p-3f));
  r = madd(r, t, broadcast(0x1.fa6dc2p-5f));
  r = madd(r, t, broadcast(0x1.a4240ep-4f));
  r = madd(r, t, broadcast(0x1.b04796p-4f));
  r = madd(r, t, broadcast(0x1.b22136p-4f));
  const Register density = exp_nonpositive(broadcast(-0.5f) * a * a);
  return relu(x) - a * (density * (r * t));
}

template <Register (*function)(Register)>
void map(const float* x, float* out, Index count) noexcept {
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) store(out + i, function(load(x + i)));
  if (i < count) store_part(out + i, function(load_part(x + i, count - i, 0.0f)), count - i);
}

// Both operands of `op` as registers, and as floats for the end of the row.
template <typename Op>
void both(const float* x, const float* y, float* out, Index count) noexcept {
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) store(out + i, Op()(load(x + i), load(y + i)));
  for (; i < count; ++i) out[i] = Op()(x[i], y[i]);
}

template <typename Op>
void one_x(const float* x, const float* y, float* out, Index count) noexcept {
  const float number = *x;
  const Register all = broadcast(number);
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) store(out + i, Op()(all, load(y + i)));
  for (; i < count; ++i) out[i] = Op()(number, y[i]);
}

template <typename Op>
void one_y(const float* x, const float* y, float* out, Index count) noexcept {
  const float number = *y;
  const Register all = broadcast(number);
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) store(out + i, Op()(load(x + i), all));
  for (; i < count; ++i) out[i] = Op()(x[i], number);
}

template <typename Op>
constexpr ElementwiseKernels::Pairs kPairs = {both<Op>, one_x<Op>, one_y<Op>};

}  // namespace

extern const ElementwiseKernels kElementwiseKernels;
const ElementwiseKernels kElementwiseKernels{map<relu>,
                                             map<gelu>,
                                             map<gelu_tanh>,
                                             map<silu>,
                                             kPairs<std::plus<>>,
                                             kPairs<std::minus<>>,
                                             kPairs<std::multiplies<>>,
                                             kPairs<std::divides<>>};

}  // namespace tril::TRIL_ISA
