#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/dropout.h>
#include <tril/layers/dropout_kernels.h>

namespace tril {

TRIL_DEFINE_DISPATCH(DropoutKernels, kDropoutKernels, dropout_kernels)

namespace {

// 64 pseudorandom bits for a seed and a row (Steele, Lea, Flood 2014: SplitMix64).
std::uint64_t keys_of(std::uint64_t seed, Index row) noexcept {
  std::uint64_t x = seed + 0x9e3779b97f4a7c15u * (static_cast<std::uint64_t>(row) + 1);
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

void check_numbers(const char* call, const char* p_name, double p, const char* first_name,
                   Index first) {
  if (!(p >= 0 && p < 1)) fail(call, p_name, {"must be at least 0 and below 1, is ", p});
  if (first < 0) fail(call, first_name, {"must be at least 0, is ", first});
}

void drop(const char* call, const char* from_name, const MatrixView<const float>& from,
          const DropoutOptions& options, const char* to_name, const MatrixView<float>& to,
          const Context& context) {
  check_view(from, call, from_name, Empty::allowed);
  check_shape(to, from.shape(), call, to_name, {"that of ", from_name});
  check_in_place(to, from, call, to_name);
  check_dropout(options, call);
  const detail::RowDropout drop_row(options);
  for_row_ranges(from.size(0), from.size(1), context, [&](Index first, Index last) {
    for (Index n = first; n < last; ++n) {
      drop_row(from[n].data(), to[n].data(), n, 0, from.size(1));
    }
  });
}

}  // namespace

void dropout(MatrixView<const float> x, const DropoutOptions& options, MatrixView<float> out,
             const Context& context) {
  drop("dropout", "x", x, options, "out", out, context);
}

void dropout_backward(MatrixView<const float> d_out, const DropoutOptions& options,
                      MatrixView<float> d_x, const Context& context) {
  drop("dropout_backward", "d_out", d_out, options, "d_x", d_x, context);
}

void check_dropout(const DropoutOptions& options, const char* call) {
  check_numbers(call, "probability", options.probability, "first_row", options.first_row);
}

void check_dropout(const DropoutPlaces& places, const char* call) {
  check_numbers(call, "dropout.probability", places.probability, "dropout.first_batch",
                places.first_batch);
}

DropoutOptions DropoutPlaces::at(Index place, Index rows) const noexcept {
  return {probability, after(place + 1).seed, first_batch * rows};
}

DropoutPlaces DropoutPlaces::after(Index count) const noexcept {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15u;  // 2^64 / the golden ratio
  return {probability, seed + kOdd * static_cast<std::uint64_t>(count), first_batch};
}

std::uint64_t dropout_seed(std::uint64_t seed, std::int64_t step, std::int64_t part) noexcept {
  const std::uint64_t number =
      static_cast<std::uint64_t>(step) * 16777259u + static_cast<std::uint64_t>(part) + 1;
  return seed + 0xd1b54a32d192ed03u * number;
}

namespace detail {

RowDropout::RowDropout(const DropoutOptions& options) noexcept
    : seed_(options.seed),
      first_row_(options.first_row),
      threshold_(static_cast<std::uint32_t>(options.probability * 4294967296.0)),
      factor_(static_cast<float>(1 / (1 - options.probability))),
      kernels_(dropout_kernels()) {}

void RowDropout::operator()(const float* x, float* out, Index row, Index first,
                            Index count) const noexcept {
  const std::uint64_t keys = keys_of(seed_, first_row_ + row);
  kernels_.row(x, out, first, count, static_cast<std::uint32_t>(keys),
               static_cast<std::uint32_t>(keys >> 32), threshold_, factor_);
}

}  // namespace detail

}  // namespace tril
