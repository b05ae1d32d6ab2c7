// What a piece of text is before any merge: its bytes, or its characters.
#pragma once

#include <tril/text/token_table.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// What becomes of bytes that are no token.
struct UnknownBytes {
  TokenId id = detail::kNoToken;  // this token; kNoToken: they are left out
  bool fused = false;             // one for all that follow one another in a piece
};

namespace detail {

// Like TokenTable it borrows the vocabulary: `tokens` of each call is the same.
class FirstTokens {
 public:
  FirstTokens() { bytes_.fill(kNoToken); }
  // `byte_fallback`, where it is not empty: the tokens of the 256 bytes, of which characters are
  // made that are no token themselves. Where it is empty pieces begin as bytes.
  FirstTokens(const std::vector<std::string>& tokens, const std::vector<TokenId>& byte_fallback,
              const UnknownBytes& unknown);

  bool has(char byte) const noexcept {
    return bytes_[static_cast<unsigned char>(byte)] != kNoToken;
  }
  // Appends those of `piece`.
  void append(std::string_view piece, const std::vector<std::string>& tokens,
              std::vector<TokenId>& ids) const;

 private:
  void append_bytes(std::string_view piece, std::vector<TokenId>& ids) const;
  void append_character(std::string_view character, const std::vector<std::string>& tokens,
                        std::vector<TokenId>& ids) const;

  bool by_characters_ = false;
  UnknownBytes unknown_;
  std::array<TokenId, 256> bytes_;
  // By characters: those of one byte, and those of more.
  std::array<TokenId, 128> ascii_;
  TokenTable wide_;
};

}  // namespace detail
}  // namespace tril
