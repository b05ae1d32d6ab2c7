// A cache as the hardware builds them: sets of a few lines each, the least recently used one goes.
//
// An address belongs to line address / line_bytes, and a line to set line % sets. Reads and writes
// count alike: what is written is fetched first. One way is a direct-mapped cache, one set a fully
// associative one.
#pragma once

#include <tril/foundation/tensor.h>

#include <cstdint>
#include <vector>

namespace tril {

// The sizes of a cache.
struct CacheShape {
  Index line_bytes = 64;  // what is fetched at once
  Index ways = 8;         // lines of a set
  Index sets = 64;        // 64 B * 8 * 64 = 32 KiB, a common first level
};

// A cache that is asked for one address after the other.
class CacheModel {
 public:
  // Throws Error where a number is below 1 or there are more than 2^24 lines.
  explicit CacheModel(const CacheShape& shape);

  // Whether the line of `address` was there. It is there, and the most recently used, afterwards.
  bool access(std::uint64_t address);

  std::uint64_t hits() const noexcept { return hits_; }        // how often it was there
  std::uint64_t misses() const noexcept { return misses_; }    // how often not
  const CacheShape& shape() const noexcept { return shape_; }  // as it was made
  // Which line a set's way holds, the most recently used way first; kEmpty where none.
  std::uint64_t line(Index set, Index way) const;

  // No line.
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

 private:
  CacheShape shape_;
  std::vector<std::uint64_t> lines_;  // [sets, ways], each set from most to least recently used
  std::uint64_t hits_ = 0, misses_ = 0;
};

}  // namespace tril
