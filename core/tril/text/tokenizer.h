// Text to tokens and back: byte-level byte-pair encoding (Sennrich et al. 2016; Radford et al.
// 2019), and what is left of it without merges: words, characters, bytes.
//
// A text is cut into pieces, a piece begins as its bytes, and pairs of neighbours are merged by
// rank. Since every byte is a token, every string of bytes, UTF-8 or not, survives encoding and
// decoding. What published models do besides is there where TokenizerParts asks for it: pieces that
// begin as characters (SentencePiece), Unicode's normal form, tokens before a text and after it.
// Or words are made of the longest tokens there are (WordPiece), as BERT and its kin have it.
//
//   const Tokenizer gpt2 = read_tokenizer("tokenizer.json");  // <tril/text/tokenizer_file.h>
//   const std::vector<TokenId> ids = gpt2.encode("Hello world");
//   gpt2.decode(ids);  // "Hello world"
#pragma once

#include <tril/text/added_tokens.h>
#include <tril/text/merger.h>
#include <tril/text/normalized_text.h>
#include <tril/text/pre_tokenizer.h>
#include <tril/text/token_table.h>
#include <tril/text/word_pieces.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tril {

// Two tokens that become one where they are neighbours.
struct TokenMerge {
  TokenId left, right;  // what is merged
  TokenId id;           // into this, whose bytes are those of both
};

// Before which texts between added tokens a space is put: none; each, whatever it begins with
// (SentencePiece's older form); each that does not begin with one; the same of the first alone,
// which nothing stands before.
enum class PrefixSpace : std::uint8_t { none, each, missing, first };

// What a tokenizer is made of.
struct TokenizerParts {
  std::vector<std::string> tokens;                  // the bytes of token 0, 1, ...
  std::vector<TokenMerge> merges;                   // the first has the lowest rank
  PreTokenizer pre_tokenizer = PreTokenizer::gpt2;  // what no token reaches across
  bool digits_alone = false;  // every number, by Unicode's category N, is a piece
  // A piece that is a token becomes it, whether or not merges lead there (`ignore_merges` of
  // Hugging Face's files).
  bool ignore_merges = false;
  std::vector<AddedToken> added;
  bool nfc = false;  // the text is brought into Unicode's normal form C first
  // The tokens of the 256 bytes, beside others, where pieces begin as characters: a character that
  // is no token becomes those of its bytes (`byte_fallback`). Then U+2581 in a text is a space, as
  // SentencePiece writes it. Empty: pieces begin as bytes.
  std::vector<TokenId> byte_fallback;
  // Whether there are bytes that are no token: each printable ASCII character must be one. As
  // Hugging Face does they are left out, or become `unknown`; such a text does not survive.
  bool lacks_bytes = false;
  UnknownBytes unknown = {};
  // With `byte_fallback` decoding leaves the space away, where a text begins with it; without,
  // there is no `each`.
  PrefixSpace prefix_space = PrefixSpace::none;
  std::vector<TokenId> prefix, suffix;  // of every text (TemplateProcessing)
  // Words are made of the longest tokens there are, instead of merges, and one that cannot be is
  // `unknown`. Such a text does not round-trip: tokens that begin a word stand after a space.
  std::optional<WordPieces> word_pieces;
};

// How a text is encoded.
struct EncodeOptions {
  bool special_tokens = true;  // false: their texts are text as any other
  bool affixes = true;         // false: without the tokens before a text and after it
};

// The tokens of a text.
struct EncodedText {
  std::vector<TokenId> ids;  // in their order
  // Where each of them stands in the text; characters that become tokens only together have one
  // place, and what is not of the text is empty.
  std::vector<TokenSpan> spans;
};

// A vocabulary and how texts become its tokens. Constant once made: threads may share it.
class Tokenizer {
 public:
  // Throws Error, naming the entry, where tokens are empty or equal, a byte is no token (but for
  // `lacks_bytes` and `word_pieces`), a merge is not of its tokens or a pair has two, an added
  // token is not where it says, or `word_pieces` go with merges, bytes or no `unknown`.
  explicit Tokenizer(TokenizerParts parts);

  // How many tokens there are: ids are 0 to size() - 1.
  TokenId size() const noexcept { return static_cast<TokenId>(parts_.tokens.size()); }
  // The bytes of a token. Throws Error where there is none.
  std::string_view token(TokenId id) const;
  // What decode() makes of it: its bytes, and the space before an added token that is looked for
  // with one (AddedToken::normalized, PrefixSpace::each); of `word_pieces` a space
  // and its bytes, or what goes on with a word without its mark. Throws as token().
  std::string_view text(TokenId id) const { return text_of(id, "Tokenizer::text"); }
  // All that it is made of.
  const TokenizerParts& parts() const noexcept { return parts_; }

  // The tokens of a text. O(n log n) in its longest piece, O(n) in all others.
  std::vector<TokenId> encode(std::string_view text, const EncodeOptions& options = {}) const;
  // The same, with their places.
  EncodedText encode_with_spans(std::string_view text, const EncodeOptions& options = {}) const;
  // The texts of all tokens, one after the other, without the first space where
  // loses_first_space(). Throws Error where an id is not a token's.
  std::string decode(std::span<const TokenId> ids) const;
  // Where each token stands in the text that decode() gives: they cover it without gap, and a
  // character of several bytes may be cut. Throws as decode().
  std::vector<TokenSpan> offsets(std::span<const TokenId> ids) const;
  // Whether decode() leaves away a space that the text begins with: of `word_pieces`, and where
  // encode() puts one there, with `byte_fallback`.
  bool loses_first_space() const noexcept {
    const bool has_space =
        parts_.prefix_space != PrefixSpace::none && !parts_.byte_fallback.empty();
    return has_space || parts_.word_pieces.has_value();
  }
  // Whether it is an added token that is special. Throws Error where there is none.
  bool is_special(TokenId id) const;

 private:
  class Encoder;

  void read_tokens();
  std::vector<bool> read_fallback() const;
  void read_word_pieces();
  void read_merges();
  void read_added();
  void read_affixes() const;
  void find_whole_pieces();
  detail::NormalizedText normalized(std::string_view text, bool keeps_sources) const;
  const std::string& checked(TokenId id, const char* call) const;
  std::string_view text_of(TokenId id, const char* call) const;

  TokenizerParts parts_;
  detail::FirstTokens first_;
  detail::PairTable pairs_;
  detail::TokenTable whole_;  // pieces that need no merging
  detail::AddedTokens added_, normalized_added_;
  std::unordered_map<TokenId, std::string> after_space_;  // texts of added tokens that are
  bool cuts_at_spaces_ =
      false;  // with `byte_fallback`: no merge makes a space after something else
  // With `word_pieces`: what decode() makes of each token, and the bytes of the longest.
  std::vector<std::string> texts_;
  std::size_t longest_ = 0;
};

}  // namespace tril
