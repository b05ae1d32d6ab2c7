#include <tril/files/utf8.h>
#include <tril/text/first_tokens.h>

#include <algorithm>

namespace tril::detail {

FirstTokens::FirstTokens(const std::vector<std::string>& tokens,
                         const std::vector<TokenId>& byte_fallback, const UnknownBytes& unknown)
    : by_characters_(!byte_fallback.empty()), unknown_(unknown) {
  bytes_.fill(kNoToken);
  if (!by_characters_) {
    for (std::size_t id = 0; id < tokens.size(); ++id) {
      if (tokens[id].size() != 1) continue;
      bytes_[static_cast<unsigned char>(tokens[id][0])] = static_cast<TokenId>(id);
    }
    return;
  }
  std::ranges::copy(byte_fallback, bytes_.begin());
  std::copy_n(bytes_.begin(), ascii_.size(), ascii_.begin());
  std::vector<bool> is_byte(tokens.size());
  for (const TokenId id : byte_fallback) is_byte[static_cast<std::size_t>(id)] = true;
  std::vector<TokenId> wide;
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    if (is_byte[id] || first_code_point(tokens[id]).size != tokens[id].size()) continue;
    if (tokens[id].size() > 1) {
      wide.push_back(static_cast<TokenId>(id));
    } else {
      ascii_[static_cast<unsigned char>(tokens[id][0])] = static_cast<TokenId>(id);
    }
  }
  wide_ = TokenTable(wide.size());
  for (const TokenId id : wide) wide_.insert(id, tokens);
}

void FirstTokens::append(std::string_view piece, const std::vector<std::string>& tokens,
                         std::vector<TokenId>& ids) const {
  if (!by_characters_) {
    append_bytes(piece, ids);
    return;
  }
  while (!piece.empty()) {
    std::size_t size = 1;
    if (const auto byte = static_cast<unsigned char>(piece[0]); byte < ascii_.size()) {
      ids.push_back(ascii_[byte]);
    } else {
      size = std::max(size, first_code_point(piece).size);
      append_character(piece.substr(0, size), tokens, ids);
    }
    piece.remove_prefix(size);
  }
}

void FirstTokens::append_bytes(std::string_view piece, std::vector<TokenId>& ids) const {
  bool was_known = true;
  for (const char byte : piece) {
    const bool is_known = has(byte);
    if (is_known) {
      ids.push_back(bytes_[static_cast<unsigned char>(byte)]);
    } else if (unknown_.id != kNoToken && (was_known || !unknown_.fused)) {
      ids.push_back(unknown_.id);
    }
    was_known = is_known;
  }
}

void FirstTokens::append_character(std::string_view character,
                                   const std::vector<std::string>& tokens,
                                   std::vector<TokenId>& ids) const {
  const TokenId id = wide_.find(character, tokens);
  if (id != kNoToken) {
    ids.push_back(id);
    return;
  }
  for (const char byte : character) ids.push_back(bytes_[static_cast<unsigned char>(byte)]);
}

}  // namespace tril::detail
