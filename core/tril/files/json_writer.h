// Writes JSON. Nested values are written inside out:
//
//   json_object({{"type", "Strip"}, {"start", 1}, {"stop", false}})
//
// JsonWriter writes many or conditional entries one by one.
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

// The same for a message: shortened to a line.
std::string shown(std::string_view text);

// The text of a value.
struct JsonText {
  // The text of a string, a boolean, null, a number, or a list of numbers. Numbers are read back
  // unchanged.
  JsonText(std::string_view string) : text(json_quoted(string)) {}
  JsonText(const std::string& string) : JsonText(std::string_view(string)) {}
  JsonText(const char* string) : JsonText(std::string_view(string)) {}
  JsonText(bool value) : text(value ? "true" : "false") {}
  template <typename T>
  requires std::is_integral_v<T> JsonText(T number) : text(std::to_string(number)) {}
  JsonText(double number);
  JsonText(const std::vector<double>& numbers);
  JsonText(std::nullptr_t) : text("null") {}
  // A value whose text is JSON already.
  static JsonText of(std::string json) {
    JsonText value(nullptr);
    value.text = std::move(json);
    return value;
  }

  std::string text;
};

// Layouts of entries: kJsonTight {"a":1,"b":2}, kJsonSpaced {"a": 1, "b": 2}; a number from 2 on
// puts each entry on its own line, indented by that many spaces.
inline constexpr int kJsonTight = -1, kJsonSpaced = 0;

// Writes an object or a list entry by entry.
class JsonWriter {
 public:
  // `open` is { or [.
  explicit JsonWriter(char open, int layout = kJsonSpaced) : layout_(layout), text_(1, open) {}

  // Adds an entry to a list, or to an object.
  void add(const JsonText& value);
  void add(std::string_view name, const JsonText& value);
  // Closes the value and returns its text.
  JsonText end() &&;

 private:
  void begin_entry();

  int layout_;
  std::string text_;
};

// An entry of an object.
struct JsonField {
  const char* name;
  JsonText value;
};

// An object whose entries are all known.
JsonText json_object(std::initializer_list<JsonField> fields, int layout = kJsonSpaced);
JsonText json_list(std::initializer_list<JsonText> values, int layout = kJsonSpaced);

}  // namespace tril::detail
