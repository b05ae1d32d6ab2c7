#include <tril/text/nfc.h>
#include <tril/text/tokenizer.h>

#include <optional>
#include <utility>

namespace tril {

// The encoding of one text.
class Tokenizer::Encoder {
 public:
  // Offsets are recorded only where `spans` is not null.
  Encoder(const Tokenizer& tokenizer, const EncodeOptions& options, std::vector<TokenSpan>* spans)
      : tokenizer_(tokenizer),
        parts_(tokenizer.parts_),
        options_(options),
        spans_(spans),
        merger_(tokenizer.pairs_, tokenizer.first_, parts_.tokens) {}

  std::vector<TokenId> encode(std::string_view text) && {
    append_affix(parts_.prefix, 0);
    tokenizer_.added_.split(
        text, options_.special_tokens,
        [&](std::string_view part, const AddedToken* added, std::string_view found) {
          append_part(part);
          offset_ += part.size();
          if (!added) return;
          ids_.push_back(added->id);
          const std::size_t end = offset_ + found.size();
          if (spans_) spans_->push_back({offset_, end});
          offset_ = end;
        });
    append_affix(parts_.suffix, text.size());
    return std::move(ids_);
  }

 private:
  void append_affix(const std::vector<TokenId>& affix, std::size_t at) {
    if (!options_.affixes) return;
    ids_.insert(ids_.end(), affix.begin(), affix.end());
    if (spans_) spans_->insert(spans_->end(), affix.size(), {at, at});
  }

  // Appends the text between two added tokens.
  void append_part(std::string_view part) {
    if (part.empty()) return;
    at_ = begin_ = 0;
    text_ = part;
    changed_.reset();
    if (parts_.nfc || !parts_.byte_fallback.empty() || parts_.word_pieces) {
      changed_ = tokenizer_.normalized(part, spans_ != nullptr);
      text_ = changed_->text();
    }
    tokenizer_.normalized_added_.split(
        text_, options_.special_tokens,
        [&](std::string_view between, const AddedToken* added, std::string_view found) {
          append_between(between);
          if (!added) return;
          ids_.push_back(added->id);
          if (spans_) place(at_ + found.size());
        });
  }

  // Appends the normalized text between two added tokens, perhaps with a space before it.
  void append_between(std::string_view text) {
    begin_ = at_ = static_cast<std::size_t>(text.data() - text_.data());
    cut_ = text;
    if (parts_.word_pieces) {
      detail::for_each_bert_word(text, [&](std::string_view word) { append_word(word); });
    } else if (needs_space(text)) {
      prefixed_ = ' ';
      cut_ = prefixed_ += text;
      has_space_ = true;
      append_pieces(cut_);
      has_space_ = false;
    } else {
      append_pieces(text);
    }
    at_ = begin_ + text.size();
  }

  bool needs_space(std::string_view text) const noexcept {
    const PrefixSpace place = parts_.prefix_space;
    const bool is_wanted = place == PrefixSpace::missing ||
                           (place == PrefixSpace::first && offset_ == 0 && begin_ == 0);
    return is_wanted && !text.empty() && !text.starts_with(' ');
  }

  void append_pieces(std::string_view text) {
    const auto append = [&](std::string_view piece) { append_piece(piece); };
    if (!tokenizer_.cuts_at_spaces_) {
      detail::for_each_piece(text, parts_.pre_tokenizer, parts_.digits_alone, append);
      return;
    }
    while (!text.empty()) {
      const std::size_t size = detail::before_space(text);
      append_piece(text.substr(0, size));
      text.remove_prefix(size);
    }
  }

  // The longest token at the beginning of the word, then the longest that continues it, ...
  void append_word(std::string_view word) {
    const WordPieces& how = *parts_.word_pieces;
    at_ = static_cast<std::size_t>(word.data() - text_.data());
    const std::size_t first = ids_.size(), first_span = spans_ ? spans_->size() : 0, begin = at_;
    std::size_t done = characters_of(word) > how.most_characters ? word.npos : 0;
    while (done < word.size()) {
      const auto [id, size] = longest_token(word.substr(done), done > 0 ? how.continuing : "");
      if (id == detail::kNoToken) {
        done = word.npos;
        break;
      }
      ids_.push_back(id);
      if (spans_) place(at_ + size);
      done += size;
    }
    if (done != word.npos) return;
    ids_.resize(first);
    ids_.push_back(parts_.unknown.id);
    if (!spans_) return;
    spans_->resize(first_span);
    at_ = begin;
    place(begin + word.size());
  }

  static std::size_t characters_of(std::string_view word) noexcept {
    std::size_t count = 0;
    while (!word.empty()) word.remove_prefix(detail::first_character(word).size), ++count;
    return count;
  }

  struct Piece {
    TokenId id;
    std::size_t size;  // in the text
  };
  Piece longest_token(std::string_view text, std::string_view mark) {
    candidate_ = mark;
    candidate_ += text.substr(0, tokenizer_.longest_);
    for (; candidate_.size() > mark.size(); candidate_.pop_back()) {
      const TokenId id = tokenizer_.whole_.find(candidate_, parts_.tokens);
      if (id != detail::kNoToken) return {id, candidate_.size() - mark.size()};
    }
    return {detail::kNoToken, 0};
  }

  void append_piece(std::string_view piece) {
    const std::size_t first = ids_.size();
    const TokenId whole = tokenizer_.whole_.find(piece, parts_.tokens);
    if (whole != detail::kNoToken) {
      ids_.push_back(whole);
    } else {
      merger_.merge(piece, ids_);
    }
    if (!spans_) return;
    const std::size_t end =
        begin_ + static_cast<std::size_t>(piece.data() - cut_.data()) + piece.size();
    for (std::size_t n = first; n < ids_.size(); ++n) place(end_of(ids_[n], end));
    at_ = end;  // skips dropped bytes
  }

  // The end of a token that begins at `at_`, in a piece that ends at `end`.
  std::size_t end_of(TokenId id, std::size_t end) {
    const std::size_t size = parts_.tokens[static_cast<std::size_t>(id)].size();
    if (!parts_.lacks_bytes) return at_ + size;
    const auto is_unknown = [&](std::size_t at) {
      return at < end && !tokenizer_.first_.has(cut_[at - begin_]);
    };
    std::size_t at = at_;
    if (id == parts_.unknown.id && is_unknown(at)) {
      do ++at;
      while (parts_.unknown.fused && is_unknown(at));
      return at;
    }
    while (is_unknown(at_)) at = ++at_;
    for (std::size_t n = 0; n < size; ++n, ++at) {
      while (is_unknown(at)) ++at;
    }
    return at;
  }

  // Records the range of the next token, from `at_` to `end` of the normalized text.
  void place(std::size_t end) {
    const auto without_space = [&](std::size_t at) { return at - (has_space_ && at > begin_); };
    const std::size_t first = without_space(at_), last = without_space(end);
    const TokenSpan span = changed_ ? changed_->source(first, last) : TokenSpan{first, last};
    spans_->push_back({offset_ + span.begin, offset_ + span.end});
    at_ = end;
  }

  const Tokenizer& tokenizer_;
  const TokenizerParts& parts_;
  const EncodeOptions& options_;
  std::vector<TokenSpan>* spans_;
  detail::Merger merger_;
  std::vector<TokenId> ids_;
  std::size_t offset_ = 0;                         // of the part, in the text
  std::optional<detail::NormalizedText> changed_;  // the normalized part, if it differs
  std::string_view text_;                          // the normalized part, or the part itself
  std::size_t at_ = 0;                             // offset in `text_` of the next token
  std::size_t begin_ = 0;                          // offset in `text_` of `cut_`
  std::string_view cut_;  // the text to split into pieces, or, if `has_space_`, `prefixed_`
  std::string prefixed_;
  bool has_space_ = false;  // offsets after begin_ are then one larger
  std::string candidate_;   // for a token of a word
};

// The normalized text, as merges see it.
detail::NormalizedText Tokenizer::normalized(std::string_view text, bool keeps_sources) const {
  constexpr std::string_view kSpace = "\u2581";  // as SentencePiece writes it
  detail::NormalizedText out(keeps_sources);
  if (parts_.word_pieces) {
    detail::append_bert_text(text, *parts_.word_pieces, out);
    return out;
  }
  if (parts_.nfc) {
    detail::append_nfc(text, out);
    return out;
  }
  if (parts_.prefix_space == PrefixSpace::each) out.replace(0, " ");
  while (!parts_.byte_fallback.empty()) {
    const std::size_t before = text.find(kSpace);
    if (before == text.npos) break;
    out.copy(text.substr(0, before));
    out.replace(kSpace.size(), " ");
    text.remove_prefix(before + kSpace.size());
  }
  out.copy(text);
  return out;
}

std::vector<TokenId> Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  return Encoder(*this, options, nullptr).encode(text);
}

EncodedText Tokenizer::encode_with_spans(std::string_view text,
                                         const EncodeOptions& options) const {
  EncodedText encoded;
  encoded.ids = Encoder(*this, options, &encoded.spans).encode(text);
  return encoded;
}

}  // namespace tril
