// A value of JSON as a tree, with the byte at which each part stands, so that an error can say
// where. For the small parts of a file, of which the shape depends on what they say.
#pragma once

#include <tril/files/header_reader.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tril::detail {

struct JsonNode {
  enum class Kind { null, boolean, number, string, list, object };

  // Reads the value that comes next. Throws Error where there is none.
  static JsonNode read(HeaderReader& reader) { return read(reader, 0); }

  // A field of an object; null where it is missing, or this is none.
  const JsonNode& operator[](std::string_view name) const noexcept;
  // Of a string, or "".
  std::string_view text() const noexcept {
    return kind == Kind::string ? value : std::string_view();
  }
  // Of a boolean or a whole number, or `otherwise`.
  bool flag(bool otherwise) const noexcept;
  Index whole(Index otherwise) const noexcept;

  Kind kind = Kind::null;
  std::string value;  // of a string; of a number as it is written; of a boolean "true" or "false"
  std::vector<JsonNode> items;     // of a list or an object, in their order
  std::vector<std::string> names;  // of an object, one for each item
  std::size_t position = 0;        // its first byte in the file

 private:
  static JsonNode read(HeaderReader& reader, int depth);
};

}  // namespace tril::detail
