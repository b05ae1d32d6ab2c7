// The first tokens of a piece of text, before any merge: its bytes or its characters.
#pragma once

#include <tril/text/token_table.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// The tokens of bytes that are not in the vocabulary.
struct UnknownBytes {
  TokenId id = detail::kNoToken;  // their token; kNoToken: they are dropped
  bool fused = false;             // whether consecutive ones in a piece are one token
};

namespace detail {

// Borrows the vocabulary, as TokenTable does: every call must get the same `tokens`.
class FirstTokens {
 public:
  FirstTokens() { bytes_.fill(kNoToken); }
  // `byte_fallback` is empty where pieces begin as bytes. Otherwise pieces begin as characters, and
  // it has the tokens of the 256 bytes, for characters that are not tokens.
  FirstTokens(const std::vector<std::string>& tokens, const std::vector<TokenId>& byte_fallback,
              const UnknownBytes& unknown);

  bool has(char byte) const noexcept {
    return bytes_[static_cast<unsigned char>(byte)] != kNoToken;
  }
  // Appends the first tokens of `piece`.
  void append(std::string_view piece, const std::vector<std::string>& tokens,
              std::vector<TokenId>& ids) const;

 private:
  void append_bytes(std::string_view piece, std::vector<TokenId>& ids) const;
  void append_character(std::string_view character, const std::vector<std::string>& tokens,
                        std::vector<TokenId>& ids) const;

  bool by_characters_ = false;
  UnknownBytes unknown_;
  std::array<TokenId, 256> bytes_;
  // For characters of one byte, and of more.
  std::array<TokenId, 128> ascii_;
  TokenTable wide_;
};

}  // namespace detail
}  // namespace tril
