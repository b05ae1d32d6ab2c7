// Types, their sizes and the order of the header are those of ggml's docs/gguf.md and src/gguf.cpp.
#include <tril/files/gguf.h>
#include <tril/files/gguf_bytes.h>
#include <tril/files/json_writer.h>
#include <tril/foundation/check.h>
#include <tril/foundation/heap_sort.h>
#include <tril/foundation/named.h>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

namespace tril {
namespace {

using Type = GgufValue::Type;
using detail::kGgufCall, detail::kGgufValueSizes, detail::gguf_number;

constexpr std::string_view kMagic = "GGUF";
constexpr std::uint64_t kMost = std::numeric_limits<Index>::max();
constexpr std::size_t kMostHeader = 100'000'000;  // the limit for .safetensors files, too

// Types of tensors, by their numbers in ggml.h (enum ggml_type).
constexpr Named<std::uint32_t> kRead[] = {{"F32", 0}, {"F16", 1}, {"Q8_0", 8}, {"BF16", 30}};
constexpr ElementType kElements[] = {ElementType::float32, ElementType::float16, ElementType::q8_0,
                                     ElementType::bfloat16};
constexpr Named<std::uint32_t> kOthers[] = {
    {"Q4_0", 2},  {"Q4_1", 3},  {"Q5_0", 6},  {"Q5_1", 7},    {"Q2_K", 10},   {"Q3_K", 11},
    {"Q4_K", 12}, {"Q5_K", 13}, {"Q6_K", 14}, {"IQ4_NL", 20}, {"IQ4_XS", 23}, {"MXFP4", 39}};

// Thrown where the next bytes are in the file, but not in memory.
struct Short {
  std::size_t needed;
};

// A file from its first byte on.
class Reader {
 public:
  Reader(std::span<const std::byte> begin, std::size_t file_size)
      : bytes_(begin.first(std::min(begin.size(), file_size))), size_(file_size) {}

  std::size_t position() const noexcept { return at_; }
  [[noreturn]] void refuse(std::size_t at, const Message& problem) const {
    fail(kGgufCall, "file", {"byte ", at, ": ", problem});
  }
  // The next `count` parts of `size` bytes each.
  std::span<const std::byte> take(std::uint64_t count, std::size_t size, const char* what) {
    const std::size_t left = size_ - at_;
    if (count > left / size) {
      refuse(at_, {what, " of ", count, size > 1 ? " elements" : " bytes",
                   " should follow, but only ", left, " bytes do"});
    }
    const std::size_t end = at_ + static_cast<std::size_t>(count) * size;
    if (end > kMostHeader) {
      refuse(at_,
             {"settings and names reach beyond byte ", kMostHeader, ", the last that is read"});
    }
    if (end > bytes_.size()) throw Short{end};
    const std::size_t begin = std::exchange(at_, end);
    return bytes_.subspan(begin, end - begin);
  }
  std::uint64_t number(std::size_t size, const char* what) {
    return gguf_number(take(1, size, what).data(), size);
  }
  std::string_view string(const char* what) {
    const std::span<const std::byte> bytes = take(number(8, what), 1, what);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t size_, at_ = 0;
};

Type read_type(Reader& file, const std::string& key) {
  const std::size_t at = file.position();
  const std::uint64_t type = file.number(4, "a type");
  if (type < std::size(kGgufValueSizes)) return static_cast<Type>(type);
  file.refuse(at, {"key ", detail::shown(key), ": type ", type, " is not known"});
}

GgufValue read_value(Reader& file, const std::string& key) {
  GgufValue value;
  value.type = read_type(file, key);
  if (value.type == Type::list) {
    value.is_list = true;
    value.type = read_type(file, key);
    value.count = file.number(8, "a count");
  }
  value.begin = file.position();
  const std::size_t size = kGgufValueSizes[static_cast<std::size_t>(value.type)];
  if (size > 0) {
    value.bytes = file.take(value.count, size, "a list");
    return value;
  }
  if (value.type == Type::list) {
    file.refuse(value.begin, {"key ", detail::shown(key), ": lists of lists are not read"});
  }
  const char* first = nullptr;
  std::size_t bytes = 0;
  for (std::uint64_t n = 0; n < value.count; ++n) {
    const std::string_view text = file.string("a text");
    if (!first) first = text.data() - 8;
    bytes = static_cast<std::size_t>(text.data() + text.size() - first);
  }
  value.bytes = {reinterpret_cast<const std::byte*>(first), bytes};
  return value;
}

// A tensor with its offset in the data, before its position in the file is known.
struct OffsetTensor {
  NamedTensor named;
  std::uint64_t offset;
};

OffsetTensor read_tensor(Reader& file) {
  const std::size_t at = file.position();
  NamedTensor named;
  named.name = file.string("a name");
  const auto refuse = [&](const Message& problem) {
    file.refuse(at, {"tensor ", detail::shown(named.name), ": ", problem});
  };
  std::vector<Index>& shape = named.tensor.shape;
  const std::uint64_t axes = file.number(4, "a number of axes");
  if (axes > 4) refuse({axes, " axes, but at most 4 are read"});
  for (std::uint64_t n = 0; n < axes; ++n) {
    const std::uint64_t axis = file.number(8, "an axis");
    if (axis > kMost) refuse({"an axis of ", axis, ", but at most ", kMost, " is read"});
    shape.insert(shape.begin(), static_cast<Index>(axis));
  }
  const auto type = static_cast<std::uint32_t>(file.number(4, "a type"));
  const auto known = std::ranges::find(kRead, type, &Named<std::uint32_t>::value);
  if (known == std::end(kRead)) {
    const std::string_view name = name_of(kOthers, type);
    const std::string number = std::to_string(type);
    refuse({"type ", name.empty() ? std::string_view(number) : name,
            " is not read; there are F32, F16, BF16 and Q8_0"});
  }
  named.tensor.type = kElements[known - kRead];
  if (!stored_bytes(shape, named.tensor.type)) {
    refuse({"no tensor of ", known->name, " can have shape ", shape});
  }
  return {std::move(named), file.number(8, "an offset")};
}

// The tensors of a file whose data begins at byte `data`, with their positions.
std::vector<NamedTensor> place(std::vector<OffsetTensor> found, std::size_t data,
                               std::size_t alignment, std::size_t file_size) {
  std::vector<std::tuple<std::size_t, std::size_t, const NamedTensor*>> ranges;
  const auto refuse = [](const NamedTensor& tensor, const Message& problem) {
    fail(kGgufCall, "file", {"tensor ", detail::shown(tensor.name), ": ", problem});
  };
  std::vector<NamedTensor> tensors;
  tensors.reserve(found.size());  // `ranges` points into it
  for (auto& [named, offset] : found) {
    const std::size_t size = *stored_bytes(named.tensor.shape, named.tensor.type);
    const std::size_t room = file_size - data;
    if (offset % alignment != 0) {
      refuse(named, {"offset ", offset, " is no multiple of ", alignment});
    }
    if (size > room || offset > room - size) {
      refuse(named, {size, " bytes at offset ", offset, " of the data do not fit its ", room});
    }
    named.begin = data + static_cast<std::size_t>(offset);
    const NamedTensor& tensor = tensors.emplace_back(std::move(named));
    ranges.emplace_back(tensor.begin, tensor.begin + size, &tensor);
  }
  detail::heap_sort(ranges);
  std::size_t end = 0;
  for (const auto& [first, last, tensor] : ranges) {
    if (first < end && first < last) refuse(*tensor, "overlaps the one before it");
    end = std::max(end, last);
  }
  return tensors;
}

// The header, and the byte at which the data begins.
std::pair<Gguf, std::size_t> read(std::span<const std::byte> begin, std::size_t file_size) {
  Reader file(begin, file_size);
  if (!is_gguf(file.take(kMagic.size(), 1, "GGUF"))) file.refuse(0, "is not GGUF");
  const std::uint64_t version = file.number(4, "a version");
  if (version != 2 && version != 3) {
    const bool is_big = version % 256 == 0;
    file.refuse(4, {"version ", version, " is not read; there are 2 and 3",
                    is_big ? ", lowest byte first" : ""});
  }
  const std::uint64_t tensors = file.number(8, "a count"), keys = file.number(8, "a count");
  std::pair<Gguf, std::size_t> result;
  Gguf& gguf = result.first;
  const auto refuse_again = [&](std::size_t at, std::string_view name) {
    file.refuse(at, {"the name ", detail::shown(name), " is duplicated"});
  };
  for (std::uint64_t n = 0; n < keys; ++n) {
    const std::size_t at = file.position();
    const std::string key(file.string("a key"));
    if (!gguf.values.emplace(key, read_value(file, key)).second) refuse_again(at, key);
  }
  std::set<std::string> names;
  std::vector<OffsetTensor> found;
  for (std::uint64_t n = 0; n < tensors; ++n) {
    const std::size_t at = file.position();
    found.push_back(read_tensor(file));
    const std::string& name = found.back().named.name;
    if (!names.insert(name).second) refuse_again(at, name);
  }
  const Index alignment = gguf.integer("general.alignment", 32);
  if (alignment < 1 || alignment > Index{1} << 30) {
    fail(kGgufCall, "general.alignment",
         {"must be from 1 to ", Index{1} << 30, ", is ", alignment});
  }
  const auto step = static_cast<std::size_t>(alignment);
  // A file whose tensors have no elements may end without padding.
  result.second = std::min((file.position() + step - 1) / step * step, file_size);
  gguf.tensors = place(std::move(found), result.second, step, file_size);
  return result;
}

}  // namespace

bool is_gguf(std::span<const std::byte> begin) noexcept {
  return std::string_view(reinterpret_cast<const char*>(begin.data()), begin.size())
      .starts_with(kMagic);
}

std::size_t gguf_begin(std::span<const std::byte> begin, std::size_t file_size) {
  try {
    return read(begin, file_size).second;
  } catch (const Short& found) {
    return std::max(found.needed, std::min(2 * begin.size(), file_size));
  }
}

Gguf parse_gguf_header(std::span<const std::byte> begin, std::size_t file_size) {
  try {
    return read(begin, file_size).first;
  } catch (const Short& found) {
    fail(kGgufCall, "begin", {"must be ", found.needed, " bytes or more, is ", begin.size()});
  }
}

const StoredTensor* Gguf::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(tensors, name, &NamedTensor::name);
  return found == tensors.end() ? nullptr : &found->tensor;
}

}  // namespace tril
