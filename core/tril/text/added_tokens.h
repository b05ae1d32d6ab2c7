// Tokens that a text is searched for before anything else, such as <|endoftext|>.
#pragma once

#include <tril/text/token_table.h>

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
  // Looked for only once the text is as the merges see it, spaces before it and all
  // (TokenizerParts::nfc, PrefixSpace::each); others are looked for before.
  bool normalized = false;
  bool lstrip = false, rstrip = false;  // takes all white space before it, or after it, with it
  bool single_word = false;             // only where no letter, digit or underscore is beside it
};

namespace detail {

class AddedTokens {
 public:
  AddedTokens() = default;
  explicit AddedTokens(std::vector<AddedToken> tokens);

  // use(text before it, the token or null, its text with the white space that it takes) for each
  // added token in `text`, leftmost first, of several at one place the longest; in the end for what
  // is after the last one, with null. What is passed over, special ones unless `with_special` and
  // parts of words, is text, all of it.
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
  // The next one that begins at `from` or later, and takes nothing before `done`.
  std::optional<Match> find(std::string_view text, std::size_t done, std::size_t from,
                            bool with_special) const noexcept;
  const AddedToken* longest(std::string_view text) const noexcept;

  std::vector<AddedToken> tokens_;         // by their bytes
  std::array<bool, 256> is_first_byte_{};  // of any of them
};

}  // namespace detail
}  // namespace tril
