// A text to be measured with, since none is in the repository: 20 000 words of letters as frequent
// as in English, drawn as often as Zipf's law has it, with signs, numbers and ends of lines between
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tril::bench {

// So many bytes of it; the words are the same for every seed.
std::string made_up_text(std::size_t bytes, std::uint64_t seed);

}  // namespace tril::bench
