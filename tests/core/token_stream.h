// Training data for the tests.
#pragma once

#include <tril/foundation/random.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tril::testing {

// A stream in which most tokens follow from the one before.
inline std::vector<std::int32_t> stream(std::size_t count, std::uint64_t seed = 1) {
  Random random(seed);
  std::vector<std::int32_t> tokens = {0};
  while (tokens.size() < count) {
    const bool follows = random.uniform() < 0.9f;
    tokens.push_back(follows ? (tokens.back() * 3 + 1) % 11
                             : static_cast<std::int32_t>(random.below(11)));
  }
  return tokens;
}

}  // namespace tril::testing
