// Text to tokens and back: byte-level byte-pair encoding (Sennrich et al. 2016; Radford et al.
// 2019), and what is left of it without merges: words, characters, bytes.
//
// A text is cut into pieces, a piece begins as its bytes, and pairs of neighbours are merged by
// rank. Since every byte is a token, every string of bytes, UTF-8 or not, survives encoding and
// decoding. There is no Unicode normalisation, nothing is put in front of a text or behind it.
//
//   const Tokenizer gpt2 = read_tokenizer("tokenizer.json");  // <tril/model/tokenizer_file.h>
//   const std::vector<TokenId> ids = gpt2.encode("Hello world");
//   gpt2.decode(ids);  // "Hello world"
#pragma once

#include <tril/model/added_tokens.h>
#include <tril/model/merger.h>
#include <tril/model/pre_split.h>
#include <tril/model/token_table.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// Two tokens that become one where they are neighbours.
struct TokenMerge {
  TokenId left, right;  // what is merged
  TokenId id;           // into this, whose bytes are those of both
};

// What a tokenizer is made of.
struct TokenizerParts {
  std::vector<std::string> tokens;  // the bytes of token 0, 1, ...; each of the 256 bytes is one
  std::vector<TokenMerge> merges;   // the first has the lowest rank
  PreSplit pre_split = PreSplit::gpt2;  // what no token reaches across
  bool digits_alone = false;            // every number, by Unicode's category N, is a piece
  // A piece that is a token becomes it, whether or not merges lead there (`ignore_merges` of
  // Hugging Face's files).
  bool whole_pieces = false;
  std::vector<AddedToken> added;
};

// How a text is encoded.
struct EncodeOptions {
  bool special_tokens = true;  // false: their texts are text as any other
};

// Where a token stands in a text, in bytes.
struct TokenSpan {
  std::size_t begin;  // its first byte
  std::size_t end;    // the byte after its last
};

// A vocabulary and how texts become its tokens. Constant once made: threads may share it.
class Tokenizer {
 public:
  // Throws Error, naming the entry, where tokens are empty or equal, a byte is no token, a merge is
  // not of its tokens or a pair has two, or an added token is not where it says.
  explicit Tokenizer(TokenizerParts parts);

  // How many tokens there are: ids are 0 to size() - 1.
  TokenId size() const noexcept { return static_cast<TokenId>(parts_.tokens.size()); }
  // The bytes of a token. Throws Error where there is none.
  std::string_view token(TokenId id) const;
  // All that it is made of.
  const TokenizerParts& parts() const noexcept { return parts_; }

  // The tokens of a text. O(n log n) in its longest piece, O(n) in all others.
  std::vector<TokenId> encode(std::string_view text, const EncodeOptions& options = {}) const;
  // The bytes of all tokens, one after the other. Throws Error where an id is no token's.
  std::string decode(std::span<const TokenId> ids) const;
  // Where each token stands in the text that `ids` encode: they cover it without gap, and a
  // character of several bytes may be cut. Throws as decode().
  std::vector<TokenSpan> offsets(std::span<const TokenId> ids) const;

 private:
  void read_tokens();
  void read_merges();
  void read_added();
  void find_whole_pieces();
  const std::string& checked(TokenId id, const char* call) const;

  TokenizerParts parts_;
  std::array<TokenId, 256> bytes_;  // the token of each byte
  detail::PairTable pairs_;
  detail::TokenTable whole_;  // pieces that need no merging
  detail::AddedTokens added_;
};

}  // namespace tril
