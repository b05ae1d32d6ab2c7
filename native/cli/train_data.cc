#include "train_data.h"

#include <tril/files/file.h>
#include <tril/files/json_writer.h>
#include <tril/files/utf8.h>
#include <tril/text/tokenizer_file.h>

#include "program.h"

namespace tril::cli {
namespace {

std::string read_all(const std::vector<std::string>& paths, bool any_bytes, const char* purpose) {
  std::string text;
  for (const std::string& path : paths) {
    try {
      text += read_text(path, any_bytes);
    } catch (const Failure& failure) {
      const std::string problem = failure.what();
      throw Failure(problem.ends_with("UTF-8") ? problem + "; --tokenizer bytes takes any file"
                                               : problem);
    }
  }
  if (text.empty()) throw Failure(paths.front() + ": holds no text to " + purpose);
  return text;
}

std::string fingerprint_of(std::string_view text) {
  return fingerprint(std::as_bytes(std::span(text)));
}

}  // namespace

std::string read_text(const std::string& path, bool any_bytes) {
  try {
    const std::vector<std::byte> bytes = read_file(path);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!any_bytes && !detail::is_utf8(text)) throw Failure(path + ": is not UTF-8");
    return std::string(text);
  } catch (const Error& error) {
    throw Failure(path + ": " + error.problem());
  }
}

TrainTexts read_texts(const std::vector<std::string>& train,
                      const std::vector<std::string>& validation, bool any_bytes) {
  std::string text = read_all(train, any_bytes, "learn from");
  const std::string learned = fingerprint_of(text);
  if (validation.empty()) return {split_text(text), learned};
  std::string kept = read_all(validation, any_bytes, "validate on");
  const std::string both = learned + "-" + fingerprint_of(kept);
  return {{std::move(text), std::move(kept)}, both};
}

std::string why_fewer(TokenizerKind kind, TokenId asked, TokenId tokens) {
  if (tokens >= asked) return "";
  const std::string text = ", not " + std::to_string(asked) + ": ";
  switch (kind) {
    case TokenizerKind::bytes:
      return text + "of this kind are only the 256 bytes";
    case TokenizerKind::characters:
      return text + "the texts have no more characters";
    case TokenizerKind::words:
      return text + "the texts have no more words";
    case TokenizerKind::bpe:
      break;
  }
  return text + "no pair of tokens occurs twice in the texts any more, so that none can be merged";
}

Tokenizer load_tokenizer(const std::string& path) {
  try {
    return read_tokenizer(path);
  } catch (const Error& error) {
    throw Failure(path + ": " + error.problem());
  }
}

std::string one_line(const std::string& text) {
  std::string clean;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t size = 1;  // of the shortest piece from here that is valid UTF-8
    while (size < 4 && at + size < text.size() && !detail::is_utf8(text.substr(at, size))) ++size;
    const std::string piece = text.substr(at, size);
    const bool is_character = detail::is_utf8(piece);
    clean += is_character ? piece : "?";
    at += is_character ? size : 1;
  }
  return detail::json_quoted(clean);
}

}  // namespace tril::cli
