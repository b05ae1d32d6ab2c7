#include <tril/files/header_reader.h>
#include <tril/files/json_node.h>
#include <tril/files/json_object.h>
#include <tril/foundation/exact_number.h>

namespace tril::detail {

JsonObject::JsonObject(const char* call, const char* argument, std::string_view text)
    : call_(call) {
  HeaderReader reader(call, text, 0, argument);
  reader.list('{', '}', false, [&] {
    const std::string name = reader.json_string();
    reader.expect(':');
    reader.peek();  // skips spaces
    const std::size_t begin = reader.position();
    reader.skip_value();
    entries_[name] = text.substr(begin, reader.position() - begin);
  });
  if (!reader.at_end()) reader.fail("something follows the object");
}

std::string_view JsonObject::raw(const char* name) const {
  const auto at = entries_.find(std::string_view(name));
  return at == entries_.end() || at->second == "null" ? std::string_view() : at->second;
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

Index JsonObject::whole(const char* name, std::optional<Index> otherwise) const {
  const std::string_view text =
      expected(name, otherwise.has_value(), "0123456789", "a whole number");
  if (text.empty()) return *otherwise;
  HeaderReader reader(call_, text, 0, name);
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
  return text.empty() ? *otherwise : HeaderReader(call_, text, 0, name).json_string();
}

std::vector<Index> JsonObject::numbers_below(const char* name, Index end) const {
  constexpr const char* kWhat = "a number or a list of numbers";
  const std::string_view text = expected(name, true, "[-0123456789", kWhat);
  if (text.empty()) return {};
  HeaderReader reader(call_, text, 0, name);
  const JsonNode node = JsonNode::read(reader);
  std::vector<Index> values;
  const auto add = [&](const JsonNode& each) {
    if (each.kind != JsonNode::Kind::number && each.kind != JsonNode::Kind::null) {
      fail(call_, name, {"must be ", kWhat, ", is ", shown(text)});
    }
    const Index value = each.whole(-1);
    if (value >= 0 && value < end) values.push_back(value);
  };
  if (node.kind == JsonNode::Kind::list) {
    for (const JsonNode& each : node.items) add(each);
  } else {
    add(node);
  }
  return values;
}

JsonObject JsonObject::object(const char* name) const {
  const std::string_view text = expected(name, true, "{", "an object");
  return {call_, name, text.empty() ? "{}" : text};
}

std::map<std::string, std::string> JsonObject::texts() const {
  std::map<std::string, std::string> all;
  for (const auto& [name, value] : entries_) {  // a name may be anything, with a 0 in it, too
    if (value.front() != '"') fail(call_, name.c_str(), {"must be a text, is ", shown(value)});
    all[name] = HeaderReader(call_, value, 0, name.c_str()).json_string();
  }
  return all;
}

}  // namespace tril::detail
