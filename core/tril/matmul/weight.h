// The matrix of a linear layer, [out, in], with numbers of any kind. It is never converted to
// floats as a whole:
//
//   float32           read in place by the kernels of matmul
//   float32, packed   the same with a packed copy beside it (packed_matrix.h), which products of
//                     several rows read instead
//   float16, bfloat16 weights as in their file. The sums are those of the floats that they
//                     stand for in the same order, so results are the same bit for bit.
//   q8_0              blocks of 32 numbers with a scale (q8_0.h). Results are those of the floats
//                     that they stand for, up to rounding; bit for bit from two rows of x on.
//
// With one row of x, numbers are widened in registers. With more rows, packing widens a panel, or,
// where a product reads its matrix in place, a few rows are widened into the cache.
//
// A kind other than float32 is a WeightFormat, whose functions are in their own kernel file.
#pragma once

#include <tril/foundation/check.h>
#include <tril/foundation/isa.h>
#include <tril/foundation/named.h>
#include <tril/foundation/parameters.h>
#include <tril/foundation/tensor.h>
#include <tril/matmul/packed_matrix.h>
#include <tril/matmul/tile_kernels.h>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace tril {

// The kinds of numbers.
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

// The storage and the kernels of a kind other than float32, for an instruction set.
struct WeightFormat {
  WeightKind kind;          // the kind
  Index block;              // numbers stored together; the last block of a row may be padded
  std::size_t block_bytes;  // bytes of a block
  // out [cols, 1] = b [cols, depth] * x [depth, 1]; no bias.
  void (*dot_rows)(const float* x, const std::byte* b, Index depth, Index cols,
                   const TileOutput& out) noexcept;
  // Converts numbers [first, first + count) of a row exactly. A NaN stays NaN, but a signalling one
  // may become quiet.
  void (*widen)(const std::byte* row, Index first, Index count, float* to) noexcept;

  // The bytes of a row.
  std::size_t row_bytes(Index cols) const noexcept {
    return static_cast<std::size_t>((cols + block - 1) / block) * block_bytes;
  }
};

// The format of a kind other than float32.
const WeightFormat& weight_format(WeightKind kind, Isa isa = best_isa());

// A matrix of numbers of any kind. Borrows its numbers.
class Weight {
 public:
  // No matrix.
  constexpr Weight() noexcept = default;
  // Floats, whose rows may have any stride; a null view gives no matrix.
  template <typename Floats>
  requires std::convertible_to<const Floats&, MatrixView<const float>>
  constexpr Weight(const Floats& floats) noexcept : Weight(MatrixView<const float>(floats), 0) {}
  // Floats without gaps.
  constexpr Weight(const float* data, const Shape<2>& shape) noexcept
      : Weight(MatrixView<const float>(data, shape)) {}
  // Floats and their packed copy, PackedMatrix(floats, true, ...). Borrows both. Throws Error where
  // the packed matrix has another shape.
  Weight(const MatrixView<const float>& floats, const PackedMatrix& packed);
  // Numbers of another kind, without gaps between rows.
  constexpr Weight(const WeightFormat& format, const std::byte* data, Index rows,
                   Index cols) noexcept
      : data_(data), shape_{rows, cols}, format_(&format) {}

  // Whether there is a matrix.
  constexpr explicit operator bool() const noexcept { return data_ != nullptr; }
  constexpr const Shape<2>& shape() const noexcept { return shape_; }  // [out, in]
  // The size of an axis, which is not checked.
  constexpr Index size(int axis) const noexcept { return shape_[static_cast<std::size_t>(axis)]; }
  // The number of elements.
  constexpr Index count() const noexcept { return floats_of(shape_).count(); }
  // The kind of its numbers.
  WeightKind kind() const noexcept { return format_ ? format_->kind : WeightKind::float32; }
  // The format; null for floats.
  constexpr const WeightFormat* format() const noexcept { return format_; }
  // The matrix as floats; a null view for other kinds.
  constexpr MatrixView<const float> floats() const noexcept {
    return format_ ? MatrixView<const float>() : floats_of(shape_);
  }
  // Its rows as columns of a packed copy; nothing without one.
  constexpr const PackedColumns& packed() const noexcept { return packed_; }
  // The address of a row.
  const std::byte* row(Index n) const noexcept {
    const auto* const bytes = static_cast<const std::byte*>(data_);
    return format_ ? bytes + static_cast<std::size_t>(n) * format_->row_bytes(shape_[1])
                   : reinterpret_cast<const std::byte*>(floats_of(shape_)[n].data());
  }
  // Rows [first, first + count); no matrix if there is none.
  Weight rows(Index first, Index count) const noexcept {
    if (!data_) return {};
    Weight part = *this;
    part.data_ = row(first);
    part.shape_[0] = count;
    part.packed_ = packed_.from(first);
    return part;
  }
  // Converts numbers [first, first + count) of a row to floats.
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
  PackedColumns packed_ = {};  // of floats
};

// In structs of weights (foundation/parameters.h), a Weight for reading corresponds to a matrix
// view for writing.
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

// The type of a matrix in a struct of weights: a Weight for reading, else a view.
template <typename T>
using WeightMatrix = typename detail::MatrixOf<T>::Type;

// The same checks as in foundation/check.h.
void check_view(const Weight& weight, const char* call, const char* argument,
                Empty empty = Empty::refused);
void check_shape(const Weight& weight, const Shape<2>& expected, const char* call,
                 const char* argument, const Message& why);
MemoryRange memory_range(const Weight& weight) noexcept;
// Throws Error unless the matrix is of floats.
void check_floats(const Weight& weight, const char* call, const char* argument);
// Throws Error, naming the matrix, unless all matrices of a struct of weights are of floats, as a
// backward pass needs.
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
