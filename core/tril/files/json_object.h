// An object of JSON whose entries are read by name and type, one level at a time. Entries that
// nobody asks for may be anything.
#pragma once

#include <tril/foundation/check.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tril::detail {

// Borrows the text. Errors are thrown in the name of `call`, of the entry; null is as missing.
class JsonObject {
 public:
  // Throws Error, of `argument` with the byte, where the text is no such object.
  JsonObject(const char* call, const char* argument, std::string_view text);

  // Whether it is there, and not null.
  bool has(const char* name) const { return !raw(name).empty(); }
  // What is there, or `otherwise`; without that it must be there.
  Index whole(const char* name, std::optional<Index> otherwise = {}) const;
  double number(const char* name, std::optional<double> otherwise = {}) const;
  bool boolean(const char* name, std::optional<bool> otherwise = {}) const;
  std::string text(const char* name, std::optional<std::string> otherwise = {}) const;
  // A number, a list of them, or nothing: what of it is a whole number from 0 to below `end`.
  std::vector<Index> numbers_below(const char* name, Index end) const;
  // What is missing has no entries.
  JsonObject object(const char* name) const;
  // text() of each entry, by its name.
  std::map<std::string, std::string> texts() const;

 private:
  std::string_view raw(const char* name) const;
  // The text of an entry of which the first character may be one of `begins`; empty: missing, and
  // that may be.
  std::string_view expected(const char* name, bool may_miss, std::string_view begins,
                            const char* what) const;

  const char* call_;
  std::map<std::string, std::string_view, std::less<>> entries_;
};

}  // namespace tril::detail
