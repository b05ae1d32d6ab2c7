// Settings as texts and back, "model.width" and "trainer.batch". One function that visits a struct
// serves both. It calls visit(name, value) for numbers, visit(name, value, names) for enumerations,
// and visit.newer() for settings that older checkpoints lack.
#pragma once

#include <tril/files/json_value.h>
#include <tril/files/json_writer.h>
#include <tril/files/safetensors.h>
#include <tril/foundation/check.h>
#include <tril/foundation/exact_number.h>
#include <tril/foundation/named.h>

#include <charconv>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tril::detail {

// Writes settings.
class SettingsWriter {
 public:
  SettingsWriter(std::string prefix, Metadata& settings)
      : prefix_(std::move(prefix)), settings_(settings) {}
  template <typename T>
  void operator()(const char* name, const T& value) const {
    settings_[prefix_ + name] = JsonText(value).text;
  }
  template <typename T, std::size_t Count>
  void operator()(const char* name, const T& value, const Named<T> (&names)[Count]) const {
    settings_[prefix_ + name] = name_of(names, value);
  }
  void newer(const char* name, const auto&... each) const { (*this)(name, each...); }

 private:
  std::string prefix_;
  Metadata& settings_;
};

// Whether a missing setting is an error or keeps its value.
enum class MissingSetting { refused, left };

// Reads settings.
class SettingsReader {
 public:
  SettingsReader(std::string prefix, const Metadata& settings, const char* call,
                 MissingSetting missing)
      : prefix_(std::move(prefix)), settings_(settings), call_(call), missing_(missing) {}
  template <typename T>
  void operator()(const char* name, T& value) const {
    const std::string* const found = entry(name);
    if (!found) return;
    const std::string& text = *found;
    const char* const end = text.data() + text.size();
    bool is_read = false;
    if constexpr (std::is_same_v<T, bool>) {
      value = text == "true";
      is_read = value || text == "false";
    } else if constexpr (std::is_floating_point_v<T>) {
      const std::optional<double> number = read_number(text);
      is_read = number.has_value();
      if (is_read) value = *number;
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
      std::optional<std::vector<double>> numbers = json_numbers(text);
      is_read = numbers.has_value();
      if (is_read) value = *std::move(numbers);
    } else {
      const std::from_chars_result result = std::from_chars(text.data(), end, value);
      is_read = result.ec == std::errc() && result.ptr == end;
    }
    if (!is_read) fail(call_, (prefix_ + name).c_str(), {"\"", text, "\" cannot be read"});
  }
  template <typename T, std::size_t Count>
  void operator()(const char* name, T& value, const Named<T> (&names)[Count]) const {
    const std::string* const text = entry(name);
    if (text) value = value_named(names, *text, call_, (prefix_ + name).c_str(), name);
  }
  void newer(const char* name, auto&... each) const {
    if (settings_.contains(prefix_ + name)) (*this)(name, each...);
  }

 private:
  const std::string* entry(const char* name) const {
    const auto at = settings_.find(prefix_ + name);
    if (at != settings_.end()) return &at->second;
    if (missing_ == MissingSetting::left) return nullptr;
    fail(call_, (prefix_ + name).c_str(), "is missing: this is no checkpoint");
  }

  std::string prefix_;
  const Metadata& settings_;
  const char* call_;
  MissingSetting missing_;
};

// Throws Error in the name of `call` for a setting that is not in `known`.
void check_known_settings(const char* call, const Metadata& given, const Metadata& known);

// Throws Error unless the settings `here` and in a checkpoint are equal, naming the first that
// differs and both values. The total number of steps may differ.
void check_same_settings(const char* call, const Metadata& here, const Metadata& checkpoint);

// Adds a caller's entries to a checkpoint's metadata. Throws Error for a name with a dot, as names
// of settings have one.
void add_metadata(Metadata& metadata, const Metadata& more);

}  // namespace tril::detail
