// Reads JSON, a file or the header of one, token by token. It also reads Python's literals, which
// headers of .npy files consist of and which share most tokens. Every error names its byte of the
// file.
//
// A JSON library would make the WebAssembly module a third larger. json_value.h has trees of values
// and objects whose entries are read by name; json_writer.h writes.
#pragma once

#include <tril/foundation/message.h>
#include <tril/foundation/tensor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tril::detail {

struct JsonValue;

class JsonReader {
 public:
  // Errors name `call` and `argument`. `text` begins at byte `offset` of the file. Throws Error as
  // refuse_mistaken_file does.
  JsonReader(const char* call, std::string_view text, std::size_t offset,
             const char* argument = "file");

  // Each of these skips white space first.
  bool at_end();
  char peek();             // '\0' at the end
  bool take(char symbol);  // if it is next, consumes it and returns true
  void expect(char symbol);
  bool take_word(std::string_view word);
  // An integer: digits without a sign or leading zeros, at most the largest Index.
  Index whole_number();
  // A string in double quotes with JSON's escapes, in UTF-8.
  std::string json_string();
  // `true` or `false`.
  bool boolean();
  // Skips a value of any kind and returns its text. For numbers only the characters are checked.
  std::string_view skip_value();
  // Reads a value of any kind as a tree.
  JsonValue value();
  // A Python string in ' or ", without escapes.
  std::string_view python_string();

  // Reads OPEN item, item CLOSE and calls item() for each item. A comma before CLOSE is allowed
  // only with `comma_may_end`. Returns the number of items.
  template <typename Item>
  std::size_t list(char open, char close, bool comma_may_end, const Item& item) {
    expect(open);
    std::size_t count = 0;
    if (take(close)) return count;
    while (true) {
      item();
      ++count;
      if (take(close)) return count;
      expect(',');
      if (comma_may_end && take(close)) return count;
    }
  }

  // Reads an object and calls field(name, position of the name) for each entry; `field` reads the
  // value.
  template <typename Field>
  void object(const Field& field) {
    list('{', '}', false, [&] {
      peek();
      const std::size_t at = position();
      std::string name = json_string();
      expect(':');
      field(std::move(name), at);
    });
  }

  // The position of the next byte in the file.
  std::size_t position() const noexcept { return offset_ + at_; }
  [[noreturn]] void fail(const Message& problem) const { fail_at(position(), problem); }
  [[noreturn]] void fail_at(std::size_t position, const Message& problem) const;

 private:
  void skip_space() noexcept;
  std::string next_shown() const;
  void read_value(int depth, JsonValue* tree);
  void escape(std::string& value);
  std::uint32_t four_hex_digits();

  const char* call_;
  const char* argument_;
  std::string_view text_;
  std::size_t offset_, at_ = 0;
};

}  // namespace tril::detail
