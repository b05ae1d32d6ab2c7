// Byte-pair encoding as its papers write it, without regard to time, as a reference for the tests.
#pragma once

#include <tril/foundation/random.h>
#include <tril/text/tokenizer.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tril::testing {

// Repeatedly merges the leftmost neighbours with the lowest rank, until none have a merge.
inline std::vector<TokenId> encode_plainly(const TokenizerParts& parts, std::string_view piece) {
  std::vector<TokenId> ids;
  for (const char byte : piece) {
    const auto found = std::ranges::find(parts.tokens, std::string(1, byte));
    ids.push_back(static_cast<TokenId>(found - parts.tokens.begin()));
  }
  for (std::size_t rank = 0; rank < parts.merges.size();) {
    const auto& [left, right, id] = parts.merges[rank++];
    for (std::size_t at = 0; at + 1 < ids.size(); ++at) {
      if (ids[at] != left || ids[at + 1] != right) continue;
      ids[at] = id;
      ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(at) + 1);
      rank = 0;  // a merge of lower rank may have become possible
      break;
    }
  }
  return ids;
}

// The merges learned from `words`, as bytes, counting all pairs again for each. Tokens are numbered
// in the order of their creation; of equally frequent pairs the one with lower numbers wins.
inline std::vector<std::pair<std::string, std::string>> learn_plainly(
    const std::vector<std::string>& words, std::size_t most) {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
  const auto id_of = [&](const std::string& bytes) {
    return std::ranges::find(tokens, bytes) - tokens.begin();
  };
  std::vector<std::vector<std::string>> split;
  for (const std::string& word : words) {
    std::vector<std::string>& symbols = split.emplace_back();
    for (const char byte : word) symbols.emplace_back(1, byte);
  }
  std::vector<std::pair<std::string, std::string>> merges;
  while (tokens.size() < most) {
    std::map<std::pair<std::ptrdiff_t, std::ptrdiff_t>, int> counts;
    for (const std::vector<std::string>& symbols : split) {
      for (std::size_t at = 0; at + 1 < symbols.size(); ++at) {
        ++counts[{id_of(symbols[at]), id_of(symbols[at + 1])}];
      }
    }
    std::pair<std::ptrdiff_t, std::ptrdiff_t> best{};
    int times = 1;
    for (const auto& [pair, count] : counts) {
      if (count > times) best = pair, times = count;
    }
    if (times < 2) break;
    const std::string left = tokens[static_cast<std::size_t>(best.first)],
                      right = tokens[static_cast<std::size_t>(best.second)];
    merges.emplace_back(left, right);
    if (std::ranges::find(tokens, left + right) == tokens.end()) tokens.push_back(left + right);
    for (std::vector<std::string>& symbols : split) {
      for (std::size_t at = 0; at + 1 < symbols.size(); ++at) {
        if (symbols[at] != left || symbols[at + 1] != right) continue;
        symbols[at] += right;
        symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(at) + 1);
      }
    }
  }
  return merges;
}

// Random letters among the first `kinds` of "abc...", so that pairs repeat.
inline std::string random_letters(Random& random, std::uint32_t size, std::uint32_t kinds) {
  std::string text;
  for (std::uint32_t n = 0; n < size; ++n) {
    text += static_cast<char>('a' + static_cast<char>(random.below(kinds)));
  }
  return text;
}

// Random bytes; often not UTF-8.
inline std::string random_bytes(Random& random, std::uint32_t size) {
  std::string text;
  for (std::uint32_t n = 0; n < size; ++n) text += static_cast<char>(random.below(256));
  return text;
}

// The 256 bytes, each as the token of its number.
inline TokenizerParts parts_of_bytes(PreTokenizer split) {
  TokenizerParts parts;
  for (int byte = 0; byte < 256; ++byte) parts.tokens.emplace_back(1, static_cast<char>(byte));
  parts.pre_tokenizer = split;
  return parts;
}

// Adds the merge of two tokens, and the resulting token if it is new.
inline void add_merge(TokenizerParts& parts, const std::string& left, const std::string& right) {
  const auto id_of = [&](const std::string& bytes) {
    const auto found = std::ranges::find(parts.tokens, bytes);
    if (found != parts.tokens.end()) return static_cast<TokenId>(found - parts.tokens.begin());
    parts.tokens.push_back(bytes);
    return static_cast<TokenId>(parts.tokens.size() - 1);
  };
  const TokenId first = id_of(left), second = id_of(right);
  parts.merges.push_back({first, second, id_of(left + right)});
}

}  // namespace tril::testing
