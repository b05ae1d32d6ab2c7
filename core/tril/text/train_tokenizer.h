// Training of tokenizers.
#pragma once

#include <tril/foundation/named.h>
#include <tril/text/tokenizer.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// The tokens in addition to the 256 bytes, which are always tokens 0 to 255.
enum class TokenizerKind : std::uint8_t {
  bytes,       // no others
  characters,  // code points of the texts
  words,       // pieces of GPT-2's split, with marks kept on letters
  bpe          // merges within pieces of GPT-2's split
};

// Their names.
inline constexpr Named<TokenizerKind> kTokenizerKinds[] = {{"bytes", TokenizerKind::bytes},
                                                           {"chars", TokenizerKind::characters},
                                                           {"words", TokenizerKind::words},
                                                           {"bpe", TokenizerKind::bpe}};

// Options of training.
struct TokenizerOptions {
  TokenizerKind kind = TokenizerKind::bpe;  // the kind of tokens
  // Maximum number of tokens, with bytes and special ones; 0: no limit.
  TokenId vocabulary = 0;
  // Special tokens, of two bytes or more. They are the last of the vocabulary, and texts are split
  // where they contain one.
  std::vector<std::string> special = {};
};

// Trains a tokenizer on texts; the result is deterministic. `characters` and `words` take the most
// frequent ones, of equally frequent ones those whose bytes come first. `bpe` (Sennrich et al.
// 2016) merges the most frequent pair of neighbours again and again, of equally frequent ones that
// of the lowest ids, and ends early where no pair occurs twice. Throws Error for a vocabulary too
// small for the bytes and special tokens, and for special tokens that are too short or repeated.
Tokenizer train_tokenizer(std::span<const std::string_view> texts, const TokenizerOptions& options);

}  // namespace tril
