#include <tril/files/json_value.h>
#include <tril/files/json_writer.h>
#include <tril/files/mistaken_file.h>
#include <tril/files/utf8.h>
#include <tril/foundation/check.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tril::detail {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

}  // namespace

JsonReader::JsonReader(const char* call, std::string_view text, std::size_t offset,
                       const char* argument)
    : call_(call), argument_(argument), text_(text), offset_(offset) {
  if (offset > 0) return;
  refuse_mistaken_file(call, argument, text);
  at_ = byte_order_mark(text);
}

void JsonReader::fail_at(std::size_t position, const Message& problem) const {
  tril::fail(call_, argument_, {"byte ", position, ": ", problem});
}

void JsonReader::skip_space() noexcept {
  while (at_ < text_.size() && std::string_view(" \t\n\r").find(text_[at_]) != text_.npos) ++at_;
}

std::string JsonReader::next_shown() const {
  return at_ == text_.size() ? "the end of the " + std::string(offset_ > 0 ? "header" : "file")
                             : shown(text_.substr(at_, 1));
}

bool JsonReader::at_end() {
  skip_space();
  return at_ == text_.size();
}

char JsonReader::peek() { return at_end() ? '\0' : text_[at_]; }

bool JsonReader::take(char symbol) {
  if (at_end() || text_[at_] != symbol) return false;
  ++at_;
  return true;
}

void JsonReader::expect(char symbol) {
  if (!take(symbol)) fail({"expected ", shown({&symbol, 1}), ", found ", next_shown()});
}

bool JsonReader::take_word(std::string_view word) {
  skip_space();
  if (!text_.substr(at_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

Index JsonReader::whole_number() {
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

std::string JsonReader::json_string() {
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

bool JsonReader::boolean() {
  if (take_word("true")) return true;
  if (!take_word("false")) fail({"expected true or false, found ", next_shown()});
  return false;
}

std::string_view JsonReader::skip_value() {
  peek();
  const std::size_t begin = at_;
  read_value(0, nullptr);
  return text_.substr(begin, at_ - begin);
}

JsonValue JsonReader::value() {
  JsonValue tree;
  read_value(0, &tree);
  return tree;
}

// Fills the tree, or skips the value where `tree` is null.
void JsonReader::read_value(int depth, JsonValue* tree) {
  constexpr int kDeepestTree = 16, kDeepest = 64;
  if (tree && depth > kDeepestTree) fail("a value inside too many others");
  if (depth > kDeepest) fail({"values inside values, more than ", kDeepest});
  using Kind = JsonValue::Kind;
  const char next = peek();
  const std::size_t begin = at_;
  if (tree) tree->position = position();
  const auto set = [&](Kind kind, std::string_view text = {}) {
    if (tree) tree->kind = kind, tree->value = text;
  };
  const auto item = [&] { read_value(depth + 1, tree ? &tree->items.emplace_back() : nullptr); };
  if (next == '"') {
    set(Kind::string, json_string());
  } else if (next == '{') {
    set(Kind::object);
    object([&](std::string name, std::size_t) {
      if (tree) tree->names.push_back(std::move(name));
      item();
    });
  } else if (next == '[') {
    set(Kind::list);
    list('[', ']', false, item);
  } else if (take_word("NaN") || take_word("Infinity") || take_word("-Infinity")) {
    set(Kind::number, text_.substr(begin, at_ - begin));  // as Python writes them
  } else if (next == '-' || is_digit(next)) {
    at_ = std::min(text_.find_first_not_of("+-.eE0123456789", at_), text_.size());
    set(Kind::number, text_.substr(begin, at_ - begin));
  } else if (tree && (next == 't' || next == 'f')) {
    set(Kind::boolean, boolean() ? "true" : "false");
  } else if (!take_word("true") && !take_word("false") && !take_word("null")) {
    fail({"expected a value, found ", next_shown()});
  }
}

// Reads an escape after its backslash.
void JsonReader::escape(std::string& value) {
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

std::uint32_t JsonReader::four_hex_digits() {
  std::uint32_t code = 0;
  for (int n = 0; n < 4; ++n, ++at_) {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    const std::size_t digit = std::string_view("0123456789abcdef").find(lower);
    if (digit == std::string_view::npos) fail("expected 4 hexadecimal digits after \\u");
    code = code << 4 | static_cast<std::uint32_t>(digit);
  }
  return code;
}

std::string_view JsonReader::python_string() {
  const char quote = peek();
  if (quote != '\'' && quote != '"') fail({"expected a string, found ", next_shown()});
  const std::size_t first = ++at_;
  const std::size_t end = text_.find(quote, first);
  if (end == text_.npos) fail_at(offset_ + first - 1, "the string has no end");
  at_ = end + 1;
  return text_.substr(first, end - first);
}

}  // namespace tril::detail
