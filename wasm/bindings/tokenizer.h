// Tokenizers, of a model or alone: reading their files, and converting JavaScript's texts and
// tokens.
#pragma once

#include <tril/text/tokenizer.h>

#include <optional>
#include <string>
#include <string_view>

#include "tensor.h"

namespace tril::js {

// Inside a catch block: throws an error in reading a file, with the file's name as its argument.
[[noreturn]] void fail_of_file(const char* name, const Error& error);

// Calls body and attributes its errors to the file.
template <typename Body>
auto of_file(const char* name, const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    fail_of_file(name, error);
  }
}

// The tokenizer in the bytes of tokenizer.json, or, with merges, of vocab.json; none where these
// are empty.
std::optional<Tokenizer> tokenizer_of(const Bytes& tokenizer, const Bytes& merges);

// The tokenizer in the bytes of vocab.txt and of tokenizer_config.json, which may be empty.
Tokenizer word_pieces_of(const Bytes& vocabulary, const Bytes& config);

Integers encoded(const Tokenizer& tokenizer, const Bytes& text);
Bytes decoded(const Tokenizer& tokenizer, const Integers& tokens);
// The bytes of a tokenizer.json.
Bytes file_of(const Tokenizer& tokenizer);

}  // namespace tril::js
