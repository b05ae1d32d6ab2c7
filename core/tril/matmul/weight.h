// The matrix of a linear layer, [out, in], in whatever kind of numbers it is held, and what a
// product needs of it. It is never widened as a whole:
//
//   float32           where it lies, by the kernels of matmul
//   float16, bfloat16 weights as their file has them. The sums are those of the floats that they
//                     stand for in the same order, so results are the same bit for bit.
//   q8_0              blocks of 32 numbers with a scale (q8_0.h). Results are those of the floats
//                     that they stand for, up to rounding; bit for bit from two rows of x on.
//
// One row of x times such a matrix widens numbers in registers; more rows widen a panel while they
// pack it, or, where a product reads its matrix in place, a few rows of it into the cache.
//
// A kind is a WeightFormat: what reads it, in a kernel file of its own.
#pragma once

#include <tril/foundation/check.h>
#include <tril/foundation/isa.h>
#include <tril/foundation/named.h>
#include <tril/foundation/parameters.h>
#include <tril/foundation/tensor.h>
#include <tril/matmul/tile_kernels.h>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace tril {

// What the numbers of a matrix are.
enum class WeightKind : std::uint8_t {
  float32,
  float16,   // IEEE 754 binary16
  bfloat16,  // the upper half of a float
  q8_0       // blocks of 32 with a scale, 8.5 bits a number
};
// Their names.
inline constexpr Named<WeightKind> kWeightKinds[] = {{"float32", WeightKind::float32},
                                                     {"float16", WeightKind::float16},
                                                     {"bfloat16", WeightKind::bfloat16},
                                                     {"q8_0", WeightKind::q8_0}};

// How a kind other than float32 is stored and read, the copy of an instruction set.
struct WeightFormat {
  WeightKind kind;          // the one that it is of
  Index block;              // numbers that are stored together; the last block of a row may be
                            // filled up
  std::size_t block_bytes;  // what they take
  // out [cols, 1] = b [cols, depth] * x [depth, 1]; no bias.
  void (*dot_rows)(const float* x, const std::byte* b, Index depth, Index cols,
                   const TileOutput& out) noexcept;
  // The numbers [first, first + count) of a row, exactly. A NaN stays one; that it signals may be
  // lost.
  void (*widen)(const std::byte* row, Index first, Index count, float* to) noexcept;

  // What a row takes.
  std::size_t row_bytes(Index cols) const noexcept {
    return static_cast<std::size_t>((cols + block - 1) / block) * block_bytes;
  }
};

// That of a kind; not of float32.
const WeightFormat& weight_format(WeightKind kind, Isa isa = best_isa());

// Borrows its numbers.
class Weight {
 public:
  // None.
  constexpr Weight() noexcept = default;
  // Floats; rows may have any stride. Of a view that is none: none.
  template <typename Floats>
  requires std::convertible_to<const Floats&, MatrixView<const float>>
  constexpr Weight(const Floats& floats) noexcept : Weight(MatrixView<const float>(floats), 0) {}
  // Floats without gaps.
  constexpr Weight(const float* data, const Shape<2>& shape) noexcept
      : Weight(MatrixView<const float>(data, shape)) {}
  // Numbers of another kind, rows without gaps.
  constexpr Weight(const WeightFormat& format, const std::byte* data, Index rows,
                   Index cols) noexcept
      : data_(data), shape_{rows, cols}, format_(&format) {}

  // Whether there is one.
  constexpr explicit operator bool() const noexcept { return data_ != nullptr; }
  constexpr const Shape<2>& shape() const noexcept { return shape_; }  // [out, in]
  // Of one axis, which is not checked.
  constexpr Index size(int axis) const noexcept { return shape_[static_cast<std::size_t>(axis)]; }
  // How many numbers there are.
  constexpr Index count() const noexcept { return floats_of(shape_).count(); }
  // Of its numbers.
  WeightKind kind() const noexcept { return format_ ? format_->kind : WeightKind::float32; }
  // What reads it; null: floats.
  constexpr const WeightFormat* format() const noexcept { return format_; }
  // It as floats; none where it is of another kind.
  constexpr MatrixView<const float> floats() const noexcept {
    return format_ ? MatrixView<const float>() : floats_of(shape_);
  }
  // Where a row begins.
  const std::byte* row(Index n) const noexcept {
    const auto* const bytes = static_cast<const std::byte*>(data_);
    return format_ ? bytes + static_cast<std::size_t>(n) * format_->row_bytes(shape_[1])
                   : reinterpret_cast<const std::byte*>(floats_of(shape_)[n].data());
  }
  // Rows [first, first + count); none of none.
  Weight rows(Index first, Index count) const noexcept {
    if (!data_) return {};
    Weight part = *this;
    part.data_ = row(first);
    part.shape_[0] = count;
    return part;
  }
  // The numbers [first, first + count) of a row as floats.
  void widen(Index row, Index first, Index count, float* to) const noexcept;

 private:
  constexpr Weight(const MatrixView<const float>& floats, int) noexcept
      : data_(floats.data()), shape_(floats.shape()), strides_(floats.strides()) {}
  constexpr MatrixView<const float> floats_of(const Shape<2>& shape) const noexcept {
    return {static_cast<const float*>(data_), shape, strides_};
  }

  const void* data_ = nullptr;
  Shape<2> shape_{};
  Shape<2> strides_{};  // of floats
  const WeightFormat* format_ = nullptr;
};

// A struct of weights that are read has a Weight where one that is written has a matrix
// (foundation/parameters.h).
namespace detail {

template <>
inline constexpr bool kIsView<Weight> = true;

template <typename T>
struct MatrixOf {
  using Type = MatrixView<T>;
};
template <>
struct MatrixOf<const float> {
  using Type = Weight;
};

}  // namespace detail

// A matrix among weights: to be read, a Weight; else a view.
template <typename T>
using WeightMatrix = typename detail::MatrixOf<T>::Type;

// The checks of foundation/check.h.
void check_view(const Weight& weight, const char* call, const char* argument,
                Empty empty = Empty::refused);
void check_shape(const Weight& weight, const Shape<2>& expected, const char* call,
                 const char* argument, const Message& why);
MemoryRange memory_range(const Weight& weight) noexcept;
// Throws Error unless the matrix is one of floats.
void check_floats(const Weight& weight, const char* call, const char* argument);
// Throws Error, naming it, unless all matrices of a struct of weights are, as a backward pass
// needs.
template <typename Weights>
void check_all_floats(const Weights& weights, const char* call) {
  for_each_parameter(weights, [call](const ParameterName& name, const auto& view) {
    if constexpr (requires { view.format(); }) {
      if (view.format()) check_floats(view, call, name.text().c_str());
    }
  });
}
namespace detail {
void check_no_overlap(const ViewShape& out, const Weight& weight, const char* call,
                      const char* argument);
}
template <typename Out>
void check_no_overlap(const Out& out, const Weight& weight, const char* call,
                      const char* argument) {
  detail::check_no_overlap(detail::view_shape(out), weight, call, argument);
}

}  // namespace tril
