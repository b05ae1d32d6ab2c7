#include "made_up_text.h"

#include <tril/foundation/random.h>

#include <cmath>
#include <iterator>
#include <string_view>
#include <vector>

namespace tril::bench {

std::string made_up_text(std::size_t bytes, std::uint64_t seed) {
  constexpr std::string_view kLetters =
      "eeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddlllluuucccmmmffyyww"
      "gg"
      "ppbbvk";
  constexpr std::string_view kOthers[] = {
      ", ", ". ", ".\n", "\n\n", " (", ") ", "'s ", " 1945 ", " \xc3\xa9t\xc3\xa9 "};
  Random words_of(1), random(seed);  // the words are the same in every text
  std::vector<std::string> words(20'000);
  for (std::string& word : words) {
    const std::uint32_t size = 1 + words_of.below(5) + words_of.below(6);
    for (std::uint32_t n = 0; n < size; ++n) {
      word += kLetters[words_of.below(static_cast<std::uint32_t>(kLetters.size()))];
    }
  }
  std::string text;
  while (text.size() < bytes) {
    // Frequency over rank: the logarithm of the rank is even.
    const double rank = std::pow(static_cast<double>(words.size()), random.uniform()) - 1;
    text += words[static_cast<std::size_t>(rank)];
    text += random.below(8) > 0 ? " " : kOthers[random.below(std::size(kOthers))];
  }
  text.resize(bytes);
  return text;
}

}  // namespace tril::bench
