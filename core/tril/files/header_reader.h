// Reads the text at the head of a file, or a file of JSON: the small parts that JSON and Python's
// literals share, and JSON's strings. Every error says at which byte of the file it is.
//
// Small on purpose: a JSON library would add a third to the WebAssembly module, for objects of
// strings and whole numbers, which is all that headers are made of. What has more in it than the
// reader asks for, such as tokenizer.json, is skipped value by value.
#pragma once

#include <tril/foundation/message.h>
#include <tril/foundation/tensor.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tril::detail {

class HeaderReader {
 public:
  // Errors are thrown in the name of `call` and `argument`; `text` begins at byte `offset` of the
  // file. Throws Error as refuse_mistaken_file does.
  HeaderReader(const char* call, std::string_view text, std::size_t offset,
               const char* argument = "file");

  // Each of these first skips spaces, tabs and ends of lines.
  bool at_end();
  char peek();             // '\0' at the end
  bool take(char symbol);  // whether it is next; then it is behind us
  void expect(char symbol);
  bool take_word(std::string_view word);
  // Digits, no sign, no leading zeros, at most the largest Index.
  Index whole_number();
  // "...", with JSON's escapes, UTF-8.
  std::string json_string();
  // JSON's true or false.
  bool boolean();
  // Over a JSON value of any kind, whose text it returns; of numbers only the characters are looked
  // at.
  std::string_view skip_value() {
    peek();
    const std::size_t begin = at_;
    skip_value(0);
    return text_.substr(begin, at_ - begin);
  }
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

  // The byte of the file that comes next.
  std::size_t position() const noexcept { return offset_ + at_; }
  [[noreturn]] void fail(const Message& problem) const { fail_at(position(), problem); }
  [[noreturn]] void fail_at(std::size_t position, const Message& problem) const;

 private:
  void skip_space() noexcept;
  std::string next_shown() const;
  void skip_value(int depth);
  void escape(std::string& value);
  std::uint32_t four_hex_digits();

  const char* call_;
  const char* argument_;
  std::string_view text_;
  std::size_t offset_, at_ = 0;
};

// "text" as a JSON string: quotes, backslashes and control characters are escaped.
std::string json_quoted(std::string_view text);

// The same for a message: not longer than a line, whatever the text is.
std::string shown(std::string_view text);

}  // namespace tril::detail
