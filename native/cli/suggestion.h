// What was meant by a name that there is not.
#pragma once

#include <string>
#include <vector>

namespace tril::cli {

// "; did you mean attention?" of "attenton": the name that is the fewest letters away, if that is
// no more than two or a third of them; else nothing.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& names);

}  // namespace tril::cli
