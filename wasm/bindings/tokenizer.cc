#include "tokenizer.h"

#include <emscripten/bind.h>
#include <tril/foundation/check.h>
#include <tril/text/tokenizer_file.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "guard.h"
#include "parameters.h"

namespace tril::js {

void fail_of_file(const char* name, const Error& error) {
  if (error.argument() == "memory") throw;
  const bool is_pair = std::string_view(name) == "vocab.json";
  const bool is_file = error.argument() == (is_pair ? "vocabulary" : "file");
  fail("loadModel", name, {is_file ? "" : error.argument() + ": ", error.problem()});
}

std::optional<Tokenizer> tokenizer_of(const Bytes& tokenizer, const Bytes& merges) {
  const std::string file = text_of(tokenizer), pairs = text_of(merges);
  if (file.empty()) return {};
  if (pairs.empty()) return of_file("tokenizer.json", [&] { return parse_tokenizer_json(file); });
  return of_file("vocab.json", [&] { return parse_vocabulary_and_merges(file, pairs); });
}

Tokenizer word_pieces_of(const Bytes& vocabulary, const Bytes& config) {
  try {
    return parse_word_pieces(text_of(vocabulary), text_of(config));
  } catch (const Error& error) {
    const bool in_lines = error.argument() == "vocabulary";
    fail("loadEncoder", in_lines ? "vocab.txt" : "tokenizer_config.json", error.problem());
  }
}

Integers encoded(const Tokenizer& tokenizer, const Bytes& text) {
  return to_javascript(tokenizer.encode(text_of(text)));
}

Bytes decoded(const Tokenizer& tokenizer, const Integers& tokens) {
  const std::string text = tokenizer.decode(numbers_of(tokens));
  return to_javascript(std::as_bytes(std::span(text)));
}

Bytes file_of(const Tokenizer& tokenizer) {
  const std::string text = tokenizer_json(tokenizer);
  return to_javascript(std::as_bytes(std::span(text)));
}

namespace {

using TokenizerHandle = std::shared_ptr<Tokenizer>;

TokenizerHandle make_tokenizer(const Bytes& tokenizer, const Bytes& merges) {
  std::optional<Tokenizer> read = tokenizer_of(tokenizer, merges);
  if (!read) fail("tokenizer", "tokenizer.json", "is empty");
  return std::make_shared<Tokenizer>(std::move(*read));
}

TokenizerHandle make_word_pieces(const Bytes& vocabulary, const Bytes& config) {
  return std::make_shared<Tokenizer>(word_pieces_of(vocabulary, config));
}

int tokenizer_size(const Tokenizer& tokenizer) { return tokenizer.size(); }

// Gives the tokens, or, with offsets, for each token its number and its first and end byte in the
// text.
Integers tokenizer_encode(const Tokenizer& tokenizer, const Bytes& text, bool special_tokens,
                          bool affixes, bool offsets) {
  const EncodeOptions options{.special_tokens = special_tokens, .affixes = affixes};
  if (!offsets) return to_javascript(tokenizer.encode(text_of(text), options));
  const EncodedText found = tokenizer.encode_with_spans(text_of(text), options);
  std::vector<std::int32_t> all;
  all.reserve(3 * found.ids.size());
  for (std::size_t n = 0; n < found.ids.size(); ++n) {
    all.push_back(found.ids[n]);
    all.push_back(static_cast<std::int32_t>(found.spans[n].begin));
    all.push_back(static_cast<std::int32_t>(found.spans[n].end));
  }
  return to_javascript(all);
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_tokenizer) {
  using namespace emscripten;
  class_<Tokenizer>("_Tokenizer")
      .smart_ptr<TokenizerHandle>("_TokenizerHandle")
      .function("size", guard<&tokenizer_size>)
      .function("encode", guard<&tokenizer_encode>)
      .function("decode", guard<&decoded>)
      .function("file", guard<&file_of>);
  function("_tokenizer", guard<&make_tokenizer>);
  function("_wordPieces", guard<&make_word_pieces>);
}

}  // namespace tril::js
