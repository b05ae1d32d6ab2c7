// The steps of a tokenizer.json besides its model: normalizer, pre_tokenizer, post_processor,
// decoder.
#pragma once

#include <tril/files/json_value.h>
#include <tril/text/tokenizer.h>

namespace tril::detail {

struct TokenizerSteps {
  JsonValue normalizer, pre_tokenizer, post_processor, decoder;

  // Whether pieces begin as characters, as in SentencePiece. There is then no pre_tokenizer, or one
  // that replaces spaces, or, in Gemma's files, one that splits after spaces, all of which the
  // normalizer has replaced.
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

// Sets the fields of `parts` by the steps. Throws Error, with the byte of the file and the
// supported steps, for anything that TokenizerParts cannot express.
void set_steps(const JsonReader& reader, const TokenizerSteps& steps, TokenizerParts& parts);
// The same for the steps of WordPiece, where `word_pieces` is set.
void set_word_piece_steps(const JsonReader& reader, const TokenizerSteps& steps,
                          TokenizerParts& parts);

}  // namespace tril::detail
