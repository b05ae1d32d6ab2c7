#include <tril/foundation/check.h>
#include <tril/lessons/cache_model.h>

#include <algorithm>
#include <string>

namespace tril {
namespace {

constexpr Index kMostLines = Index{1} << 24;

const CacheShape& checked(const CacheShape& shape) {
  const auto at_least_one = [](Index number, const char* name) {
    if (number < 1) fail("CacheModel", name, {"must be at least 1, is ", number});
  };
  at_least_one(shape.line_bytes, "line_bytes");
  at_least_one(shape.ways, "ways");
  at_least_one(shape.sets, "sets");
  if (shape.ways > kMostLines / shape.sets) {
    fail("CacheModel", "sets",
         {shape.sets, " sets of ", shape.ways, " ways are more than 2^24 lines"});
  }
  return shape;
}

}  // namespace

CacheModel::CacheModel(const CacheShape& shape)
    : shape_(checked(shape)), lines_(static_cast<std::size_t>(shape.ways * shape.sets), kEmpty) {}

bool CacheModel::access(std::uint64_t address) {
  const std::uint64_t line = address / static_cast<std::uint64_t>(shape_.line_bytes);
  const auto set = static_cast<std::ptrdiff_t>(line % static_cast<std::uint64_t>(shape_.sets));
  const auto begin = lines_.begin() + set * shape_.ways, end = begin + shape_.ways;
  const auto found = std::find(begin, end, line);
  const bool hit = found != end;
  ++(hit ? hits_ : misses_);
  // Moves the line to the front; the lines before it move back by one, and on a miss the last one
  // is evicted.
  const auto hole = hit ? found : end - 1;
  std::move_backward(begin, hole, hole + 1);
  *begin = line;
  return hit;
}

std::uint64_t CacheModel::line(Index set, Index way) const {
  return lines_.at(static_cast<std::size_t>(set * shape_.ways + way));
}

}  // namespace tril
