#include "suggestion.h"

#include <algorithm>
#include <numeric>

namespace tril::cli {
namespace {

// The number of letters to change, add or leave out to turn a into b (Levenshtein 1966).
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names) {
  const auto far = [&](const std::string& name) { return distance(word, name); };
  const auto nearest = std::ranges::min_element(names, {}, far);
  if (nearest == names.end() || far(*nearest) > std::max<std::size_t>(2, word.size() / 3))
    return "";
  return "; did you mean " + *nearest + "?";
}

}  // namespace tril::cli
