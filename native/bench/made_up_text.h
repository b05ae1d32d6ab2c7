// A text for benchmarks, since the repository has none: 20 000 words whose letters are as frequent
// as in English, drawn by Zipf's law, with punctuation, numbers and line ends between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tril::bench {

// Makes a text of `bytes` bytes; the words are the same for every seed.
std::string made_up_text(std::size_t bytes, std::uint64_t seed);

}  // namespace tril::bench
