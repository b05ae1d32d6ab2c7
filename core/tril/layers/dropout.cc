#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/dropout.h>
#include <tril/layers/dropout_kernels.h>

namespace tril {

TRIL_DEFINE_DISPATCH(DropoutKernels, kDropoutKernels, dropout_kernels)

namespace {

// 64 bits that look random for every seed and row (Steele, Lea, Flood 2014: SplitMix64).
std::uint64_t keys_of(std::uint64_t seed, Index row) noexcept {
  std::uint64_t x = seed + 0x9e3779b97f4a7c15u * (static_cast<std::uint64_t>(row) + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

void drop(const char* call, const char* from_name, const MatrixView<const float>& from,
          const DropoutOptions& options, const char* to_name, const MatrixView<float>& to,
          Parallel& parallel) {
  check_view(from, call, from_name);
  check_shape(to, from.shape(), call, to_name, {"that of ", from_name});
  check_in_place(to, from, call, to_name);
  const double p = options.probability;
  if (!(p >= 0 && p < 1)) {
    fail(call, "probability", {"must be at least 0 and below 1, is ", p});
  }
  const auto threshold = static_cast<std::uint32_t>(p * 4294967296.0);
  const auto factor = static_cast<float>(1 / (1 - p));
  const auto kernel = dropout_kernels().row;
  for_row_ranges(from.size(0), from.size(1), parallel, [&](Index first, Index last) {
    for (Index n = first; n < last; ++n) {
      const std::uint64_t keys = keys_of(options.seed, n);
      kernel(from[n].data(), to[n].data(), from.size(1), static_cast<std::uint32_t>(keys),
             static_cast<std::uint32_t>(keys >> 32), threshold, factor);
    }
  });
}

}  // namespace

void dropout(MatrixView<const float> x, const DropoutOptions& options, MatrixView<float> out,
             Parallel& parallel) {
  drop("dropout", "x", x, options, "out", out, parallel);
}

void dropout_backward(MatrixView<const float> d_out, const DropoutOptions& options,
                      MatrixView<float> d_x, Parallel& parallel) {
  drop("dropout_backward", "d_out", d_out, options, "d_x", d_x, parallel);
}

}  // namespace tril
