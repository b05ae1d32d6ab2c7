#include <tril/foundation/check.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace tril {

std::string shape_text(const Index* shape, int rank) {
  std::string text = "[";
  for (int axis = 0; axis < rank; ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(shape[axis]);
  }
  return text + "]";
}

void fail(std::string_view call, std::string_view argument, const std::string& problem) {
  throw Error(call, argument, problem);
}

// value = digits * 10^(exponent - 5), six digits rounded to nearest;  as printf("%g")
std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  std::string text;
  if (std::signbit(value)) text.push_back('-');
  double size = std::fabs(value);
  if (std::isinf(size)) return text.append("inf");
  if (size == 0) return text.append("0");
  int exponent = 5;
  for (; size >= 999999.5; size /= 10) ++exponent;
  for (; size < 99999.95; size *= 10) --exponent;
  std::string digits = std::to_string(static_cast<int>(size + 0.5));
  digits.erase(digits.find_last_not_of('0') + 1);
  const bool scientific = exponent < -4 || exponent > 5;
  // So many digits are in front of the point; below 1, zeros come first.
  const int whole = scientific ? 1 : exponent + 1, count = static_cast<int>(digits.size());
  if (whole <= 0) text.append("0.").append(static_cast<std::size_t>(-whole), '0');
  for (int i = 0; i < count; ++i) {
    if (i > 0 && i == whole) text.push_back('.');
    text.push_back(digits[static_cast<std::size_t>(i)]);
  }
  for (int i = count; i < whole; ++i) text.push_back('0');
  if (!scientific) return text;
  const int power = exponent < 0 ? -exponent : exponent;
  text.append(exponent < 0 ? "e-" : "e+");
  if (power < 10) text.push_back('0');
  return text.append(std::to_string(power));
}

Index checked_count(const Index* shape, int rank, std::size_t element_size, std::string_view call,
                    std::string_view argument) {
  Index count = 1;
  bool empty = false;
  const Index limit = std::numeric_limits<Index>::max() / static_cast<Index>(element_size);
  for (int axis = 0; axis < rank; ++axis) {
    if (shape[axis] < 0) {
      fail(call, argument, "no axis may be below 0; shape is " + shape_text(shape, rank));
    }
    if (shape[axis] == 0) {
      empty = true;
      continue;
    }
    if (shape[axis] > limit / count) {
      fail(call, argument, "too large to address: shape " + shape_text(shape, rank));
    }
    count *= shape[axis];
  }
  return empty ? 0 : count;
}

namespace detail {
namespace {

// Whether no two elements share a place. Enough for that: taken from the smallest stride to the
// largest, each axis steps over all that the axes before it reach.
bool elements_apart(const ViewShape& view) noexcept {
  // Insertion sort: for so few, std::sort would be ten times the code.
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

void check_view(const ViewShape& view, Empty empty, std::string_view call,
                std::string_view argument) {
  if (!view.data) fail(call, argument, "no tensor given");
  const Index smallest = empty == Empty::allowed ? 0 : 1;
  for (int axis = 0; axis < view.rank; ++axis) {
    if (view.shape[axis] >= smallest) continue;
    fail(call, argument,
         "every axis must be at least " + std::to_string(smallest) + "; shape is " +
             shape_text(view.shape, view.rank));
  }
  if (view.rank == 0) return;
  const Index last = view.strides[view.rank - 1];
  if (last != 1 && (last != 0 || view.written)) {
    fail(call, argument, "the last axis must be contiguous");
  }
  if (view.written && view.rank > 1 && !elements_apart(view)) {
    fail(call, argument,
         "its elements overlap; shape is " + shape_text(view.shape, view.rank) + ", strides are " +
             shape_text(view.strides, view.rank));
  }
}

void check_no_overlap(const ViewShape& out, const ViewShape& input, std::string_view call,
                      std::string_view argument) {
  if (!out.data || !input.data || !memory_range(out).overlaps(memory_range(input))) return;
  fail(call, argument,
       "shares memory with an input; shapes " + shape_text(out.shape, out.rank) + " and " +
           shape_text(input.shape, input.rank));
}

void fail_shape(const ViewShape& view, const Index* expected, std::string_view call,
                std::string_view argument, const std::string& why) {
  fail(call, argument,
       "shape must be " + shape_text(expected, view.rank) + ", is " +
           shape_text(view.shape, view.rank) + "; " + why);
}

}  // namespace detail

}  // namespace tril
