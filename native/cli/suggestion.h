// Suggestions for misspelled names.
#pragma once

#include <string>
#include <vector>

namespace tril::cli {

// "; did you mean attention?" for "attenton": the closest name, if it is at most two letters or a
// third of the letters away; else "".
std::string did_you_mean(const std::string& word, const std::vector<std::string>& names);

}  // namespace tril::cli
