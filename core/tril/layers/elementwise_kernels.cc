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
//
// Backward, with g(a) = tail(a) + a tail'(a), which falls from 1/2 towards 0 as well:
//
//   f'(x) = 1 - g(x) from 0 on, g(-x) below
//
//   silu        g = tail (1 - a (1 - tail))
//   gelu_tanh   g = tail (1 - a (1 - tail) z'),  z' = 2 sqrt(2/pi) (1 + 3 * 0.044715 a^2)
//   gelu        g = exp(-a^2 / 2) (r(a) - a / sqrt(2 pi))
#include <tril/foundation/exp.h>
#include <tril/layers/elementwise_kernels.h>
#include <tril/layers/lanes.h>

#include <functional>

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

// m = max(-|x|, lowest): from `lowest` on, 127 ln 2 in the exponent, the exponential is 0, and so
// is every tail; infinity times that would be NaN. NaN stays NaN.
struct MinusMagnitude {
  Register lowest;
  Register sign = constant(-0.0f);

  template <typename R>
  R operator()(R x) const noexcept {
    return max(lowest, bitwise_or(x, sign));
  }
};

// e / (1 + e) for e = exp(exponent).
struct LogisticTail {
  NonpositiveExp exp;
  Register one = constant(1.0f);

  template <typename R>
  R operator()(R exponent) const noexcept {
    const R e = exp.in_range(exponent);
    return e / (e + one);
  }
};

struct Silu {
  Relu relu;
  MinusMagnitude minus_magnitude{constant(-88.0296919f)};
  LogisticTail tail;

  template <typename R>
  R operator()(R x) const noexcept {
    const R m = minus_magnitude(x);
    return madd(m, tail(m), relu(x));
  }
};

struct GeluTanh {
  Relu relu;
  MinusMagnitude minus_magnitude{constant(-10.0311f)};
  LogisticTail tail;
  Register cubic = constant(0x1.2444f2p-4f);   // 2 sqrt(2/pi) * 0.044715 = 0.0713548
  Register linear = constant(0x1.988454p+0f);  // 2 sqrt(2/pi) = 1.5957691

  template <typename R>
  R operator()(R x) const noexcept {
    const R m = minus_magnitude(x);
    return madd(m, tail(m * madd(m * m, cubic, linear)), relu(x));
  }
};

// exp(-x^2 / 2)
struct Density {
  MinusMagnitude minus_magnitude{constant(-13.2687f)};
  NonpositiveExp exp;
  Register minus_half = constant(-0.5f);

  template <typename R>
  R operator()(R x) const noexcept {
    const R m = minus_magnitude(x);
    return exp.in_range(m * m * minus_half);
  }
};

// r(-m)
struct MillsRatio {
  Register one = constant(1.0f), minus_p = constant(-0x1.1p-2f);  // 17/64
  Register r9 = constant(0x1.f67deap-6f), r8 = constant(-0x1.23736ep-3f),
           r7 = constant(0x1.b27e1cp-3f), r6 = constant(-0x1.c51d34p-4f),
           r5 = constant(0x1.12d25p-3f), r4 = constant(0x1.fa6dc2p-5f),
           r3 = constant(0x1.a4240ep-4f), r2 = constant(0x1.b04796p-4f),
           r1 = constant(0x1.b22136p-4f);

  template <typename R>
  R operator()(R m) const noexcept {
    const R t = one / madd(m, minus_p, one);
    R r = madd(t, r9, r8);
    r = madd(r, t, r7);
    r = madd(r, t, r6);
    r = madd(r, t, r5);
    r = madd(r, t, r4);
    r = madd(r, t, r3);
    r = madd(r, t, r2);
    r = madd(r, t, r1);
    return r * t;
  }
};

// GELU from x and its density.
struct GeluOfDensity {
  Relu relu;
  MinusMagnitude minus_magnitude{constant(-13.2687f)};
  MillsRatio ratio;

  template <typename R>
  R operator()(R x, R density) const noexcept {
    const R m = minus_magnitude(x);
    return madd(m, density * ratio(m), relu(x));
  }
};

// Registers that go through a function side by side.
constexpr int kAtOnce = 4;

template <typename Function>
void map(const float* x, float* out, Index count) noexcept {
  const Function function;
  Index i = 0;
  for (; i + kAtOnce * kLanes <= count; i += kAtOnce * kLanes) {
    store(out + i, function(load_all<kAtOnce>(x + i)));
  }
  for (; i + kLanes <= count; i += kLanes) store(out + i, function(load(x + i)));
  if (i < count) store_part(out + i, function(load_part(x + i, count - i, 0.0f)), count - i);
}

// In two passes, since there are no registers for the constants of both: over so much at a time
// that the densities stay in the level-1 cache.
void gelu(const float* x, float* out, Index count) noexcept {
  constexpr Index kBlock = 512;
  for (Index begin = 0; begin < count; begin += kBlock) {
    const Index size = begin + kBlock <= count ? kBlock : count - begin;
    float density[kBlock];
    map<Density>(x + begin, density, size);
    const GeluOfDensity function;
    Index i = 0;
    for (; i + kAtOnce * kLanes <= size; i += kAtOnce * kLanes) {
      store(out + begin + i,
            function(load_all<kAtOnce>(x + begin + i), load_all<kAtOnce>(density + i)));
    }
    for (; i < size; i += kLanes) {
      const Index rest = size - i;
      if (rest >= kLanes) {
        store(out + begin + i, function(load(x + begin + i), load(density + i)));
      } else {
        store_part(
            out + begin + i,
            function(load_part(x + begin + i, rest, 0.0f), load_part(density + i, rest, 0.0f)),
            rest);
      }
    }
  }
}

// g of each.
struct SiluSlope {
  MinusMagnitude minus_magnitude{constant(-88.0296919f)};
  LogisticTail tail;
  Register one = constant(1.0f);

  Register operator()(Register x) const noexcept {
    const Register m = minus_magnitude(x), t = tail(m);
    return t * madd(m, one - t, one);
  }
};

struct GeluTanhSlope {
  MinusMagnitude minus_magnitude{constant(-10.0311f)};
  LogisticTail tail;
  Register one = constant(1.0f);
  Register cubic = constant(0x1.2444f2p-4f);  // as GeluTanh has them
  Register linear = constant(0x1.988454p+0f);
  Register three_cubic = constant(0x1.b6676cp-3f);

  Register operator()(Register x) const noexcept {
    const Register m = minus_magnitude(x), square = m * m;
    const Register t = tail(m * madd(square, cubic, linear));
    return t * madd(m * (one - t), madd(square, three_cubic, linear), one);
  }
};

struct GeluSlope {
  MinusMagnitude minus_magnitude{constant(-13.2687f)};
  Density density;
  MillsRatio ratio;
  Register inverse_root = constant(0x1.988454p-2f);  // 1 / sqrt(2 pi) = 0.3989423

  Register operator()(Register x) const noexcept {
    const Register m = minus_magnitude(x);
    return density(x) * madd(m, inverse_root, ratio(m));
  }
};

template <typename Slope>
void map_backward(const float* d_out, const float* x, float* d_x, Index count) noexcept {
  const Slope slope;
  const Register one = constant(1.0f), minus_one = constant(-1.0f);
  for_each_register(count, [&](Index i, auto lanes) {
    const Register at = lanes.get(x + i), g = slope(at);
    const Register other = madd(g, minus_one, one);  // 1 - g, whatever is fused
    lanes.put(d_x + i, lanes.get(d_out + i) * select(at < Register{}, g, other));
  });
}

// 0 where x is 0, as in PyTorch.
void relu_backward(const float* d_out, const float* x, float* d_x, Index count) noexcept {
  for_each_register(count, [&](Index i, auto lanes) {
    lanes.put(d_x + i, select(lanes.get(x + i) <= Register{}, Register{}, lanes.get(d_out + i)));
  });
}

template <typename Op>
void both(const float* x, const float* y, float* out, Index count) noexcept {
  for_each_register(count, [=](Index i, auto lanes) {
    lanes.put(out + i, Op()(lanes.get(x + i), lanes.get(y + i)));
  });
}

template <typename Op>
void one_x(const float* x, const float* y, float* out, Index count) noexcept {
  const Register all = broadcast(*x);
  for_each_register(count,
                    [=](Index i, auto lanes) { lanes.put(out + i, Op()(all, lanes.get(y + i))); });
}

template <typename Op>
void one_y(const float* x, const float* y, float* out, Index count) noexcept {
  const Register all = broadcast(*y);
  for_each_register(count,
                    [=](Index i, auto lanes) { lanes.put(out + i, Op()(lanes.get(x + i), all)); });
}

template <typename Op>
constexpr ElementwiseKernels::Pairs kPairs = {both<Op>, one_x<Op>, one_y<Op>};

}  // namespace

extern const ElementwiseKernels kElementwiseKernels;
const ElementwiseKernels kElementwiseKernels{map<Relu>,
                                             gelu,
                                             map<GeluTanh>,
                                             map<Silu>,
                                             kPairs<std::plus<>>,
                                             kPairs<std::minus<>>,
                                             kPairs<std::multiplies<>>,
                                             kPairs<std::divides<>>};

extern const ElementwiseBackwardKernels kElementwiseBackwardKernels;
const ElementwiseBackwardKernels kElementwiseBackwardKernels{
    relu_backward, map_backward<GeluSlope>, map_backward<GeluTanhSlope>, map_backward<SiluSlope>};

}  // namespace tril::TRIL_ISA
