// The checks that public functions share. Each throws tril::Error naming call, argument and shapes.
#pragma once

#include <tril/foundation/error.h>
#include <tril/foundation/message.h>
#include <tril/foundation/tensor.h>

#include <string>
#include <string_view>
#include <type_traits>

namespace tril {

// Throws Error.
[[noreturn]] void fail(const char* call, const char* argument, const Message& problem);

// The number of elements of `shape`. Throws Error where an axis is below 0 or where that many
// elements of `element_size` bytes cannot be addressed.
Index checked_count(const Index* shape, int rank, std::size_t element_size, const char* call,
                    const char* argument);

// The range of bytes [begin, end) that the elements of a view lie in.
struct MemoryRange {
  const char* begin;  // the first byte
  const char* end;    // the byte after the last

  // Whether two ranges share a byte; an empty range shares none.
  bool overlaps(const MemoryRange& other) const noexcept {
    return begin < other.end && other.begin < end;
  }
};

// Whether a call accepts tensors that have an axis of length 0.
enum class Empty { refused, allowed };

namespace detail {

// A view of any element type and rank, for which the checks are compiled once. An AnyView converts
// to it.
struct ViewShape {
  const void* data;
  const Index* shape;
  const Index* strides;
  int rank;
  std::size_t element_size;
  bool written;          // its elements are not const
  bool strided = false;  // the last axis may also have any stride
};

template <typename T, int Rank>
ViewShape view_shape(const TensorView<T, Rank>& view) noexcept {
  return {view.data(), view.shape().data(), view.strides().data(),
          Rank,        sizeof(T),           !std::is_const_v<T>};
}
inline ViewShape view_shape(const ViewShape& shape) noexcept { return shape; }

MemoryRange memory_range(const ViewShape& view) noexcept;
bool same_place(const ViewShape& a, const ViewShape& b) noexcept;
void check_view(const ViewShape& view, Empty empty, const char* call, const char* argument);
// check_view for calls that need no kernels: TRIL_FORCE_ISA is ignored.
void check_layout(const ViewShape& view, Empty empty, const char* call, const char* argument);
void check_no_overlap(const ViewShape& out, const ViewShape& input, const char* call,
                      const char* argument);
void check_shape(const ViewShape& view, const Index* expected, const char* call,
                 const char* argument, const Message& why);

}  // namespace detail

// Throws unless `view` is given, no axis is below 1 (with Empty::allowed, below 0), the last axis
// is contiguous, and, if it is written, no two of its elements share memory.
template <typename T, int Rank>
void check_view(const TensorView<T, Rank>& view, const char* call, const char* argument,
                Empty empty = Empty::refused) {
  detail::check_view(detail::view_shape(view), empty, call, argument);
}

// check_view, and the shape must be exactly `expected`, which may have axes of 0. `why` explains
// the expected shape in the error.
template <typename T, int Rank>
void check_shape(const TensorView<T, Rank>& view, const Shape<Rank>& expected, const char* call,
                 const char* argument, const Message& why) {
  detail::check_shape(detail::view_shape(view), expected.data(), call, argument, why);
}

// check_view for a list of vectors: it may be empty, but the width of a vector is at least 1.
template <typename T, int Rank>
Empty empty_but_wide(const TensorView<T, Rank>& view) noexcept {
  return view.size(Rank - 1) > 0 ? Empty::allowed : Empty::refused;
}

// The memory of a view; strides may be negative.
template <typename T, int Rank>
MemoryRange memory_range(const TensorView<T, Rank>& view) noexcept {
  return detail::memory_range(detail::view_shape(view));
}

// Throws where a written view shares memory with a view that is read.
template <typename Out, typename Input>
void check_no_overlap(const Out& out, const Input& input, const char* call, const char* argument) {
  detail::check_no_overlap(detail::view_shape(out), detail::view_shape(input), call, argument);
}

// Throws where `out` overlaps `input` without being the same view: for calls that can compute in
// place.
template <typename Out, typename Input>
void check_in_place(const Out& out, const Input& input, const char* call, const char* argument) {
  const detail::ViewShape written = detail::view_shape(out), read = detail::view_shape(input);
  if (!detail::same_place(written, read)) detail::check_no_overlap(written, read, call, argument);
}

}  // namespace tril
