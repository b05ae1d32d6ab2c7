// JSON values in two forms: trees, for parts of a file whose structure varies, and objects whose
// entries are read by name and type, one level at a time.
#pragma once

#include <tril/files/json_reader.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tril::detail {

struct JsonValue {
  enum class Kind { null, boolean, number, string, list, object };

  // A field of an object; null where it is missing or this is not an object.
  const JsonValue& operator[](std::string_view name) const noexcept;
  // The text of a string; "" for any other kind.
  std::string_view text() const noexcept {
    return kind == Kind::string ? value : std::string_view();
  }
  // A boolean or an integer; `otherwise` where this is of another kind.
  bool flag(bool otherwise) const noexcept;
  Index integer(Index otherwise) const noexcept;

  Kind kind = Kind::null;
  std::string value;               // text of a string, of a number as written, or "true" or "false"
  std::vector<JsonValue> items;    // elements of a list or values of an object, in order
  std::vector<std::string> names;  // names of an object's items
  std::size_t position = 0;        // offset of its first byte in the file
};

// The numbers of a list such as "[1, 2.5]"; nothing where the text is anything else.
std::optional<std::vector<double>> json_numbers(std::string_view text);

// An object. Borrows its text. Entries that are not read may be anything, null counts as missing,
// and of entries with the same name the last one counts. Errors name `call` and the entry.
class JsonObject {
 public:
  // Throws Error, about `argument` and with the byte, where the text is not an object.
  JsonObject(const char* call, const char* argument, std::string_view text);

  // Whether the entry exists and is not null.
  bool has(const char* name) const { return !raw(name).empty(); }
  // Whether the entry exists and is null.
  bool is_null(const char* name) const;
  // The entry, or `otherwise` where it is missing; without `otherwise` it must exist.
  Index integer(const char* name, std::optional<Index> otherwise = {}) const;
  double number(const char* name, std::optional<double> otherwise = {}) const;
  bool boolean(const char* name, std::optional<bool> otherwise = {}) const;
  std::string text(const char* name, std::optional<std::string> otherwise = {}) const;
  // The integers in [0, `end`) of an entry that is a number or a list of numbers; it may be
  // missing.
  std::vector<Index> numbers_below(const char* name, Index end) const;
  // The numbers of a list, which may be missing.
  std::vector<double> list_of_numbers(const char* name) const;
  // The strings of a list, which may be missing.
  std::vector<std::string> list_of_texts(const char* name) const;
  // An entry that is an object; without entries where it is missing.
  JsonObject object(const char* name) const;
  // text() of every entry, by its name.
  std::map<std::string, std::string> texts() const;

 private:
  std::string_view raw(const char* name) const;
  // The text of an entry, which must begin with one of `begins`; empty where it is missing and
  // `may_miss`.
  std::string_view expected(const char* name, bool may_miss, std::string_view begins,
                            const char* what) const;

  const char* call_;
  std::map<std::string, std::string_view, std::less<>> entries_;
};

}  // namespace tril::detail
