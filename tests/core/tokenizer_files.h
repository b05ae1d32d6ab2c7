// Tokenizer files for the tests, part by part, and the errors of wrong ones.
#pragma once

#include <gtest/gtest.h>
#include <tril/files/json_writer.h>
#include <tril/text/byte_alphabet.h>
#include <tril/text/tokenizer_file.h>

#include <string>

#include "core/compare.h"

namespace tril::testing {

// {"vocab": the 256 bytes and `more`}
inline std::string vocabulary_text(const std::string& more = "") {
  std::string entries;
  for (int byte = 0; byte < 256; ++byte) {
    entries +=
        (byte > 0 ? "," : "") +
        detail::json_quoted(detail::to_byte_alphabet(std::string(1, static_cast<char>(byte)))) +
        ":" + std::to_string(byte);
  }
  return "{" + entries + more + "}";
}

inline const std::string kByteLevel = R"({"type":"ByteLevel","add_prefix_space":false})";

// A tokenizer.json, part by part.
struct TokenizerFile {
  std::string pre_tokenizer = kByteLevel;
  std::string vocabulary = vocabulary_text(R"(,"ab":256)");
  std::string merges = R"(["a b"])";
  std::string model = "";  // more fields of the model
  std::string more = "";   // more fields of the file

  std::string text() const {
    return R"({"pre_tokenizer":)" + pre_tokenizer + R"(,"model":{"vocab":)" + vocabulary +
           R"(,"merges":)" + merges + model + "}" + more + "}";
  }
};

// The error for the file, without the byte position.
inline std::string problem_of_file(const std::string& file) {
  const std::string message = error_of([&] { parse_tokenizer_json(file); });
  EXPECT_EQ(message.find('\n'), std::string::npos);
  const std::string begin = "parse_tokenizer_json: file: ";
  EXPECT_TRUE(message.starts_with(begin)) << message;
  std::string rest = message.substr(begin.size());
  if (rest.starts_with("byte ")) rest = rest.substr(rest.find(": ") + 2);
  return rest;
}

}  // namespace tril::testing
