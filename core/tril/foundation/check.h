// The checks that public functions share. Each throws tril::Error naming call, argument and shapes.
#pragma once

#include <tril/foundation/error.h>
#include <tril/foundation/tensor.h>

#include <string>
#include <string_view>
#include <type_traits>

namespace tril {

// Throws Error.
[[noreturn]] void fail(std::string_view call, std::string_view argument,
                       const std::string& problem);

// A number as messages write it, with six digits: "0.5", "-1e-06", "nan". (std::to_string would
// bring all of printf into a WebAssembly module.)
std::string number_text(double value);

// How many elements `shape` holds. Throws where an axis is below 1, or where the elements,
// `element_size` bytes each, could not be addressed.
Index checked_count(const Index* shape, int rank, std::size_t element_size, std::string_view call,
                    std::string_view argument);

// Throws unless `view` is there, every axis is at least 1, and the last one is contiguous.
template <typename T, int Rank>
void check_view(const TensorView<T, Rank>& view, std::string_view call, std::string_view argument) {
  if (!view) fail(call, argument, "no tensor given");
  for (const Index size : view.shape()) {
    if (size < 1)
      fail(call, argument, "every axis must be at least 1; shape is " + shape_text(view));
  }
  if (view.stride(Rank - 1) != 1) fail(call, argument, "the last axis must be contiguous");
}

// check_view, and the shape must be exactly `expected`; `why` says where that comes from, with
// shapes. Where the call is so short that making the text would be felt, `why` is a function that
// returns it.
template <typename T, int Rank, typename Why>
void check_shape(const TensorView<T, Rank>& view, const Shape<Rank>& expected,
                 std::string_view call, std::string_view argument, const Why& why) {
  check_view(view, call, argument);
  if (view.shape() == expected) return;
  std::string reason;
  if constexpr (std::is_invocable_v<Why>) {
    reason = why();
  } else {
    reason = why;
  }
  fail(call, argument,
       "shape must be " + shape_text<Rank>(expected) + ", is " + shape_text(view) + "; " + reason);
}

// The addresses [begin, end) that the elements of a view lie between.
struct MemoryRange {
  const char* begin;  // the first byte
  const char* end;    // the one after the last
};

// That of a view.
template <typename T, int Rank>
MemoryRange memory_range(const TensorView<T, Rank>& view) noexcept {
  Index last = 0;
  for (int axis = 0; axis < Rank; ++axis) last += (view.size(axis) - 1) * view.stride(axis);
  return {reinterpret_cast<const char*>(view.data()),
          reinterpret_cast<const char*>(view.data() + last + 1)};
}

// Throws where a view that is written shares memory with one that is read.
template <typename T, int Rank, typename U, int OtherRank>
void check_no_overlap(const TensorView<T, Rank>& out, const TensorView<U, OtherRank>& input,
                      std::string_view call, std::string_view argument) {
  if (!out || !input) return;
  const MemoryRange written = memory_range(out), read = memory_range(input);
  if (written.begin < read.end && read.begin < written.end) {
    fail(call, argument,
         "shares memory with an input; shapes " + shape_text(out) + " and " + shape_text(input));
  }
}

}  // namespace tril
