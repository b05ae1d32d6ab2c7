#include <tril/files/json_node.h>

#include <algorithm>
#include <charconv>

namespace tril::detail {
namespace {

constexpr int kDeepest = 16;

}  // namespace

JsonNode JsonNode::read(HeaderReader& reader, int depth) {
  if (depth > kDeepest) reader.fail("a value inside too many others");
  JsonNode node;
  const char next = reader.peek();
  node.position = reader.position();
  if (reader.take_word("null")) return node;
  if (next == '"') {
    node.kind = Kind::string;
    node.value = reader.json_string();
  } else if (next == 't' || next == 'f') {
    node.kind = Kind::boolean;
    node.value = reader.boolean() ? "true" : "false";
  } else if (next == '[') {
    node.kind = Kind::list;
    reader.list('[', ']', false, [&] { node.items.push_back(read(reader, depth + 1)); });
  } else if (next == '{') {
    node.kind = Kind::object;
    reader.list('{', '}', false, [&] {
      node.names.push_back(reader.json_string());
      reader.expect(':');
      node.items.push_back(read(reader, depth + 1));
    });
  } else {
    node.kind = Kind::number;
    node.value = reader.skip_value();
  }
  return node;
}

const JsonNode& JsonNode::operator[](std::string_view name) const noexcept {
  static const JsonNode kMissing;
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? kMissing : items[static_cast<std::size_t>(found - names.begin())];
}

bool JsonNode::flag(bool otherwise) const noexcept {
  return kind == Kind::boolean ? value == "true" : otherwise;
}

Index JsonNode::whole(Index otherwise) const noexcept {
  Index number = otherwise;
  if (kind != Kind::number) return otherwise;
  const char* const end = value.data() + value.size();
  const auto [at, error] = std::from_chars(value.data(), end, number);
  return error == std::errc() && at == end ? number : otherwise;
}

}  // namespace tril::detail
