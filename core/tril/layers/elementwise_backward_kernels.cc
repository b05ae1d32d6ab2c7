// The activations backward. With tail of activation_tails.h and g(a) = tail(a) + a tail'(a), which
// falls from 1/2 towards 0 as well:
//
//   f'(x) = 1 - g(x) from 0 on, g(-x) below
//
//   silu        g = tail (1 - a (1 - tail))
//   gelu_tanh   g = tail (1 - a (1 - tail) z'),  z = y ln 2,
//               z' = 2 sqrt(2/pi) (1 + 3 * 0.044715 a^2)
//   gelu        g = exp(-a^2 / 2) (r(a) - a / sqrt(2 pi))
#include <tril/layers/activation_tails.h>
#include <tril/layers/elementwise_kernels.h>
#include <tril/layers/lanes.h>

namespace tril::TRIL_ISA {
namespace {

// Registers that go through a function side by side: silu's and gelu_tanh's functions are long and
// gain from four with any number of lanes; GELU's is fastest with one. wasm/bench/README.md has the
// measurements.
constexpr int kAtOnce = 4;

// out[i] = function(x[i]...) in whole steps of Count registers. All its callees are inlined, and it
// is inlined nowhere, so that a module contains each function once.
template <typename Function, int Count, typename... Inputs>
[[gnu::noinline, gnu::flatten]] void map_steps(float* out, Index count,
                                               const Inputs*... x) noexcept {
  const Function function;
  for (Index i = 0; i < count; i += Count * kLanes) {
    store(out + i, function(load_all<Count>(x + i)...));
  }
}

// Size elements, filled up with zeros.
template <Index Size>
struct Padded {
  float at[Size] = {};
  Padded(const float* x, Index count) noexcept {
    __builtin_memcpy(at, x, static_cast<std::size_t>(count) * sizeof(float));
  }
};

// The same for any count: the rest is padded to a step.
template <typename Function, int Count, typename... Inputs>
void map_all(float* out, Index count, const Inputs*... x) noexcept {
  constexpr Index kStep = Count * kLanes;
  const Index rest = count % kStep, whole = count - rest;
  if (whole > 0) map_steps<Function, Count>(out, whole, x...);
  if (rest == 0) return;
  float last[kStep];
  map_steps<Function, Count>(last, kStep, Padded<kStep>(x + whole, rest).at...);
  __builtin_memcpy(out + whole, last, static_cast<std::size_t>(rest) * sizeof(float));
}

// g of each activation.
struct SiluSlope {
  MinusMagnitude minus_magnitude{constant(-88.7228394f)};
  LogisticTail tail;
  Register one = constant(1.0f);

  template <typename R>
  R operator()(R x) const noexcept {
    const R m = minus_magnitude(x), t = tail(m);
    return t * madd(m, one - t, one);
  }
};

struct GeluTanhSlope {
  MinusMagnitude minus_magnitude{constant(-10.0609663f)};
  TanhTail tail;
  Register one = constant(1.0f);
  Register linear = constant(0x1.988454p+0f);       // 2 sqrt(2/pi) = 1.5957691
  Register three_cubic = constant(0x1.b6676cp-3f);  // 3 * 0.044715 of that

  template <typename R>
  R operator()(R x) const noexcept {
    const R m = minus_magnitude(x), square = m * m, t = tail(m, square);
    return t * madd(m * (one - t), madd(square, three_cubic, linear), one);
  }
};

struct GeluSlope {
  MinusMagnitude minus_magnitude{constant(-13.2687f)};
  GeluParts parts;
  Register inverse_root = constant(0x1.988454p-2f);  // 1 / sqrt(2 pi) = 0.3989423

  template <typename R>
  R operator()(R x) const noexcept {
    const R m = minus_magnitude(x);
    const auto [density, above, below] = parts(m);
    return density * madd(m, inverse_root, above / below);
  }
};

// Lane by lane: `below` where x is negative, else `above`.
inline Register by_sign(Register x, Register below, Register above) noexcept {
  return select(x < Register{}, below, above);
}
template <int Count>
Registers<Count> by_sign(const Registers<Count>& x, const Registers<Count>& below,
                         const Registers<Count>& above) noexcept {
  return detail::each<Count>([](Register a, Register b, Register c) { return by_sign(a, b, c); }, x,
                             below, above);
}

// d times the slope, but 0 where d is 0, even where the slope is NaN or infinite.
struct Flow {
  Register operator()(Register d, Register slope) const noexcept {
    return select(d == Register{}, d, d * slope);
  }
  template <int Count>
  Registers<Count> operator()(const Registers<Count>& d,
                              const Registers<Count>& slope) const noexcept {
    return detail::each<Count>(*this, d, slope);
  }
};

// d_out f'(x)
template <typename Slope>
struct Backward {
  Slope slope;
  Register one = constant(1.0f), minus_one = constant(-1.0f);

  template <typename R>
  R operator()(R d_out, R x) const noexcept {
    const R g = slope(x), other = madd(g, minus_one, one);  // 1 - g, fused or not
    return Flow()(d_out, by_sign(x, g, other));
  }
};

template <typename Slope>
void map_backward(const float* d_out, const float* x, float* d_x, Index count) noexcept {
  map_all<Backward<Slope>, kAtOnce>(d_x, count, d_out, x);
}

void gelu_backward(const float* d_out, const float* x, float* d_x, Index count) noexcept {
  const Backward<GeluSlope> function;
  for_each_register(count, [&](Index i, auto lanes) {
    lanes.put(d_x + i, function(lanes.get(d_out + i), lanes.get(x + i)));
  });
}

// 0 where x is 0, as in PyTorch.
void relu_backward(const float* d_out, const float* x, float* d_x, Index count) noexcept {
  for_each_register(count, [&](Index i, auto lanes) {
    lanes.put(d_x + i, select(lanes.get(x + i) <= Register{}, Register{}, lanes.get(d_out + i)));
  });
}

void flow(const float* d_out, const float* x, float* d_x, Index count) noexcept {
  for_each_register(count, [=](Index i, auto lanes) {
    lanes.put(d_x + i, Flow()(lanes.get(d_out + i), lanes.get(x + i)));
  });
}

}  // namespace

extern const ElementwiseBackwardKernels kElementwiseBackwardKernels;
const ElementwiseBackwardKernels kElementwiseBackwardKernels{
    relu_backward, gelu_backward, map_backward<GeluTanhSlope>, map_backward<SiluSlope>, flow};

}  // namespace tril::TRIL_ISA
