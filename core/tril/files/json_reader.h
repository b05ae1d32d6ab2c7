// The reader of JSON: a file, or the text at the head of one, token by token. Python's literals, of
// which headers of .npy files are made, share most of them. Every error names its byte of the file.
//
// A JSON library would add a third to the WebAssembly module. json_value.h has values as trees and
// objects whose entries are read by name; json_writer.h writes.
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
  // Errors are thrown in the name of `call` and `argument`; `text` begins at byte `offset` of the
  // file. Throws Error as refuse_mistaken_file does.
  JsonReader(const char* call, std::string_view text, std::size_t offset,
             const char* argument = "file");

  // Each of these first skips spaces, tabs and ends of lines.
  bool at_end();
  char peek();             // '\0' at the end
  bool take(char symbol);  // whether it is next; it is consumed then
  void expect(char symbol);
  bool take_word(std::string_view word);
  // Digits, no sign, no leading zeros, at most the largest Index.
  Index whole_number();
  // "...", with JSON's escapes, UTF-8.
  std::string json_string();
  // JSON's true or false.
  bool boolean();
  // Passes over a value of any kind and returns its text. Numbers are checked character by
  // character only.
  std::string_view skip_value();
  // The same value as a tree.
  JsonValue value();
  // Up to the same quote, ' or ", as it stands; no escapes.
  std::string_view python_string();

  // item() for each part of OPEN item, item CLOSE; a comma before CLOSE only if `comma_may_end`.
  // Returns how many there were.
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

  // field(name, its byte of the file) for each entry of an object; field reads the value.
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

  // The byte of the file that comes next.
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
