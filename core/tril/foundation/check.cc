#include <tril/foundation/check.h>
#include <tril/foundation/isa.h>
#include <tril/foundation/named.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <span>

namespace tril {

void fail(const char* call, const char* argument, const Message& problem) {
  throw Error(call, argument, problem.text());
}

Index checked_count(const Index* shape, int rank, std::size_t element_size, const char* call,
                    const char* argument) {
  const std::span<const Index> axes(shape, static_cast<std::size_t>(rank));
  Index count = 1;
  bool empty = false;
  const Index limit = std::numeric_limits<Index>::max() / static_cast<Index>(element_size);
  for (int axis = 0; axis < rank; ++axis) {
    if (shape[axis] < 0) {
      fail(call, argument, {"no axis may be below 0; shape is ", axes});
    }
    if (shape[axis] == 0) {
      empty = true;
      continue;
    }
    if (shape[axis] > limit / count) {
      fail(call, argument, {"too large to address: shape ", axes});
    }
    count *= shape[axis];
  }
  return empty ? 0 : count;
}

namespace detail {
namespace {

std::span<const Index> sizes_of(const ViewShape& view) noexcept {
  return {view.shape, static_cast<std::size_t>(view.rank)};
}

// Whether the elements can be counted, and all their strided offsets addressed.
bool addressable(const ViewShape& view) noexcept {
  Index count = 1, before = 0, after = 1;
  for (int axis = 0; axis < view.rank; ++axis) {
    const Index size = view.shape[axis];
    if (size <= 1) continue;
    Index reach;
    if (__builtin_mul_overflow(count, size, &count) ||
        __builtin_mul_overflow(size - 1, view.strides[axis], &reach)) {
      return false;
    }
    Index& end = reach < 0 ? before : after;
    if (__builtin_add_overflow(end, reach, &end)) return false;
  }
  Index bytes;
  return !__builtin_sub_overflow(after, before, &bytes) &&
         !__builtin_mul_overflow(bytes, static_cast<Index>(view.element_size), &bytes);
}

// Whether all elements have different addresses. It is enough that each axis, from the smallest
// stride to the largest, steps over the whole extent of the axes before it.
bool elements_apart(const ViewShape& view) noexcept {
  // Insertion sort: for so few axes, std::sort would be ten times the code.
  std::array<int, kMostAxes> axes{};
  std::size_t count = 0;
  for (int axis = 0; axis < view.rank; ++axis) {
    if (view.shape[axis] <= 0) return true;
    if (view.shape[axis] == 1) continue;
    std::size_t place = count++;
    for (; place > 0 && std::abs(view.strides[axes[place - 1]]) > std::abs(view.strides[axis]);
         --place) {
      axes[place] = axes[place - 1];
    }
    axes[place] = axis;
  }
  Index reach = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const Index stride = std::abs(view.strides[axes[i]]);
    if (stride < reach) return false;
    reach += wrapping_product(view.shape[axes[i]] - 1, stride);
  }
  return true;
}

}  // namespace

MemoryRange memory_range(const ViewShape& view) noexcept {
  Index first = 0, last = 0;
  for (int axis = 0; axis < view.rank; ++axis) {
    if (view.shape[axis] <= 0) return {nullptr, nullptr};
    const Index reach = wrapping_product(view.shape[axis] - 1, view.strides[axis]);
    (reach < 0 ? first : last) += reach;
  }
  const auto size = static_cast<Index>(view.element_size);
  const char* const data = static_cast<const char*>(view.data);
  return {data + first * size, data + (last + 1) * size};
}

bool same_place(const ViewShape& a, const ViewShape& b) noexcept {
  return a.data == b.data && a.rank == b.rank && std::equal(a.shape, a.shape + a.rank, b.shape) &&
         std::equal(a.strides, a.strides + a.rank, b.strides);
}

void check_view(const ViewShape& view, Empty empty, const char* call, const char* argument) {
  // Throws where TRIL_FORCE_ISA is wrong. Later it must not throw: kernels are looked up in
  // noexcept functions and by threads.
  best_isa();
  check_layout(view, empty, call, argument);
}

void check_layout(const ViewShape& view, Empty empty, const char* call, const char* argument) {
  if (!view.data) fail(call, argument, "no tensor given");
  const Index smallest = empty == Empty::allowed ? 0 : 1;
  for (int axis = 0; axis < view.rank; ++axis) {
    if (view.shape[axis] >= smallest) continue;
    fail(call, argument, {"every axis must be at least ", smallest, "; shape is ", sizes_of(view)});
  }
  if (view.rank == 0) return;
  const auto refuse = [&](const char* problem) {
    const std::span<const Index> strides(view.strides, static_cast<std::size_t>(view.rank));
    fail(call, argument, {problem, "; shape is ", sizes_of(view), ", strides are ", strides});
  };
  if (!view.strided && view.strides[view.rank - 1] != 1) refuse("the last axis must be contiguous");
  if (!addressable(view)) refuse("too large to address");
  if (view.written && !elements_apart(view)) refuse("its elements overlap");
}

void check_no_overlap(const ViewShape& out, const ViewShape& input, const char* call,
                      const char* argument) {
  if (!out.data || !input.data || !memory_range(out).overlaps(memory_range(input))) return;
  fail(call, argument,
       {"shares memory with an input; shapes ", sizes_of(out), " and ", sizes_of(input)});
}

void check_shape(const ViewShape& view, const Index* expected, const char* call,
                 const char* argument, const Message& why) {
  check_view(view, Empty::allowed, call, argument);
  if (std::equal(expected, expected + view.rank, view.shape)) return;
  const std::span<const Index> wanted(expected, static_cast<std::size_t>(view.rank));
  fail(call, argument, {"shape must be ", wanted, ", is ", sizes_of(view), "; ", why});
}

void fail_unknown(std::span<const std::string_view> names, std::string_view name, const char* call,
                  const char* argument, const char* what) {
  std::string known;
  for (const std::string_view each : names) known.append(known.empty() ? "" : ", ").append(each);
  fail(call, argument, {"unknown ", what, " \"", name, "\"; there are ", known});
}

}  // namespace detail

}  // namespace tril
