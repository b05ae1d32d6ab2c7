#include <tril/files/json_writer.h>
#include <tril/files/utf8.h>
#include <tril/foundation/exact_number.h>

namespace tril::detail {

std::string json_quoted(std::string_view text) {
  constexpr char kHexDigits[] = "0123456789abcdef";
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

JsonText::JsonText(double number) : text(exact_number_text(number)) {}

JsonText::JsonText(const std::vector<double>& numbers) : JsonText(nullptr) {
  JsonWriter list('[');
  for (const double each : numbers) list.add(each);
  text = std::move(list).end().text;
}

void JsonWriter::begin_entry() {
  const bool is_first = text_.size() == 1;
  if (!is_first) text_ += ',';
  if (layout_ > 0) text_.append("\n").append(static_cast<std::size_t>(layout_), ' ');
  if (layout_ == kJsonSpaced && !is_first) text_ += ' ';
}

void JsonWriter::add(const JsonText& value) {
  begin_entry();
  text_ += value.text;
}

void JsonWriter::add(std::string_view name, const JsonText& value) {
  begin_entry();
  text_ += json_quoted(name);
  text_ += layout_ == kJsonTight ? ":" : ": ";
  text_ += value.text;
}

JsonText JsonWriter::end() && {
  const char close = text_.front() == '{' ? '}' : ']';
  const bool has_lines = layout_ > 0 && text_.size() > 1;
  if (has_lines) text_.append("\n").append(static_cast<std::size_t>(layout_ - 2), ' ');
  text_ += close;
  return JsonText::of(std::move(text_));
}

JsonText json_object(std::initializer_list<JsonField> fields, int layout) {
  JsonWriter json('{', layout);
  for (const JsonField& each : fields) json.add(each.name, each.value);
  return std::move(json).end();
}

JsonText json_list(std::initializer_list<JsonText> values, int layout) {
  JsonWriter json('[', layout);
  for (const JsonText& each : values) json.add(each);
  return std::move(json).end();
}

}  // namespace tril::detail
