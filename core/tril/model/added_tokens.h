// Tokens that a text is searched for before anything else, such as <|endoftext|>.
#pragma once

#include <tril/model/token_table.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// A token that stands in the text as it is and is never cut or merged.
struct AddedToken {
  std::string text;     // its bytes: at least one
  TokenId id = 0;       // where it stands in the vocabulary
  bool special = true;  // for control: EncodeOptions::special_tokens can leave it alone
  // Looked for only once the text is as the merges see it, blanks before it and all
  // (TokenizerParts::nfc, blank_before); others are looked for before.
  bool normalized = false;
};

namespace detail {

class AddedTokens {
 public:
  AddedTokens() = default;
  explicit AddedTokens(std::vector<AddedToken> tokens);

  // use(text before it, the token or null) for each added token in `text`, leftmost first, of
  // several at one place the longest; in the end for what is behind the last one, with null.
  // Special ones only if `with_special`.
  template <typename Use>
  void split(std::string_view text, bool with_special, const Use& use) const {
    while (const std::optional<Match> match = find(text, with_special)) {
      use(text.substr(0, match->begin), match->token);
      text.remove_prefix(match->begin + match->token->text.size());
    }
    use(text, nullptr);
  }

 private:
  struct Match {
    std::size_t begin;
    const AddedToken* token;
  };
  std::optional<Match> find(std::string_view text, bool with_special) const noexcept;

  std::vector<AddedToken> tokens_;         // long ones first
  std::array<bool, 256> is_first_byte_{};  // of any of them
};

}  // namespace detail
}  // namespace tril
