// Text to tokens and back: byte-level byte-pair encoding (Sennrich et al. 2016; Radford et al.
// 2019), or, without merges, words, characters or bytes.
//
// A text is split into pieces; a piece begins as its bytes, and pairs of neighbours are merged by
// rank. Since every byte is a token, every string of bytes, UTF-8 or not, round-trips.
// TokenizerParts can ask for more steps of published models: pieces that begin as characters
// (SentencePiece), Unicode's normal form, and tokens before and after a text. Or words consist of
// the longest tokens possible (WordPiece), as in BERT and its relatives.
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
  TokenId id;           // the merged token, whose bytes are those of both
};

// Whether a space is added before a text between added tokens: none; each, in any case
// (SentencePiece's older form); missing, where it does not begin with one; first, the same for the
// beginning of the whole text only.
enum class PrefixSpace : std::uint8_t { none, each, missing, first };

// The parts of a tokenizer.
struct TokenizerParts {
  std::vector<std::string> tokens;                  // the bytes of token 0, 1, ...
  std::vector<TokenMerge> merges;                   // the first has the lowest rank
  PreTokenizer pre_tokenizer = PreTokenizer::gpt2;  // the split into pieces
  bool digits_alone = false;  // every number, by Unicode's category N, is a piece
  // Whether a piece that is a token becomes it even if no merges lead there (`ignore_merges` in
  // Hugging Face's files).
  bool ignore_merges = false;
  std::vector<AddedToken> added;
  bool nfc = false;  // the text is first converted to Unicode's normal form C
  // Empty where pieces begin as bytes. Otherwise pieces begin as characters, and these are the
  // tokens of the 256 bytes: a character that is not a token becomes the tokens of its bytes
  // (`byte_fallback`). U+2581 in a text is then a space, as SentencePiece writes it.
  std::vector<TokenId> byte_fallback;
  // Whether some bytes are not tokens; printable ASCII characters must be. As in Hugging Face's
  // library such bytes are dropped, or become `unknown`; a text with them does not round-trip.
  bool lacks_bytes = false;
  UnknownBytes unknown = {};
  // The added space. With `byte_fallback` decoding removes it from the beginning of a text; without
  // `byte_fallback`, `each` is not possible.
  PrefixSpace prefix_space = PrefixSpace::none;
  std::vector<TokenId> prefix, suffix;  // before and after every text (TemplateProcessing)
  // WordPiece: instead of merges, a word consists of the longest tokens possible, or is `unknown`.
  // A text does not round-trip: decoding puts a space before each word.
  std::optional<WordPieces> word_pieces;
};

// Options of encoding.
struct EncodeOptions {
  bool special_tokens = true;  // false: they are ordinary text
  bool affixes = true;         // false: the prefix and suffix tokens are omitted
};

// The tokens of a text.
struct EncodedText {
  std::vector<TokenId> ids;  // in the order of the text
  // The range of each token in the text. Tokens that only together form characters have the same
  // range; tokens that are not from the text have an empty one.
  std::vector<TokenSpan> spans;
};

// A vocabulary and the steps that turn texts into its tokens. It never changes: threads may share
// it.
class Tokenizer {
 public:
  // Throws Error, naming the entry, where tokens are empty or equal, a byte is not a token (without
  // `lacks_bytes` and `word_pieces`), a merge does not give its tokens' bytes or a pair has two
  // merges, an added token has another id, or `word_pieces` is combined with merges, bytes or no
  // `unknown`.
  explicit Tokenizer(TokenizerParts parts);

  // The number of tokens: ids are 0 to size() - 1.
  TokenId size() const noexcept { return static_cast<TokenId>(parts_.tokens.size()); }
  // The bytes of a token. Throws Error for an id that is not a token.
  std::string_view token(TokenId id) const;
  // The text of a token in decode(): its bytes, with the space before an added token that is
  // matched with one (AddedToken::normalized, PrefixSpace::each). With `word_pieces` it is a space
  // and its bytes, or, for a continuation of a word, its bytes without "##". Throws as token()
  // does.
  std::string_view text(TokenId id) const { return text_of(id, "Tokenizer::text"); }
  // Its parts.
  const TokenizerParts& parts() const noexcept { return parts_; }

  // The tokens of a text, in O(n log n) for its longest piece and O(n) otherwise.
  std::vector<TokenId> encode(std::string_view text, const EncodeOptions& options = {}) const;
  // The same with their ranges in the text.
  EncodedText encode_with_spans(std::string_view text, const EncodeOptions& options = {}) const;
  // The texts of all tokens in order, without the first space where loses_first_space(). Throws
  // Error for an id that is not a token.
  std::string decode(std::span<const TokenId> ids) const;
  // The range of each token in the text that decode() gives. The ranges cover the text without
  // gaps, and may divide a character of several bytes. Throws as decode() does.
  std::vector<TokenSpan> offsets(std::span<const TokenId> ids) const;
  // Whether decode() removes a space at the beginning of the text: with `word_pieces`, and with
  // `byte_fallback` where encode() adds one.
  bool loses_first_space() const noexcept {
    const bool has_space =
        parts_.prefix_space != PrefixSpace::none && !parts_.byte_fallback.empty();
    return has_space || parts_.word_pieces.has_value();
  }
  // Whether a token is a special added token. Throws Error for an id that is not a token.
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
  detail::TokenTable whole_;  // pieces that are tokens
  detail::AddedTokens added_, normalized_added_;
  std::unordered_map<TokenId, std::string> after_space_;  // texts of added tokens that are
  bool cuts_at_spaces_ =
      false;  // with `byte_fallback`: no merge makes a space after something else
  // With `word_pieces`: the text of each token, and the number of bytes of the longest one.
  std::vector<std::string> texts_;
  std::size_t longest_ = 0;
};

}  // namespace tril
