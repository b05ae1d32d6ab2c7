// The values of a GGUF file's keys.
#include <tril/files/gguf.h>
#include <tril/files/gguf_bytes.h>
#include <tril/files/json_writer.h>
#include <tril/foundation/check.h>
#include <tril/foundation/exact_number.h>

#include <bit>
#include <cmath>

namespace tril {
namespace {

using Type = GgufValue::Type;
using detail::kGgufCall, detail::kGgufValueSizes, detail::gguf_number;

[[noreturn]] void fail_type(const std::string& key, const char* expected) {
  fail(kGgufCall, key.c_str(), {"must be ", expected});
}

// A number of any type; nothing for other values.
std::optional<double> number_of(Type type, const std::byte* from) {
  const std::size_t size = kGgufValueSizes[static_cast<std::size_t>(type)];
  const std::uint64_t bits = gguf_number(from, size);
  if (type == Type::float32) {
    const auto value = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    return read_number(number_text(value)).value_or(value);
  }
  if (type == Type::float64) return std::bit_cast<double>(bits);
  if (size == 0 || type == Type::boolean) return {};
  const auto shift = static_cast<int>(64 - 8 * size);
  const bool has_sign =
      type == Type::int8 || type == Type::int16 || type == Type::int32 || type == Type::int64;
  if (has_sign) return static_cast<double>(static_cast<std::int64_t>(bits << shift) >> shift);
  return static_cast<double>(bits);
}

}  // namespace

const GgufValue* Gguf::value(const std::string& key, bool may_miss, bool is_list) const {
  const auto found = values.find(key);
  if (found == values.end()) {
    if (may_miss) return nullptr;
    fail(kGgufCall, key.c_str(), "is missing");
  }
  if (found->second.is_list != is_list) fail_type(key, is_list ? "a list" : "a single value");
  return &found->second;
}

double Gguf::number(const std::string& key, std::optional<double> otherwise) const {
  const GgufValue* const found = value(key, otherwise.has_value(), false);
  if (!found) return *otherwise;
  const std::optional<double> number = number_of(found->type, found->bytes.data());
  if (!number) fail_type(key, "a number");
  if (!std::isfinite(*number)) fail(kGgufCall, key.c_str(), {"must be finite, is ", *number});
  return *number;
}

Index Gguf::integer(const std::string& key, std::optional<Index> otherwise) const {
  if (otherwise && !has(key)) return *otherwise;
  const double found = number(key);
  if (!(found >= 0 && found <= 0x1p30 && found == std::floor(found))) {
    fail(kGgufCall, key.c_str(), {"must be a whole number from 0 to 2^30, is ", found});
  }
  return static_cast<Index>(found);
}

bool Gguf::boolean(const std::string& key, std::optional<bool> otherwise) const {
  const GgufValue* const found = value(key, otherwise.has_value(), false);
  if (!found) return *otherwise;
  if (found->type != Type::boolean) fail_type(key, "true or false");
  return found->bytes[0] != std::byte{0};
}

std::string_view Gguf::text(const std::string& key,
                            std::optional<std::string_view> otherwise) const {
  const GgufValue* const found = value(key, otherwise.has_value(), false);
  if (!found) return *otherwise;
  if (found->type != Type::string) fail_type(key, "a text");
  const std::span<const std::byte> text = found->bytes.subspan(8);
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

std::vector<GgufText> Gguf::texts(const std::string& key) const {
  std::vector<GgufText> texts;
  const GgufValue* const found = value(key, true, true);
  if (!found) return texts;
  if (found->type != Type::string) fail_type(key, "a list of texts");
  const std::byte* at = found->bytes.data();
  for (std::uint64_t n = 0; n < found->count; ++n) {
    const auto size = static_cast<std::size_t>(gguf_number(at, 8));
    at += 8;
    const auto begin = found->begin + static_cast<std::size_t>(at - found->bytes.data());
    texts.push_back({{reinterpret_cast<const char*>(at), size}, begin});
    at += size;
  }
  return texts;
}

std::vector<double> Gguf::numbers(const std::string& key) const {
  std::vector<double> numbers;
  const GgufValue* const found = value(key, true, true);
  if (!found) return numbers;
  const std::size_t size = kGgufValueSizes[static_cast<std::size_t>(found->type)];
  for (std::uint64_t n = 0; n < found->count; ++n) {
    const std::byte* const at = found->bytes.data() + static_cast<std::size_t>(n) * size;
    const std::optional<double> number = number_of(found->type, at);
    if (!number) fail_type(key, "a list of numbers");
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace tril
