// The steps of a tokenizer.json around its model: normalizer, pre_tokenizer, post_processor,
// decoder.
#pragma once

#include <tril/files/json_value.h>
#include <tril/text/tokenizer.h>

namespace tril::detail {

struct TokenizerSteps {
  JsonValue normalizer, pre_tokenizer, post_processor, decoder;

  // Whether pieces begin as characters, as SentencePiece has them. There is no pre_tokenizer then,
  // or, in Gemma's files, one that splits after spaces: the normalizer has replaced all of these;
  // or it is the one that replaces them.
  bool is_by_characters() const noexcept {
    return pre_tokenizer.kind == JsonValue::Kind::null || splits_at_spaces() || has_metaspace();
  }
  bool has_metaspace() const noexcept { return pre_tokenizer["type"].text() == "Metaspace"; }
  bool splits_at_spaces() const noexcept {
    return pre_tokenizer["type"].text() == "Split" &&
           pre_tokenizer["pattern"]["String"].text() == " " &&
           pre_tokenizer["behavior"].text() == "MergedWithPrevious" &&
           !pre_tokenizer["invert"].flag(false);
  }
};

// What they ask for, as fields of `parts`. Throws Error, with the byte of the file and the names of
// those that are read, for all that no TokenizerParts can say.
void set_steps(const JsonReader& reader, const TokenizerSteps& steps, TokenizerParts& parts);
// The same of those around WordPiece, for the `word_pieces` that there are.
void set_word_piece_steps(const JsonReader& reader, const TokenizerSteps& steps,
                          TokenizerParts& parts);

}  // namespace tril::detail
