// The writer of JSON. Parts of a text are made inside out:
//
//   json_object({{"type", "Strip"}, {"start", 1}, {"stop", false}})
//
// and what has many entries, or some that depend, by JsonWriter, entry by entry.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tril::detail {

// "text" as a JSON string: quotes, backslashes and control characters are escaped.
std::string json_quoted(std::string_view text);

// The same for a message: not longer than a line, whatever the text is.
std::string shown(std::string_view text);

// A value as it is written.
struct JsonText {
  // A string; true or false; a number that is read back as the same, or a list of them; null.
  JsonText(std::string_view string) : text(json_quoted(string)) {}
  JsonText(const std::string& string) : JsonText(std::string_view(string)) {}
  JsonText(const char* string) : JsonText(std::string_view(string)) {}
  JsonText(bool value) : text(value ? "true" : "false") {}
  template <typename T>
  requires std::is_integral_v<T> JsonText(T number) : text(std::to_string(number)) {}
  JsonText(double number);
  JsonText(const std::vector<double>& numbers);
  JsonText(std::nullptr_t) : text("null") {}
  // JSON already.
  static JsonText of(std::string json) {
    JsonText value(nullptr);
    value.text = std::move(json);
    return value;
  }

  std::string text;
};

// How entries are written: {"a":1,"b":2}, {"a": 1, "b": 2}, or, from 2 on, each on a line of its
// own after so many spaces.
inline constexpr int kJsonTight = -1, kJsonSpaced = 0;

// An object or a list, entry by entry.
class JsonWriter {
 public:
  // `open`: { or [.
  explicit JsonWriter(char open, int layout = kJsonSpaced) : layout_(layout), text_(1, open) {}

  // The next entry of a list, or of an object.
  void add(const JsonText& value);
  void add(std::string_view name, const JsonText& value);
  // All of it.
  JsonText end() &&;

 private:
  void begin_entry();

  int layout_;
  std::string text_;
};

// The entry of an object.
struct JsonField {
  const char* name;
  JsonText value;
};

// The same of entries that are all known.
JsonText json_object(std::initializer_list<JsonField> fields, int layout = kJsonSpaced);
JsonText json_list(std::initializer_list<JsonText> values, int layout = kJsonSpaced);

}  // namespace tril::detail
