// The activations of activation_tails.h over arrays.
#include <tril/layers/activation_tails.h>
#include <tril/layers/elementwise_kernels.h>

namespace tril::TRIL_ISA {
namespace {

// max(x, 0); NaN stays NaN.
struct Relu {
  template <typename R>
  R operator()(R x) const noexcept {
    return max(Register{}, x);
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
// constants in registers), a constant that is loaded once serves them all; with 8, several would
// need more than the 16 registers; 16 lanes come with 32 registers. GELU has twice the constants.
// wasm/bench/README.md has the measurements.
constexpr int kAtOnce = kLanes == 8 ? 1 : kLanes == 16 ? 2 : 4;
constexpr int kGeluAtOnce = kLanes == 8 ? 1 : 2;

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

}  // namespace

extern const ElementwiseKernels kElementwiseKernels;
const ElementwiseKernels kElementwiseKernels{map<Relu>, map<Gelu, kGeluAtOnce>, map<GeluTanh>,
                                             map<Silu>};

}  // namespace tril::TRIL_ISA
