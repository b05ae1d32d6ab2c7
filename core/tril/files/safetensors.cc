#include <tril/files/json_reader.h>
#include <tril/files/json_writer.h>
#include <tril/files/mistaken_file.h>
#include <tril/files/safetensors.h>
#include <tril/files/utf8.h>
#include <tril/foundation/check.h>
#include <tril/foundation/heap_sort.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

namespace tril {
namespace {

constexpr const char* kRead = "parse_safetensors";
constexpr const char* kWrite = "safetensors_header";
constexpr std::size_t kLengthSize = 8;
constexpr std::size_t kMostHeader = 100'000'000;  // the limit of Hugging Face's library, too
constexpr const char* kMetadata = "__metadata__";

using Code = std::pair<std::string_view, ElementType>;
constexpr Code kTypes[] = {
    {"BOOL", ElementType::boolean}, {"U8", ElementType::uint8},      {"I8", ElementType::int8},
    {"U16", ElementType::uint16},   {"I16", ElementType::int16},     {"U32", ElementType::uint32},
    {"I32", ElementType::int32},    {"U64", ElementType::uint64},    {"I64", ElementType::int64},
    {"F16", ElementType::float16},  {"BF16", ElementType::bfloat16}, {"F32", ElementType::float32},
    {"F64", ElementType::float64}};
constexpr Code kWritten[] = {
    {"F32", ElementType::float32}, {"F16", ElementType::float16}, {"BF16", ElementType::bfloat16}};

std::string shape_of(std::span<const Index> shape) {
  return shape_text(shape.data(), static_cast<int>(shape.size()));
}

// Bytes [begin, end) of the data, which belong to the tensor with this number.
struct DataRange {
  std::size_t begin, end, number;
};

// Reads a type; calls not_read(position in the file, problem) for unsupported ones.
template <typename NotRead>
void read_type(detail::JsonReader& header, StoredTensor& tensor, const NotRead& not_read) {
  header.peek();
  const std::size_t position = header.position();
  const std::string name = header.json_string();
  const auto found = std::ranges::find(kTypes, name, [](const auto& type) { return type.first; });
  if (found == std::end(kTypes)) {
    return not_read(position, {"element type ", detail::shown(name), " is not read"});
  }
  tensor.type = found->second;
}

// Reads {"dtype": ..., "shape": ..., "data_offsets": ...} in any order. An unsupported type is
// reported in `problem`, or refused where that is null.
DataRange read_tensor(detail::JsonReader& header, const std::string& name, StoredTensor& tensor,
                      std::string* problem) {
  constexpr std::string_view kFields[] = {"dtype", "shape", "data_offsets"};
  header.peek();
  const std::size_t begin = header.position();
  const auto refuse = [&](std::size_t position, const Message& problem) {
    header.fail_at(position, {"tensor ", detail::shown(name), ": ", problem});
  };
  bool there[std::size(kFields)] = {};
  std::vector<Index> offsets;
  header.list('{', '}', false, [&] {
    header.peek();
    const std::size_t position = header.position();
    const std::string field = header.json_string();
    const std::size_t which =
        static_cast<std::size_t>(std::ranges::find(kFields, field) - std::begin(kFields));
    if (which == std::size(kFields)) refuse(position, {detail::shown(field), " is not known"});
    if (std::exchange(there[which], true)) {
      refuse(position, {detail::shown(field), " is duplicated"});
    }
    header.expect(':');
    if (which == 0) {
      return read_type(header, tensor, [&](std::size_t at, const Message& what) {
        if (!problem) refuse(at, what);
        *problem = what.text();
      });
    }
    std::vector<Index>& numbers = which == 1 ? tensor.shape : offsets;
    header.list('[', ']', false, [&] { numbers.push_back(header.whole_number()); });
  });
  for (std::size_t which = 0; which < std::size(kFields); ++which) {
    if (!there[which]) refuse(begin, {detail::shown(kFields[which]), " is missing"});
  }
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    refuse(begin, {"data_offsets must be [begin, end], are ", offsets});
  }
  const DataRange range{static_cast<std::size_t>(offsets[0]), static_cast<std::size_t>(offsets[1]),
                        0};
  if (problem && !problem->empty()) return range;
  const Message what{"shape ", tensor.shape, " of ", element_name(tensor.type)};
  const std::optional<std::size_t> bytes = stored_bytes(tensor.shape, tensor.type);
  if (!bytes) refuse(begin, {what, " is too large to address"});
  if (range.end - range.begin != *bytes) {
    refuse(begin, {what, " takes ", *bytes, " bytes, but data_offsets are ", offsets});
  }
  return range;
}

Metadata read_metadata(detail::JsonReader& header) {
  Metadata metadata;
  header.object([&](std::string key, std::size_t position) {
    if (metadata.contains(key)) {
      header.fail_at(position, {"the key ", detail::shown(key), " is duplicated"});
    }
    metadata.emplace(std::move(key), header.json_string());
  });
  return metadata;
}

// Checks that the tensors fill the file from `offset` on without gap or overlap, and sets their
// bytes.
void check_layout(std::vector<DataRange> ranges, std::size_t offset, std::size_t file_size,
                  std::vector<NamedTensor>& tensors) {
  const auto key = [](const DataRange& each) {
    return std::tuple(each.begin, each.end, each.number);
  };
  detail::heap_sort(ranges, {}, key);
  const auto refuse = [&](std::size_t byte, const Message& problem) {
    fail(kRead, "file", {"byte ", offset + byte, ": ", problem});
  };
  const std::size_t size = file_size - offset;
  std::size_t end = 0;
  for (const DataRange& each : ranges) {
    NamedTensor& named = tensors[each.number];
    const std::string name = "tensor " + detail::shown(named.name);
    if (each.end > size) {
      refuse(size, {name, " ends ", each.end - size, " bytes after the end of the file"});
    }
    if (each.begin < end) refuse(each.begin, {name, " overlaps the one before it"});
    if (each.begin > end) refuse(end, {"bytes that belong to no tensor, before ", name});
    named.begin = offset + each.begin;
    end = each.end;
  }
  if (end < size) refuse(end, {size - end, " bytes that belong to no tensor"});
}

// Throws Error for a file that is recognised as another kind.
void refuse_other_file(std::string_view begin) {
  detail::refuse_mistaken_file(kRead, "file", begin);
  const std::string_view word = begin.substr(0, kLengthSize);
  // Eight letters, read as a length, would exceed any file.
  if (std::ranges::all_of(word, [](char c) { return c >= ' ' && c <= '~'; })) {
    fail(kRead, "file", {"is no .safetensors file: it begins with the text ", detail::shown(word)});
  }
}

}  // namespace

const StoredTensor* Safetensors::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(tensors, name, &NamedTensor::name);
  return found == tensors.end() ? nullptr : &found->tensor;
}

Safetensors parse_safetensors(std::span<const std::byte> file, std::vector<UnreadTensor>* unread) {
  Safetensors stored = parse_safetensors_header(file, file.size(), unread);
  for (auto& [name, tensor, begin] : stored.tensors) {
    tensor.bytes = file.subspan(begin, *stored_bytes(tensor.shape, tensor.type));
  }
  return stored;
}

std::size_t safetensors_begin(std::span<const std::byte> begin, std::size_t file_size) {
  if (file_size < kLengthSize) {
    detail::refuse_mistaken_file(kRead, "file",
                                 {reinterpret_cast<const char*>(begin.data()), begin.size()});
    fail(kRead, "file", {"is no .safetensors file: it is only ", file_size, " bytes long"});
  }
  if (begin.size() < kLengthSize) fail(kRead, "begin", {"must be 8 bytes or more"});
  const std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
  std::uint64_t length = 0;
  for (std::size_t i = kLengthSize; i-- > 0;) {
    length = length << 8 | std::to_integer<std::uint64_t>(begin[i]);
  }
  const std::size_t rest = file_size - kLengthSize;
  if (length > kMostHeader || length > rest) {
    refuse_other_file(text);
    const Message only{"only ", rest, " follow"}, at_most{"at most ", kMostHeader, " are read"};
    fail(kRead, "file",
         {"byte 0: the header should be ", length, " bytes long, but ",
          length > rest ? only : at_most});
  }
  return kLengthSize + static_cast<std::size_t>(length);
}

Safetensors parse_safetensors_header(std::span<const std::byte> begin, std::size_t file_size,
                                     std::vector<UnreadTensor>* unread) {
  const std::size_t data = safetensors_begin(begin, file_size);
  if (begin.size() < data) fail(kRead, "begin", {"must be ", data, " bytes, is ", begin.size()});
  const std::string_view text(reinterpret_cast<const char*>(begin.data()) + kLengthSize,
                              data - kLengthSize);
  if (!text.starts_with('{')) {
    refuse_other_file({text.data() - kLengthSize, data});
    fail(kRead, "file", "byte 8: the header does not begin with {");
  }
  detail::JsonReader header(kRead, text, kLengthSize);

  Safetensors stored;
  std::vector<DataRange> ranges;
  std::vector<std::string> problems;  // of each tensor; empty: it can be read
  std::set<std::string> names;
  header.object([&](std::string name, std::size_t position) {
    if (!names.insert(name).second) {
      header.fail_at(position, {"the name ", detail::shown(name), " is duplicated"});
    }
    if (name == kMetadata) {
      stored.metadata = read_metadata(header);
      return;
    }
    StoredTensor tensor;
    std::string problem;
    ranges.push_back(read_tensor(header, name, tensor, unread ? &problem : nullptr));
    problems.push_back(std::move(problem));
    ranges.back().number = stored.tensors.size();
    stored.tensors.push_back({std::move(name), std::move(tensor), 0});
  });
  if (!header.at_end()) header.fail("something follows the object");
  check_layout(std::move(ranges), data, file_size, stored.tensors);
  if (unread) {
    std::vector<NamedTensor> read;
    for (std::size_t n = 0; n < problems.size(); ++n) {
      NamedTensor& each = stored.tensors[n];
      if (problems[n].empty()) {
        read.push_back(std::move(each));
      } else {
        unread->push_back({std::move(each.name), std::move(problems[n])});
      }
    }
    stored.tensors = std::move(read);
  }
  return stored;
}

std::string safetensors_header(std::span<const TensorToStore> tensors, const Metadata& metadata) {
  detail::JsonWriter writer('{', detail::kJsonTight);
  if (!metadata.empty()) {
    detail::JsonWriter texts('{', detail::kJsonTight);
    for (const auto& [key, text] : metadata) {
      if (!detail::is_utf8(key) || !detail::is_utf8(text)) {
        fail(kWrite, "metadata", {detail::shown(key), " is not UTF-8"});
      }
      texts.add(key, text);
    }
    writer.add(kMetadata, std::move(texts).end());
  }
  std::set<std::string_view> names{kMetadata};
  std::size_t end = 0;
  for (const TensorToStore& each : tensors) {
    if (!detail::is_utf8(each.name) || !names.insert(each.name).second) {
      fail(kWrite, "tensors",
           {"the name ", detail::shown(each.name), " repeats, is reserved or is not UTF-8"});
    }
    const auto type = std::ranges::find(kWritten, each.type, &Code::second);
    if (type == std::end(kWritten)) {
      fail(kWrite, "type", {"must be float32, float16 or bfloat16, is ", element_name(each.type)});
    }
    const std::size_t bytes = each.elements.size() * element_size(each.type);
    if (stored_bytes(each.shape, each.type) != bytes) {
      fail(kWrite, "tensors",
           {detail::shown(each.name), ": ", each.elements.size(), " elements do not fit shape ",
            each.shape});
    }
    const std::size_t begin = end;
    end += bytes;
    writer.add(
        each.name,
        detail::json_object({{"dtype", type->first},
                             {"shape", detail::JsonText::of(shape_of(each.shape))},
                             {"data_offsets", detail::json_list({begin, end}, detail::kJsonTight)}},
                            detail::kJsonTight));
  }
  std::string json = std::move(writer).end().text;
  json.resize((json.size() + 7) / 8 * 8, ' ');  // so that the elements are aligned
  std::string header;
  for (std::size_t i = 0; i < kLengthSize; ++i) {
    header += static_cast<char>(std::uint64_t{json.size()} >> (8 * i) & 0xff);
  }
  return header + json;
}

std::vector<std::byte> safetensors_bytes(std::span<const TensorToStore> tensors,
                                         const Metadata& metadata) {
  const std::string header = safetensors_header(tensors, metadata);
  const std::span<const std::byte> head = std::as_bytes(std::span(header));
  std::vector<std::byte> file(head.begin(), head.end());
  for (const TensorToStore& each : tensors) {
    const std::size_t begin = file.size(), bytes = each.elements.size() * element_size(each.type);
    file.resize(begin + bytes);
    write_elements(each.elements, each.type, std::span(file).subspan(begin));
  }
  return file;
}

}  // namespace tril
