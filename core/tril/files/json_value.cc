#include <tril/files/json_value.h>
#include <tril/files/json_writer.h>
#include <tril/foundation/check.h>
#include <tril/foundation/exact_number.h>

#include <algorithm>
#include <charconv>

namespace tril::detail {

const JsonValue& JsonValue::operator[](std::string_view name) const noexcept {
  static const JsonValue kMissing;
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? kMissing : items[static_cast<std::size_t>(found - names.begin())];
}

bool JsonValue::flag(bool otherwise) const noexcept {
  return kind == Kind::boolean ? value == "true" : otherwise;
}

Index JsonValue::integer(Index otherwise) const noexcept {
  Index number = otherwise;
  if (kind != Kind::number) return otherwise;
  const char* const end = value.data() + value.size();
  const auto [at, error] = std::from_chars(value.data(), end, number);
  return error == std::errc() && at == end ? number : otherwise;
}

std::optional<std::vector<double>> json_numbers(std::string_view text) {
  try {
    JsonReader reader("json_numbers", text, 0);
    const JsonValue list = reader.value();
    if (!reader.at_end() || list.kind != JsonValue::Kind::list) return {};
    std::vector<double> numbers;
    for (const JsonValue& each : list.items) {
      const bool is_number = each.kind == JsonValue::Kind::number;
      const std::optional<double> number = is_number ? read_number(each.value) : std::nullopt;
      if (!number) return {};
      numbers.push_back(*number);
    }
    return numbers;
  } catch (const Error&) {  // not JSON
    return {};
  }
}

JsonObject::JsonObject(const char* call, const char* argument, std::string_view text)
    : call_(call) {
  JsonReader reader(call, text, 0, argument);
  reader.object(
      [&](const std::string& name, std::size_t) { entries_[name] = reader.skip_value(); });
  if (!reader.at_end()) reader.fail("something follows the object");
}

std::string_view JsonObject::raw(const char* name) const {
  const auto at = entries_.find(std::string_view(name));
  return at == entries_.end() || at->second == "null" ? std::string_view() : at->second;
}

bool JsonObject::is_null(const char* name) const {
  return !has(name) && entries_.contains(std::string_view(name));
}

std::string_view JsonObject::expected(const char* name, bool may_miss, std::string_view begins,
                                      const char* what) const {
  const std::string_view text = raw(name);
  if (text.empty() && !may_miss) fail(call_, name, "is missing");
  if (!text.empty() && begins.find(text.front()) == begins.npos) {
    fail(call_, name, {"must be ", what, ", is ", shown(text)});
  }
  return text;
}

Index JsonObject::integer(const char* name, std::optional<Index> otherwise) const {
  const std::string_view text =
      expected(name, otherwise.has_value(), "0123456789", "a whole number");
  if (text.empty()) return *otherwise;
  JsonReader reader(call_, text, 0, name);
  const Index value = reader.whole_number();
  if (!reader.at_end()) fail(call_, name, {"must be a whole number, is ", shown(text)});
  return value;
}

double JsonObject::number(const char* name, std::optional<double> otherwise) const {
  const std::string_view text = expected(name, otherwise.has_value(), "-0123456789", "a number");
  if (text.empty()) return *otherwise;
  const std::optional<double> value = read_number(text);
  if (!value) fail(call_, name, {"must be a number, is ", shown(text)});
  return *value;
}

bool JsonObject::boolean(const char* name, std::optional<bool> otherwise) const {
  const std::string_view text = expected(name, otherwise.has_value(), "tf", "true or false");
  return text.empty() ? *otherwise : text == "true";
}

std::string JsonObject::text(const char* name, std::optional<std::string> otherwise) const {
  const std::string_view text = expected(name, otherwise.has_value(), "\"", "a text");
  return text.empty() ? *otherwise : JsonReader(call_, text, 0, name).json_string();
}

std::vector<Index> JsonObject::numbers_below(const char* name, Index end) const {
  constexpr const char* kWhat = "a number or a list of numbers";
  const std::string_view text = expected(name, true, "[-0123456789", kWhat);
  if (text.empty()) return {};
  const JsonValue node = JsonReader(call_, text, 0, name).value();
  std::vector<Index> values;
  const auto add = [&](const JsonValue& each) {
    if (each.kind != JsonValue::Kind::number && each.kind != JsonValue::Kind::null) {
      fail(call_, name, {"must be ", kWhat, ", is ", shown(text)});
    }
    const Index value = each.integer(-1);
    if (value >= 0 && value < end) values.push_back(value);
  };
  if (node.kind == JsonValue::Kind::list) {
    for (const JsonValue& each : node.items) add(each);
  } else {
    add(node);
  }
  return values;
}

std::vector<double> JsonObject::list_of_numbers(const char* name) const {
  constexpr const char* kWhat = "a list of numbers";
  const std::string_view text = expected(name, true, "[", kWhat);
  const auto numbers = json_numbers(text.empty() ? "[]" : text);
  if (!numbers) fail(call_, name, {"must be ", kWhat, ", is ", shown(text)});
  return *numbers;
}

std::vector<std::string> JsonObject::list_of_texts(const char* name) const {
  const std::string_view text = expected(name, true, "[", "a list");
  std::vector<std::string> texts;
  if (text.empty()) return texts;
  for (const JsonValue& each : JsonReader(call_, text, 0, name).value().items) {
    texts.emplace_back(each.text());
  }
  return texts;
}

JsonObject JsonObject::object(const char* name) const {
  const std::string_view text = expected(name, true, "{", "an object");
  return {call_, name, text.empty() ? "{}" : text};
}

std::map<std::string, std::string> JsonObject::texts() const {
  std::map<std::string, std::string> all;
  for (const auto& [name, value] : entries_) {  // names may be anything, even with a 0 inside
    if (value.front() != '"') fail(call_, name.c_str(), {"must be a text, is ", shown(value)});
    all[name] = JsonReader(call_, value, 0, name.c_str()).json_string();
  }
  return all;
}

}  // namespace tril::detail
