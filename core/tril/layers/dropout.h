// Dropout (Srivastava et al. 2014): each element is left out with a probability p, and the others
// are divided by 1 - p, so that what is expected stays the same.
//
// Which are left out is a function of the seed, the row and the column alone: nothing needs to be
// remembered for the backward pass, and the number of threads does not matter.
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/tensor.h>

#include <cstdint>

namespace tril {

struct DropoutKernels;

// How many are left out, and which.
struct DropoutOptions {
  double probability = 0.1;  // p, from 0 to below 1
  std::uint64_t seed = 0;    // another one for every use and step
  Index first_row = 0;       // the number of the first row: of a part, where it begins in the whole
};

// x and out [N, C]; rows may have any stride; out may be x itself. Throws Error where shapes do not
// fit or p is out of range, before anything is written.
void dropout(MatrixView<const float> x, const DropoutOptions& options, MatrixView<float> out,
             const Context& context = {});

// The backward pass: d_x = d_out / (1 - p) where the forward pass with these options kept x, else
// 0. d_x may be d_out itself.
void dropout_backward(MatrixView<const float> d_out, const DropoutOptions& options,
                      MatrixView<float> d_x, const Context& context = {});

// Throws Error in the name of `call` unless p is in range and first_row at least 0.
void check_dropout(const DropoutOptions& options, const char* call);

// Dropout at many places of a computation over batches, at each with a seed of its own.
struct DropoutPlaces {
  double probability = 0.1;  // p, from 0 to below 1, at all of them
  std::uint64_t seed = 0;    // another one for every use and step
  Index first_batch = 0;     // of a part of a batch, where it begins in the whole

  // That of a place, counted from 0, where each batch has `rows` rows.
  DropoutOptions at(Index place, Index rows) const noexcept;
  // The places after the first `count`, counted from 0 again.
  DropoutPlaces after(Index count) const noexcept;
};

// Throws Error in the name of `call`, about "dropout.probability", unless p is in range and
// first_batch at least 0.
void check_dropout(const DropoutPlaces& places, const char* call);

// The seed of a part, counted from 0, of a step of training.
std::uint64_t dropout_seed(std::uint64_t seed, std::int64_t step, std::int64_t part) noexcept;

namespace detail {

// Dropout of what is formed piece by piece: parts of rows.
class RowDropout {
 public:
  // `options` have been checked.
  explicit RowDropout(const DropoutOptions& options) noexcept;

  // Of row `row`, the columns from `first` on: x and out are those of the first of them. out may be
  // x.
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
