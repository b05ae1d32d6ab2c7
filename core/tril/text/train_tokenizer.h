// Tokenizers from texts.
#pragma once

#include <tril/foundation/named.h>
#include <tril/text/tokenizer.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// What becomes a token beside the 256 bytes, which always are: tokens 0 to 255.
enum class TokenizerKind : std::uint8_t {
  bytes,       // nothing
  characters,  // code points of the texts
  words,       // pieces of GPT-2's split, in which letters keep their marks
  bpe          // merges within pieces of GPT-2's split
};

// Their names.
inline constexpr Named<TokenizerKind> kTokenizerKinds[] = {{"bytes", TokenizerKind::bytes},
                                                           {"chars", TokenizerKind::characters},
                                                           {"words", TokenizerKind::words},
                                                           {"bpe", TokenizerKind::bpe}};

// How a tokenizer is trained.
struct TokenizerOptions {
  TokenizerKind kind = TokenizerKind::bpe;  // of which kind
  // At most so many tokens, bytes and special ones included; 0: as many as there are.
  TokenId vocabulary = 0;
  // Of two bytes or more, the last of the vocabulary; where the texts hold them they are cut there.
  std::vector<std::string> special = {};
};

// A tokenizer for texts like these. Characters and words: the most frequent ones, of equally
// frequent ones those whose bytes come first. bpe (Sennrich et al. 2016): again and again the pair
// of neighbours that occurs most often, of several that of the lowest ids; it ends early where no
// pair occurs twice. Deterministic. Throws Error for a vocabulary that bytes and special tokens do
// not fit into, and for special tokens that are too short or twice the same.
Tokenizer train_tokenizer(std::span<const std::string_view> texts, const TokenizerOptions& options);

}  // namespace tril
