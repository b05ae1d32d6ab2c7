// Dropout (Srivastava et al. 2014): each element becomes 0 with probability p, and the others are
// divided by 1 - p, so that expected values do not change.
//
// The choice is a function of the seed, the row and the column alone. So nothing is stored for the
// backward pass, and the number of threads does not matter.
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/tensor.h>

#include <cstdint>

namespace tril {

struct DropoutKernels;

// Options of dropout().
struct DropoutOptions {
  double probability = 0.1;  // p, from 0 to below 1
  std::uint64_t seed = 0;    // a different one for every use and step
  Index first_row = 0;       // number of x's first row, where x is a part of a larger matrix
};

// x and out are [N, C]; rows may have any stride; out may be x itself. Throws Error where shapes do
// not fit or p is out of range, before anything is written.
void dropout(MatrixView<const float> x, const DropoutOptions& options, MatrixView<float> out,
             const Context& context = {});

// The backward pass: d_x = d_out / (1 - p) where the forward pass with these options kept x, else
// 0. d_x may be d_out itself.
void dropout_backward(MatrixView<const float> d_out, const DropoutOptions& options,
                      MatrixView<float> d_x, const Context& context = {});

// Throws Error in the name of `call` unless p is in range and first_row at least 0.
void check_dropout(const DropoutOptions& options, const char* call);

// Dropout at several places of a computation over batches, each with its own seed.
struct DropoutPlaces {
  double probability = 0.1;  // p, from 0 to below 1, at all of them
  std::uint64_t seed = 0;    // a different one for every use and step
  Index first_batch = 0;     // number of the first batch, where the input is a part of a larger one

  // The options of a place, by number from 0, at which each batch has `rows` rows.
  DropoutOptions at(Index place, Index rows) const noexcept;
  // The places after the first `count`, numbered from 0 again.
  DropoutPlaces after(Index count) const noexcept;
};

// Throws Error in the name of `call`, about "dropout.probability", unless p is in range and
// first_batch at least 0.
void check_dropout(const DropoutPlaces& places, const char* call);

// The seed of part `part`, counted from 0, of a training step.
std::uint64_t dropout_seed(std::uint64_t seed, std::int64_t step, std::int64_t part) noexcept;

namespace detail {

// Dropout of parts of rows, for tensors that are computed piece by piece.
class RowDropout {
 public:
  // `options` must have been checked.
  explicit RowDropout(const DropoutOptions& options) noexcept;

  // Drops elements of `count` columns of row `row` from column `first` on; x and out point to that
  // column. out may be x.
  void operator()(const float* x, float* out, Index row, Index first, Index count) const noexcept;

 private:
  std::uint64_t seed_;
  Index first_row_;
  std::uint32_t threshold_;
  float factor_;
  const DropoutKernels& kernels_;
};

}  // namespace detail

}  // namespace tril
