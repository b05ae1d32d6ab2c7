// Tokenizers, of a model or alone: read from their files, and between JavaScript's texts and
// tokens.
#pragma once

#include <tril/text/tokenizer.h>

#include <optional>
#include <string>
#include <string_view>

#include "tensor.h"

namespace tril::js {

// Inside a catch block: throws an error of reading a file, with the file's name as its argument.
[[noreturn]] void fail_of_file(const char* name, const Error& error);

// Calls body, whose errors become those of the file.
template <typename Body>
auto of_file(const char* name, const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    fail_of_file(name, error);
  }
}

// The tokenizer in the bytes of tokenizer.json, or, with merges, of vocab.json; nothing where these
// are empty.
std::optional<Tokenizer> tokenizer_of(const Bytes& tokenizer, const Bytes& merges);

// The tokenizer in the bytes of vocab.txt and of tokenizer_config.json, which may be empty.
Tokenizer word_pieces_of(const Bytes& vocabulary, const Bytes& config);

Integers encoded(const Tokenizer& tokenizer, const Bytes& text);
Bytes decoded(const Tokenizer& tokenizer, const Integers& tokens);
// The bytes of a tokenizer.json.
Bytes file_of(const Tokenizer& tokenizer);

}  // namespace tril::js
