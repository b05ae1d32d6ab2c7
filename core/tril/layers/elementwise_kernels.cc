// The activations, all of one form:
//
//   f(x) = max(x, 0) - a tail(a),   a = |x|
//
// where tail falls from 1/2 to 0, so that nothing cancels, both tails keep their relative accuracy,
// and one exponential of a number <= 0 is enough:
//
//   silu        tail(a) = 1 / (1 + e^a)
//   gelu_tanh   tail(a) = 1 / (1 + 2^y),  y = 2 sqrt(2/pi) / ln 2 (a + 0.044715 a^3),
//               since (1 - tanh(z/2)) / 2 = 1 / (1 + e^z)
//   gelu        tail(a) = 1 - Phi(a) = exp(-a^2 / 2) r(a)
//
// The first two are E / (E + 2^n), where the power in them is 2^n / E and E near 1: that takes
// neither a product nor a second rounding for 2^n.
//
// r is Mills' ratio over sqrt(2 pi): smooth, 1/2 at 0, about 0.4 / a far out. It is taken as a
// polynomial of degree 4 over one of degree 5, minimax in relative error on [0, 13.27]: 5.0e-9,
// 3.1e-8 after their coefficients are rounded to float. One division then serves all of tail.
//
// Backward, with g(a) = tail(a) + a tail'(a), which falls from 1/2 towards 0 as well:
//
//   f'(x) = 1 - g(x) from 0 on, g(-x) below
//
//   silu        g = tail (1 - a (1 - tail))
//   gelu_tanh   g = tail (1 - a (1 - tail) z'),  z = y ln 2,
//               z' = 2 sqrt(2/pi) (1 + 3 * 0.044715 a^2)
//   gelu        g = exp(-a^2 / 2) (r(a) - a / sqrt(2 pi))
#include <tril/foundation/exp.h>
#include <tril/layers/elementwise_kernels.h>
#include <tril/layers/lanes.h>

namespace tril::TRIL_ISA {
namespace {

// So with m = -a they are relu(x) + m tail. Each function is an object that holds its constants, in
// registers over a whole loop, and takes one register or several.

// max(x, 0); NaN stays NaN.
struct Relu {
  template <typename R>
  R operator()(R x) const noexcept {
    return max(Register{}, x);
  }
};

// m = max(-|x|, lowest): from `lowest` on every tail is 0; infinity times that would be NaN. NaN
// stays NaN.
struct MinusMagnitude {
  Register lowest;
  Register sign = constant(-0.0f);

  template <typename R>
  R operator()(R x) const noexcept {
    return max(lowest, bitwise_or(x, sign));
  }
};

// Of m = -a. From n = 128 on, 2^n is written as infinity, and the tail is 0.
struct LogisticTail {
  detail::ExpParts parts{detail::kExpNumbers.round_to_exponent, -1};
  Register one = constant(1.0f);

  template <typename R>
  R operator()(R m) const noexcept {
    const auto [above, shifted] = parts(m);
    const R e = above + one;
    return e / (e + detail::as_exponent(shifted));
  }
};

struct Silu {
  Relu relu;
  MinusMagnitude minus_magnitude{constant(-88.7228394f)};  // 128 ln 2
  LogisticTail tail;

  template <typename R>
  R operator()(R x) const noexcept {
    const R m = minus_magnitude(x);
    return madd(m, tail(m), relu(x));
  }
};

// The same of gelu_tanh: y = n - r with |r| <= 1/2, exactly, and E = 2^r = 1 + r p(r), with p the
// minimax polynomial of degree 5 (relative error 2.6e-9, 2.1e-8 after rounding its coefficients).
struct TanhTail {
  Register cubic = constant(-0x1.a5a7dp-4f);    // 2 sqrt(2/pi) / ln 2 * 0.044715 = 0.1029432
  Register linear = constant(-0x1.26aec2p+1f);  // 2 sqrt(2/pi) / ln 2 = 2.3022082
  Register round = constant(detail::kExpNumbers.round_to_exponent);
  Register one = constant(1.0f);
  Register p0 = constant(0x1.62e432p-1f), p1 = constant(0x1.ebfbe2p-3f),
           p2 = constant(0x1.c6ae72p-5f), p3 = constant(0x1.3b270ep-7f),
           p4 = constant(0x1.5f7276p-10f), p5 = constant(0x1.470b4ap-13f);

  // Of m = -a and its square.
  template <typename R>
  R operator()(R m, R square) const noexcept {
    const R y = m * madd(square, cubic, linear);
    const R shifted = y + round, r = (shifted - round) - y;
    const R r2 = r * r;
    const R low = madd(r, p1, p0), middle = madd(r, p3, p2), high = madd(r, p5, p4);
    const R e = madd(madd(madd(high, r2, middle), r2, low), r, one);
    return e / (e + detail::as_exponent(shifted));
  }
};

struct GeluTanh {
  Relu relu;
  MinusMagnitude minus_magnitude{constant(-10.0609663f)};  // where y is 128
  TanhTail tail;

  template <typename R>
  R operator()(R x) const noexcept {
    const R m = minus_magnitude(x);
    return madd(m, tail(m, m * m), relu(x));
  }
};

// exp(-m^2 / 2), which is 0 from 127 ln 2 in the exponent on, and r(-m) = above / below.
struct GeluParts {
  NonpositiveExp exp;
  Register minus_half = constant(-0.5f), one = constant(1.0f);
  Register n0 = constant(0.5f), n1 = constant(-0x1.be11bap-2f), n2 = constant(0x1.73353cp-3f),
           n3 = constant(-0x1.4767aep-5f), n4 = constant(0x1.074bcp-8f);
  Register d1 = constant(-0x1.ab4b0cp+0f), d2 = constant(0x1.31bb48p+0f),
           d3 = constant(-0x1.db61fp-2f), d4 = constant(0x1.9a5f26p-4f),
           d5 = constant(-0x1.49fcdep-7f);

  template <typename R>
  struct Result {
    R density, above, below;
  };

  template <typename R>
  Result<R> operator()(R m) const noexcept {
    const R square = m * m;
    const R above = madd(madd(square, n4, madd(m, n3, n2)), square, madd(m, n1, n0));
    const R high = madd(square, madd(m, d5, d4), madd(m, d3, d2));
    return {exp.in_range(square * minus_half), above, madd(high, square, madd(m, d1, one))};
  }
};

struct Gelu {
  Relu relu;
  MinusMagnitude minus_magnitude{constant(-13.2687f)};
  GeluParts parts;

  template <typename R>
  R operator()(R x) const noexcept {
    const R m = minus_magnitude(x);
    const auto [density, above, below] = parts(m);
    return madd(m, density * above / below, relu(x));
  }
};

// Registers that go through a function side by side. With 4 lanes (WebAssembly's engines keep few
// constants in registers) a constant, once loaded, serves them all; with 8, several would need more
// than the 16 registers that there are; 16 lanes come with 32. GELU has twice the constants. The
// slopes of the other two are longer and gain from four with any lanes; GELU's is fastest with one.
// wasm/bench/README.md has the measurements.
constexpr int kAtOnce = kLanes == 8 ? 1 : kLanes == 16 ? 2 : 4;
constexpr int kGeluAtOnce = kLanes == 8 ? 1 : 2;
constexpr int kSlopesAtOnce = 4;

// out[i] = function(x[i]...) in whole steps of Count registers. All that it calls is inlined into
// it, and it is inlined nowhere, so that a module holds each function once.
template <typename Function, int Count, typename... Inputs>
[[gnu::noinline, gnu::flatten]] void map_steps(float* out, Index count,
                                               const Inputs*... x) noexcept {
  const Function function;
  for (Index i = 0; i < count; i += Count * kLanes) {
    store(out + i, function(load_all<Count>(x + i)...));
  }
}

// So many elements, and zeros after them.
template <Index Size>
struct Padded {
  float at[Size] = {};
  Padded(const float* x, Index count) noexcept {
    __builtin_memcpy(at, x, static_cast<std::size_t>(count) * sizeof(float));
  }
};

// The same for any count: what is left over is padded to a step.
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

template <typename Function, int AtOnce = kAtOnce>
void map(const float* x, float* out, Index count) noexcept {
  const Function function;
  Index i = 0;
  if constexpr (AtOnce > 1) {
    for (; i + AtOnce * kLanes <= count; i += AtOnce * kLanes) {
      store(out + i, function(load_all<AtOnce>(x + i)));
    }
  }
  for (; i + kLanes <= count; i += kLanes) store(out + i, function(load(x + i)));
  if (i < count) store_part(out + i, function(load_part(x + i, count - i, 0.0f)), count - i);
}

// g of each.
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

// d slope, but 0 where d is 0: what nothing flows back to may be NaN or infinite.
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
    const R g = slope(x), other = madd(g, minus_one, one);  // 1 - g, whatever is fused
    return Flow()(d_out, by_sign(x, g, other));
  }
};

template <typename Slope>
void map_backward(const float* d_out, const float* x, float* d_x, Index count) noexcept {
  map_all<Backward<Slope>, kSlopesAtOnce>(d_x, count, d_out, x);
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

extern const ElementwiseKernels kElementwiseKernels;
const ElementwiseKernels kElementwiseKernels{map<Relu>, map<Gelu, kGeluAtOnce>, map<GeluTanh>,
                                             map<Silu>};

extern const ElementwiseBackwardKernels kElementwiseBackwardKernels;
const ElementwiseBackwardKernels kElementwiseBackwardKernels{
    relu_backward, gelu_backward, map_backward<GeluTanhSlope>, map_backward<SiluSlope>, flow};

}  // namespace tril::TRIL_ISA
