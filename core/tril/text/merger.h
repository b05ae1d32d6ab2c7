// Byte-pair encoding of a piece of text (Sennrich et al. 2016). Its bytes or characters are the
// first tokens. As long as two neighbours have a merge, the pair with the lowest rank, the leftmost
// of equal ones, becomes one token.
#pragma once

#include <tril/text/first_tokens.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tril::detail {

class Merger {
 public:
  // Borrows all arguments.
  Merger(const PairTable& pairs, const FirstTokens& first,
         const std::vector<std::string>& tokens) noexcept
      : pairs_(pairs), first_(first), tokens_(tokens) {}

  // Appends the tokens of `piece` to `ids`.
  void merge(std::string_view piece, std::vector<TokenId>& ids);

 private:
  // Two neighbours that can be merged; `at` is the left one.
  struct Candidate {
    PairMerge merge;
    std::size_t at;
    TokenId left, right;
  };

  std::size_t merge_short(std::span<TokenId> ids) const noexcept;
  std::size_t merge_long(std::span<TokenId> ids);
  void consider(std::span<const TokenId> ids, std::size_t at);

  const PairTable& pairs_;
  const FirstTokens& first_;
  const std::vector<std::string>& tokens_;
  // For merge_long: the neighbours of each position, and the candidates as a heap.
  std::vector<std::size_t> before_, after_;
  std::vector<Candidate> heap_;
};

}  // namespace tril::detail
