// Added tokens, matched as in Hugging Face's tokenizers (added_vocabulary.rs, find_matches).
#include <tril/foundation/heap_sort.h>
#include <tril/text/added_tokens.h>
#include <tril/text/unicode.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

namespace tril::detail {
namespace {

// The number of bytes of white space at the end of `text`.
std::size_t space_at_end(std::string_view text) noexcept {
  const std::size_t size = text.size();
  while (!text.empty()) {
    const Character last = last_character(text);
    if (last.kind != CharacterClass::space) break;
    text.remove_suffix(last.size);
  }
  return size - text.size();
}

bool is_part_of_word(std::string_view before, std::string_view after) noexcept {
  if (!after.empty() && is_of_word(after)) return true;
  return !before.empty() && is_of_word(before.substr(before.size() - last_character(before).size));
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) {
  std::vector<std::size_t> order(tokens.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // If several tokens have the same normal form, the first one matches.
  heap_sort(order, {},
            [&](std::size_t i) { return std::pair(std::string_view(tokens[i].text), i); });
  for (const std::size_t i : order) {
    is_first_byte_[static_cast<unsigned char>(tokens[i].text.front())] = true;
    tokens_.push_back(std::move(tokens[i]));
  }
}

// The longest token that `text` begins with, or null. Tokens that share more and more of its bytes
// are adjacent, the shortest first.
const AddedToken* AddedTokens::longest(std::string_view text) const noexcept {
  const AddedToken* found = nullptr;
  auto begin = tokens_.begin(), end = tokens_.end();
  for (std::size_t size = 0; size < text.size(); ++size) {
    const int byte = static_cast<unsigned char>(text[size]);
    const auto byte_of = [size](const AddedToken& each) {
      return each.text.size() == size ? -1 : int{static_cast<unsigned char>(each.text[size])};
    };
    begin = std::partition_point(begin, end,
                                 [&](const AddedToken& each) { return byte_of(each) < byte; });
    end = std::partition_point(begin, end,
                               [&](const AddedToken& each) { return byte_of(each) == byte; });
    if (begin == end) break;
    if (begin->text.size() == size + 1) found = &*begin;
  }
  return found;
}

std::optional<AddedTokens::Match> AddedTokens::find(std::string_view text, std::size_t done,
                                                    std::size_t from,
                                                    bool with_special) const noexcept {
  if (tokens_.empty()) return std::nullopt;
  for (std::size_t at = from; at < text.size();) {
    const bool may_begin = is_first_byte_[static_cast<unsigned char>(text[at])];
    const AddedToken* const token = may_begin ? longest(text.substr(at)) : nullptr;
    if (!token) {
      ++at;
      continue;
    }
    std::size_t begin = at, end = at + token->text.size();
    at = end;
    if (token->special && !with_special) continue;
    if (token->single_word && is_part_of_word(text.substr(0, begin), text.substr(end))) continue;
    if (token->lstrip) begin -= space_at_end(text.substr(done, begin - done));
    if (token->rstrip) end += leading_space(text.substr(end));
    return Match{begin, end, token};
  }
  return std::nullopt;
}

}  // namespace tril::detail
