// Any bytes as a tokenizer.json, or, with a 0 between them, as vocab.json and merges.txt: an Error,
// or a tokenizer that encodes any text, with spans within it, and that survives a round trip. To
// keep valid files short, $A stands for the entries of printable ASCII except the space, $B for
// those of the 256 bytes, and $L for the byte alphabet.
#include <tril/files/json_writer.h>
#include <tril/foundation/error.h>
#include <tril/text/byte_alphabet.h>
#include <tril/text/tokenizer_file.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "require.h"

using namespace tril;

namespace {

std::string entries(char kind) {
  std::string text;
  const auto add = [&](const std::string& name, int id) {
    text += (text.empty() ? "" : ",") + detail::json_quoted(name) + ":" + std::to_string(id);
  };
  for (int byte = 0; byte < 256; ++byte) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", static_cast<unsigned>(byte));
    const std::string bytes(1, static_cast<char>(byte));
    if (kind == 'A' && byte > ' ' && byte <= '~') add(bytes, byte - '!');
    if (kind == 'B') add(name, byte);
    if (kind == 'L') add(detail::to_byte_alphabet(bytes), byte);
  }
  return text;
}

std::string expanded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char kind = text[at] == '$' && at + 1 < text.size() ? text[at + 1] : '\0';
    if (kind == 'A' || kind == 'B' || kind == 'L') {
      out += entries(kind);
      ++at;
    } else {
      out += text[at];
    }
  }
  return out;
}

std::optional<Tokenizer> tokenizer_of(std::string_view given) {
  const std::size_t cut = given.find('\0');
  try {
    if (cut == given.npos) return parse_tokenizer_json(expanded(given));
    return parse_vocabulary_and_merges(expanded(given.substr(0, cut)), given.substr(cut + 1));
  } catch (const Error& error) {
    fuzz::require(std::string(error.what()).find('\n') == std::string::npos, "one line");
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view given(reinterpret_cast<const char*>(data), size);
  const std::optional<Tokenizer> tokenizer = tokenizer_of(given);
  if (!tokenizer) return 0;
  const std::string text = std::string(given.substr(0, 2000)) + " a\u0301<s>\xff  \n</s> 12";
  const EncodedText encoded = tokenizer->encode_with_spans(text);
  fuzz::require(encoded.ids == tokenizer->encode(text), "the same with spans and without");
  fuzz::require(encoded.spans.size() == encoded.ids.size(), "a span for each token");
  for (const auto& [begin, end] : encoded.spans) {
    fuzz::require(begin <= end && end <= text.size(), "spans stand in the text");
  }
  const std::string decoded = tokenizer->decode(encoded.ids);
  const std::vector<TokenSpan> offsets = tokenizer->offsets(encoded.ids);
  fuzz::require(offsets.empty() || offsets.back().end == decoded.size(), "offsets cover the text");
  tokenizer->encode(text, {.special_tokens = false, .affixes = false});
  std::string file;
  try {
    file = tokenizer_json(*tokenizer);
  } catch (const Error&) {
    return 0;  // two tokens would have one name, or one is not UTF-8
  }
  fuzz::require(parse_tokenizer_json(file).encode(text) == encoded.ids, "it comes back");
  return 0;
}
