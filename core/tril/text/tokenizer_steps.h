// The steps of a tokenizer.json around its model: normalizer, pre_tokenizer, post_processor,
// decoder.
#pragma once

#include <tril/files/json_value.h>
#include <tril/text/tokenizer.h>

namespace tril::detail {

struct TokenizerSteps {
  JsonValue normalizer, pre_tokenizer, post_processor, decoder;

  // Whether pieces begin as characters, as SentencePiece has them: then there is no pre_tokenizer.
  bool is_by_characters() const noexcept { return pre_tokenizer.kind == JsonValue::Kind::null; }
};

// What they ask for, as fields of `parts`. Throws Error, with the byte of the file and the names of
// those that are read, for all that no TokenizerParts can say.
void set_steps(const JsonReader& reader, const TokenizerSteps& steps, TokenizerParts& parts);

}  // namespace tril::detail
