#include <tril/model/added_tokens.h>

#include <algorithm>
#include <utility>

namespace tril::detail {

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  std::ranges::stable_sort(tokens_, std::ranges::greater{},
                           [](const AddedToken& each) { return each.text.size(); });
  for (const AddedToken& each : tokens_) {
    is_first_byte_[static_cast<unsigned char>(each.text.front())] = true;
  }
}

std::optional<AddedTokens::Match> AddedTokens::find(std::string_view text,
                                                    bool with_special) const noexcept {
  if (tokens_.empty()) return std::nullopt;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_first_byte_[static_cast<unsigned char>(text[at])]) continue;
    for (const AddedToken& each : tokens_) {
      if ((with_special || !each.special) && text.substr(at).starts_with(each.text)) {
        return Match{at, &each};
      }
    }
  }
  return std::nullopt;
}

}  // namespace tril::detail
