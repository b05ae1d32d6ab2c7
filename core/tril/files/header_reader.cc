#include <tril/files/header_reader.h>
#include <tril/files/mistaken_file.h>
#include <tril/files/utf8.h>
#include <tril/foundation/check.h>

#include <cstdint>
#include <limits>

namespace tril::detail {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

}  // namespace

HeaderReader::HeaderReader(const char* call, std::string_view text, std::size_t offset,
                           const char* argument)
    : call_(call), argument_(argument), text_(text), offset_(offset) {
  if (offset == 0) refuse_mistaken_file(call, argument, text);
}

void HeaderReader::fail_at(std::size_t position, const Message& problem) const {
  tril::fail(call_, argument_, {"byte ", position, ": ", problem});
}

void HeaderReader::skip_space() noexcept {
  while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != text_.npos) ++at_;
}

std::string HeaderReader::next_shown() const {
  return at_ == text_.size() ? "the end of the " + std::string(offset_ > 0 ? "header" : "file")
                             : shown(text_.substr(at_, 1));
}

bool HeaderReader::at_end() {
  skip_space();
  return at_ == text_.size();
}

char HeaderReader::peek() { return at_end() ? '\0' : text_[at_]; }

bool HeaderReader::take(char symbol) {
  if (at_end() || text_[at_] != symbol) return false;
  ++at_;
  return true;
}

void HeaderReader::expect(char symbol) {
  if (!take(symbol)) fail({"expected ", shown({&symbol, 1}), ", found ", next_shown()});
}

bool HeaderReader::take_word(std::string_view word) {
  skip_space();
  if (!text_.substr(at_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

Index HeaderReader::whole_number() {
  skip_space();
  const std::size_t first = at_;
  Index number = 0;
  for (; at_ < text_.size() && is_digit(text_[at_]); ++at_) {
    const Index digit = text_[at_] - '0';
    if (number > (std::numeric_limits<Index>::max() - digit) / 10) {
      fail_at(offset_ + first, "the number is too large");
    }
    number = 10 * number + digit;
  }
  if (at_ == first) fail({"expected a whole number, found ", next_shown()});
  if (text_[first] == '0' && at_ - first > 1) {
    fail_at(offset_ + first, "the number begins with a 0");
  }
  return number;
}

std::string HeaderReader::json_string() {
  expect('"');
  const std::size_t first = at_;
  std::string value;
  while (true) {
    if (at_ == text_.size()) fail_at(offset_ + first - 1, "the string has no end");
    const char c = text_[at_];
    if (static_cast<unsigned char>(c) < 0x20) fail("a control character inside a string");
    ++at_;
    if (c == '"') break;
    if (c == '\\') {
      escape(value);
    } else {
      value += c;
    }
  }
  if (!is_utf8(value)) fail_at(offset_ + first, "the string is not UTF-8");
  return value;
}

bool HeaderReader::boolean() {
  if (take_word("true")) return true;
  if (!take_word("false")) fail({"expected true or false, found ", next_shown()});
  return false;
}

void HeaderReader::skip_value(int depth) {
  constexpr int kDeepest = 64;
  if (depth > kDeepest) fail({"values inside values, more than ", kDeepest});
  const char next = peek();
  if (next == '"') {
    json_string();
  } else if (next == '{') {
    list('{', '}', false, [&] {
      json_string();
      expect(':');
      skip_value(depth + 1);
    });
  } else if (next == '[') {
    list('[', ']', false, [&] { skip_value(depth + 1); });
  } else if (next == '-' || is_digit(next)) {
    while (at_ < text_.size() && std::string_view("+-.eE0123456789").find(text_[at_]) != text_.npos)
      ++at_;
  } else if (!take_word("true") && !take_word("false") && !take_word("null")) {
    fail({"expected a value, found ", next_shown()});
  }
}

// What follows a backslash.
void HeaderReader::escape(std::string& value) {
  constexpr std::string_view kNames = "\"\\/bfnrt", kValues = "\"\\/\b\f\n\r\t";
  if (at_ == text_.size()) fail("the string has no end");
  const char name = text_[at_];
  if (const std::size_t which = kNames.find(name); which != kNames.npos) {
    ++at_;
    value += kValues[which];
    return;
  }
  if (name != 'u') fail({"there is no escape ", shown({text_.data() + at_ - 1, 2})});
  const std::size_t first = at_ - 1;
  ++at_;
  std::uint32_t code = four_hex_digits();
  if (code >= 0xd800 && code < 0xdc00 && text_.substr(at_).starts_with("\\u")) {
    at_ += 2;
    const std::uint32_t low = four_hex_digits();
    if (low < 0xdc00 || low >= 0xe000) fail_at(offset_ + first, "half of a surrogate pair");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  if (code >= 0xd800 && code < 0xe000) fail_at(offset_ + first, "half of a surrogate pair");
  append_utf8(value, code);
}

std::uint32_t HeaderReader::four_hex_digits() {
  std::uint32_t code = 0;
  for (int n = 0; n < 4; ++n, ++at_) {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    const std::size_t digit = std::string_view(kHexDigits).find(lower);
    if (digit == std::string_view::npos) fail("expected 4 hexadecimal digits after \\u");
    code = code << 4 | static_cast<std::uint32_t>(digit);
  }
  return code;
}

std::string_view HeaderReader::python_string() {
  const char quote = peek();
  if (quote != '\'' && quote != '"') fail({"expected a string, found ", next_shown()});
  const std::size_t first = ++at_;
  const std::size_t end = text_.find(quote, first);
  if (end == text_.npos) fail_at(offset_ + first - 1, "the string has no end");
  at_ = end + 1;
  return text_.substr(first, end - first);
}

std::string json_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += std::string("\\u00") + kHexDigits[byte >> 4] + kHexDigits[byte & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string part(text.substr(0, kMost));
  const int most = text.size() > kMost ? 3 : 0;  // a character may have been cut in two
  for (int cut = 0; cut < most && !is_utf8(part); ++cut) part.pop_back();
  if (!is_utf8(part)) {
    for (char& c : part) c = static_cast<unsigned char>(c) < 0x80 ? c : '?';
  }
  return json_quoted(part) + (text.size() > kMost ? "..." : "");
}

}  // namespace tril::detail
