#include <tril/files/json_writer.h>
#include <tril/files/mistaken_file.h>
#include <tril/files/stored_tensor.h>
#include <tril/files/utf8.h>
#include <tril/foundation/check.h>
#include <tril/foundation/exact_number.h>
#include <tril/model/word_vector_text.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace tril {
namespace {

constexpr const char* kCall = "read_published_word_vectors";

[[noreturn]] void refuse(const Message& problem) { fail(kCall, "file", problem); }

bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Removes and returns the last field of a line, and the spaces before it.
std::string_view take_last(std::string_view& line) noexcept {
  std::size_t begin = line.size();
  while (begin > 0 && !is_blank(line[begin - 1])) --begin;
  const std::string_view field = line.substr(begin);
  while (begin > 0 && is_blank(line[begin - 1])) --begin;
  line = line.substr(0, begin);
  return field;
}

// Removes and returns a line; only \n ends lines, since words may contain all other characters.
std::string_view take_line(std::string_view& text) noexcept {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::optional<Index> whole_number(std::string_view text) noexcept {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || after != end || value < 0) return {};
  if (value > std::numeric_limits<Index>::max()) return {};
  return static_cast<Index>(value);
}

// The number of rows, and of numbers in each row.
struct Sizes {
  Index rows, width;
};

// "N C", and nothing else. (A line that begins with a space has no word.)
std::optional<Sizes> read_sizes(std::string_view line) noexcept {
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  const std::optional<Index> width = whole_number(take_last(line));
  const std::optional<Index> rows = whole_number(line);
  if (!width || !rows) return {};
  return Sizes{*rows, *width};
}

// Collects words and their vectors.
class Rows {
 public:
  Rows(Index count, Index width) : values_({count, width}) {
    words_.reserve(static_cast<std::size_t>(count));
  }

  // Whether a row with this name is kept; if so, its numbers must be written to next().
  bool begin(std::string_view word) {
    if (word.empty()) return ++nameless_, false;
    std::string clean = in_utf8(word);
    if (!names_.insert(clean).second) return ++repeated_, false;
    words_.push_back(std::move(clean));
    return true;
  }
  std::span<float> next() noexcept {
    const auto width = static_cast<std::size_t>(values_.shape()[1]);
    return {values_.data() + (words_.size() - 1) * width, width};
  }

  PublishedWordVectors finish() && {
    const auto kept = static_cast<Index>(words_.size()), width = values_.shape()[1];
    if (kept == 0) refuse("has no words");
    std::vector<std::int64_t> counts(words_.size());
    if (kept < values_.shape()[0]) {
      Buffer<float, 2> fewer({kept, width});
      std::copy_n(values_.data(), kept * width, fewer.data());
      values_ = std::move(fewer);
    }
    return {{WordVocabulary(std::move(words_), std::move(counts)), std::move(values_)},
            repeated_,
            nameless_};
  }

 private:
  static std::string in_utf8(std::string_view bytes) {
    std::string text;
    while (!bytes.empty()) {
      const std::size_t size = detail::first_code_point(bytes).size;
      text += size > 0 ? bytes.substr(0, size) : std::string_view("\xef\xbf\xbd");
      bytes.remove_prefix(std::max<std::size_t>(size, 1));
    }
    return text;
  }

  Buffer<float, 2> values_;
  std::vector<std::string> words_;
  std::unordered_set<std::string> names_;
  Index repeated_ = 0, nameless_ = 0;
};

// The numbers at the end of a line, up to `width` of them; the word is before them.
void read_numbers(std::string_view line, Index number, std::span<float> out) {
  for (std::size_t i = out.size(); i-- > 0;) {
    const std::string_view field = take_last(line);
    const std::optional<double> value = read_number(field);
    const float narrow = static_cast<float>(value.value_or(0));
    if (!value || !std::isfinite(narrow)) {
      refuse({"line ", number, ": ", detail::shown(field),
              value ? " is not finite" : " is no number", "; a line has ", out.size()});
    }
    out[i] = narrow;
  }
}

// The line without its last `width` fields; nothing where it has fewer.
std::optional<std::string_view> word_of(std::string_view line, Index width) noexcept {
  for (Index i = 0; i < width; ++i) {
    if (take_last(line).empty()) return {};
  }
  return line;
}

// `first` is the number of the first line of `text`.
PublishedWordVectors read_lines(std::string_view text, Index width, Index first,
                                std::optional<Index> said) {
  Index count = 0;
  for (std::string_view rest = text; !rest.empty();) count += !trimmed(take_line(rest)).empty();
  if (said && *said != count) {
    refuse({"line 1 says that ", *said, *said == 1 ? " word follows, not " : " words follow, not ",
            count});
  }
  // At least two bytes of text per number, so that all of them have room.
  if (static_cast<std::size_t>(count) > text.size() / 2 / static_cast<std::size_t>(width)) {
    refuse({"has lines with less than ", width, " numbers"});
  }
  Rows rows(count, width);
  for (Index number = first; !text.empty(); ++number) {
    const std::string_view whole = take_line(text), line = trimmed(whole);
    if (line.empty()) continue;
    const std::optional<std::string_view> word = word_of(line, width);
    // An empty word, or one of spaces, leaves a space at the beginning of its line.
    if (!word || (word->empty() && !is_blank(whole.front()))) {
      refuse({"line ", number, " has not a word and ", width, " numbers"});
    }
    if (rows.begin(*word)) read_numbers(line, number, rows.next());
  }
  return std::move(rows).finish();
}

// The number of numbers at the end of a line, whose first field is the word unless a space precedes
// it.
Index numbers_at_end(std::string_view line) {
  const bool nameless = !line.empty() && is_blank(line.front());
  line = trimmed(line);
  Index count = 0;
  while (!line.empty()) {
    const std::string_view field = take_last(line);
    if ((line.empty() && !nameless) || !read_number(field)) break;
    ++count;
  }
  return count;
}

// Whether float32 follow a word whose line is no text with that many numbers: their bytes occur in
// no text.
bool is_binary(std::string_view rows, Index width) noexcept {
  const std::size_t blank = std::min(rows.find(' '), rows.size());
  const std::string_view vector =
      rows.substr(blank).substr(0, 1 + 4 * static_cast<std::size_t>(width));
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\n' && !is_blank(c);
  };
  return std::ranges::any_of(vector, is_control) || !detail::is_utf8(vector);
}

PublishedWordVectors read_binary(std::string_view bytes, Sizes sizes) {
  const auto [count, width] = sizes;
  // A row takes at least a space and its numbers.
  const std::size_t vector = 4 * static_cast<std::size_t>(width);
  if (static_cast<std::size_t>(count) > bytes.size() / (vector + 1)) {
    refuse({"line 1 says that ", count, " words of ", width, " numbers follow, for which ",
            bytes.size(), " bytes are not enough"});
  }
  Rows rows(count, width);
  std::vector<float> left_out(static_cast<std::size_t>(width));
  for (Index row = 0; row < count; ++row) {
    if (row > 0 && bytes.starts_with('\n')) bytes.remove_prefix(1);
    const std::size_t end = bytes.find(' ');
    if (end == bytes.npos || bytes.size() - end - 1 < vector) {
      refuse({"ends within word ", row + 1, " of ", count});
    }
    const std::string_view word = bytes.substr(0, end);
    const bool wanted = rows.begin(word);
    const std::span<float> out = wanted ? rows.next() : std::span<float>(left_out);
    const StoredTensor stored{.shape = {width},
                              .bytes = std::as_bytes(std::span(bytes.substr(end + 1, vector)))};
    read_elements(stored, out);
    if (wanted && !std::ranges::all_of(out, [](float x) { return std::isfinite(x); })) {
      refuse({"the vector of ", detail::shown(word), ", word ", row + 1, ", is not finite"});
    }
    bytes.remove_prefix(end + 1 + vector);
  }
  if (!trimmed(bytes).empty() && bytes != "\n") {
    refuse({"goes on for ", bytes.size(), " bytes after its ", count, " words"});
  }
  return std::move(rows).finish();
}

}  // namespace

PublishedWordVectors read_published_word_vectors(std::span<const std::byte> file) {
  std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  detail::refuse_mistaken_file(kCall, "file", text);
  text.remove_prefix(detail::byte_order_mark(text));
  std::string_view rest = text;
  const std::string_view line = take_line(rest);
  if (const std::optional<Sizes> sizes = read_sizes(line)) {
    if (sizes->rows == 0 || sizes->width == 0) refuse("line 1 says that there are no numbers");
    if (numbers_at_end(rest.substr(0, rest.find('\n'))) >= sizes->width) {
      return read_lines(rest, sizes->width, 2, sizes->rows);
    }
    if (is_binary(rest, sizes->width)) return read_binary(rest, *sizes);
    refuse({"line 2 has not the ", sizes->width, " numbers that line 1 says"});
  }
  const Index width = numbers_at_end(line);
  if (width == 0) {
    refuse(
        {"is neither a .safetensors file nor a text with a word and its numbers in each line: "
         "it begins with ",
         detail::shown(line)});
  }
  return read_lines(text, width, 1, {});
}

}  // namespace tril
