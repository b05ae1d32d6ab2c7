// Added tokens, such as <|endoftext|>, which are searched for in a text before anything else.
#pragma once

#include <tril/text/token_table.h>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// A token that is matched literally in the text and never split or merged.
struct AddedToken {
  std::string text;     // its bytes, at least one
  TokenId id = 0;       // its id in the vocabulary
  bool special = true;  // a control token, which EncodeOptions::special_tokens can turn off
  // Whether it is searched for in the normalized text, with the added spaces (TokenizerParts::nfc,
  // PrefixSpace::each); others are searched for in the original text.
  bool normalized = false;
  bool lstrip = false, rstrip = false;  // it includes all white space before it, or after it
  bool single_word = false;  // only matches without a letter, digit or underscore beside it
};

namespace detail {

class AddedTokens {
 public:
  AddedTokens() = default;
  explicit AddedTokens(std::vector<AddedToken> tokens);

  // Calls use(text before it, the token, its text with its white space) for each added token in
  // `text`, from left to right, the longest of several at one position; at last use(rest of the
  // text, null, ""). Special tokens without `with_special`, and matches that are parts of words,
  // count as text.
  template <typename Use>
  void split(std::string_view text, bool with_special, const Use& use) const {
    std::size_t done = 0, from = 0;
    while (const std::optional<Match> match = find(text, done, from, with_special)) {
      use(text.substr(done, match->begin - done), match->token,
          text.substr(match->begin, match->end - match->begin));
      done = from = match->end;
    }
    use(text.substr(done), static_cast<const AddedToken*>(nullptr), std::string_view());
  }

 private:
  struct Match {
    std::size_t begin, end;
    const AddedToken* token;
  };
  // The next match that begins at `from` or later and includes nothing before `done`.
  std::optional<Match> find(std::string_view text, std::size_t done, std::size_t from,
                            bool with_special) const noexcept;
  const AddedToken* longest(std::string_view text) const noexcept;

  std::vector<AddedToken> tokens_;         // sorted by their bytes
  std::array<bool, 256> is_first_byte_{};  // first bytes of all tokens
};

}  // namespace detail
}  // namespace tril
