// Values of JSON: as a tree, for parts of a file whose shape depends on what they say, and objects
// whose entries are read by name and type, one level at a time.
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

  // A field of an object; null where it is missing, or this is no object.
  const JsonValue& operator[](std::string_view name) const noexcept;
  // The text of a string; "" of anything else.
  std::string_view text() const noexcept {
    return kind == Kind::string ? value : std::string_view();
  }
  // A boolean or a whole number; `otherwise` where this is none.
  bool flag(bool otherwise) const noexcept;
  Index integer(Index otherwise) const noexcept;

  Kind kind = Kind::null;
  std::string value;  // of a string; of a number as it is written; of a boolean "true" or "false"
  std::vector<JsonValue> items;    // of a list or an object, in their order
  std::vector<std::string> names;  // of an object, one for each item
  std::size_t position = 0;        // its first byte in the file
};

// The numbers of a list, "[1, 2.5]"; nothing where the text is anything else.
std::optional<std::vector<double>> json_numbers(std::string_view text);

// Borrows the text of an object. Entries that nobody asks for may be anything, null is as missing,
// and of entries with one name the last counts. Errors are thrown in the name of `call` and of the
// entry.
class JsonObject {
 public:
  // Throws Error, of `argument` with the byte, where the text is no such object.
  JsonObject(const char* call, const char* argument, std::string_view text);

  // Whether it is there, and not null.
  bool has(const char* name) const { return !raw(name).empty(); }
  // Whether it is null, where null and missing differ.
  bool is_null(const char* name) const;
  // The entry, or `otherwise` where it is missing; without `otherwise` it must be there.
  Index integer(const char* name, std::optional<Index> otherwise = {}) const;
  double number(const char* name, std::optional<double> otherwise = {}) const;
  bool boolean(const char* name, std::optional<bool> otherwise = {}) const;
  std::string text(const char* name, std::optional<std::string> otherwise = {}) const;
  // The whole numbers from 0 to below `end` in a number or a list of numbers, which may be missing.
  std::vector<Index> numbers_below(const char* name, Index end) const;
  // The numbers in a list, which may be missing.
  std::vector<double> list_of_numbers(const char* name) const;
  // The texts in a list, which may be missing.
  std::vector<std::string> list_of_texts(const char* name) const;
  // An object; one without entries where it is missing.
  JsonObject object(const char* name) const;
  // text() of each entry, by its name.
  std::map<std::string, std::string> texts() const;

 private:
  std::string_view raw(const char* name) const;
  // The text of an entry that begins with one of `begins`; empty where it is missing and may be.
  std::string_view expected(const char* name, bool may_miss, std::string_view begins,
                            const char* what) const;

  const char* call_;
  std::map<std::string, std::string_view, std::less<>> entries_;
};

}  // namespace tril::detail
