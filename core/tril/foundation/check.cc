#include <tril/foundation/check.h>

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

Index checked_count(const Index* shape, int rank, std::size_t element_size, std::string_view call,
                    std::string_view argument) {
  Index count = 1;
  const Index limit = std::numeric_limits<Index>::max() / static_cast<Index>(element_size);
  for (int axis = 0; axis < rank; ++axis) {
    if (shape[axis] < 1) {
      fail(call, argument, "every axis must be at least 1; shape is " + shape_text(shape, rank));
    }
    if (shape[axis] > limit / count) {
      fail(call, argument, "too large to address: shape " + shape_text(shape, rank));
    }
    count *= shape[axis];
  }
  return count;
}

}  // namespace tril
