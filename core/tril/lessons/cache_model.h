// A model of a hardware cache: sets of a few lines each, with least-recently-used replacement.
//
// An address belongs to line address / line_bytes, and a line to set line % sets. Writes count as
// reads: a line is fetched before it is written. One way makes a direct-mapped cache, one set a
// fully associative one.
#pragma once

#include <tril/foundation/tensor.h>

#include <cstdint>
#include <vector>

namespace tril {

// The sizes of a cache.
struct CacheShape {
  Index line_bytes = 64;  // bytes of a line
  Index ways = 8;         // lines of a set
  Index sets = 64;        // 64 B * 8 * 64 = 32 KiB, a common first level
};

// A cache that is accessed at one address after another.
class CacheModel {
 public:
  // Throws Error where a number is below 1 or there are more than 2^24 lines.
  explicit CacheModel(const CacheShape& shape);

  // Accesses `address` and returns whether its line was in the cache. The line is then the most
  // recently used one.
  bool access(std::uint64_t address);

  std::uint64_t hits() const noexcept { return hits_; }        // number of hits
  std::uint64_t misses() const noexcept { return misses_; }    // number of misses
  const CacheShape& shape() const noexcept { return shape_; }  // the given sizes
  // The line in a way of a set, the most recently used way first; kEmpty where there is none.
  std::uint64_t line(Index set, Index way) const;

  // No line.
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

 private:
  CacheShape shape_;
  std::vector<std::uint64_t> lines_;  // [sets, ways], each set from most to least recently used
  std::uint64_t hits_ = 0, misses_ = 0;
};

}  // namespace tril
