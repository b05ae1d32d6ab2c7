#include <tril/files/json_reader.h>
#include <tril/files/json_writer.h>
#include <tril/files/mistaken_file.h>
#include <tril/files/npy.h>
#include <tril/foundation/check.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace tril {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostAxes = 64;  // NumPy 2; 32 before
constexpr const char* kRead = "parse_npy";
constexpr const char* kWrite = "npy_header";

// NumPy's names of a type, in the order of matching: its letter and size, its letter alone, its
// name. (NumPy also has letters for C's long, whose size no file tells.)
struct Code {
  std::string_view code, letter;
  ElementType type;
};
constexpr Code kCodes[] = {{"b1", "?", ElementType::boolean}, {"i1", "b", ElementType::int8},
                           {"u1", "B", ElementType::uint8},   {"i2", "h", ElementType::int16},
                           {"u2", "H", ElementType::uint16},  {"i4", "i", ElementType::int32},
                           {"u4", "I", ElementType::uint32},  {"i8", "q", ElementType::int64},
                           {"u8", "Q", ElementType::uint64},  {"f2", "e", ElementType::float16},
                           {"f4", "f", ElementType::float32}, {"f8", "d", ElementType::float64}};

bool is_npy(std::span<const std::byte> bytes) noexcept {
  return bytes.size() >= kMagic.size() &&
         std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

// The position of an array's header in its file.
struct Preamble {
  std::size_t header, header_size;
};

Preamble read_preamble(std::span<const std::byte> file, std::size_t begin) {
  const std::span<const std::byte> rest = file.subspan(begin);
  const auto byte = [&](std::size_t at) { return std::to_integer<std::size_t>(rest[at]); };
  if (file.empty()) fail(kRead, "file", "is empty");
  if (!is_npy(rest)) {
    const std::string_view known =
        detail::known_file({reinterpret_cast<const char*>(rest.data()), rest.size()});
    if (!known.empty()) fail(kRead, "file", known);
    fail(kRead, "file", "is no .npy file: it does not begin with \\x93NUMPY");
  }
  const auto cut_short = [&] {
    fail(kRead, "file", {"byte ", file.size(), ": ends within the header"});
  };
  if (rest.size() < 8) cut_short();
  const std::size_t version = byte(6);
  if (version < 1 || version > 3 || byte(7) != 0) {
    fail(kRead, "file",
         {"byte ", begin + 6, ": version ", version, ".", byte(7),
          " of the format is not known; 1.0, 2.0 and 3.0 are"});
  }
  const std::size_t width = version == 1 ? 2 : 4;
  if (rest.size() < 8 + width) cut_short();
  std::size_t length = 0;
  for (std::size_t i = width; i-- > 0;) length = length << 8 | byte(8 + i);
  if (length > rest.size() - 8 - width) {
    fail(kRead, "file",
         {"byte ", begin + 8, ": the header should be ", length, " bytes long, but only ",
          rest.size() - 8 - width, " follow"});
  }
  return {begin + 8 + width, length};
}

void read_type(detail::JsonReader& header, StoredTensor& tensor) {
  if (header.peek() == '[') header.fail("arrays of structures are not read");
  const std::size_t position = header.position();
  const std::string_view text = header.python_string();
  const auto refuse = [&](const char* why) {
    header.fail_at(position, {"element type ", detail::shown(text), why});
  };
  if (text.ends_with('O') || text == "object") refuse(": Python objects are never read");
  // No byte order, or = and |, mean that of the processor that wrote the file, which is nearly
  // always little-endian.
  const bool ordered = !text.empty() && std::string_view("<>=|").find(text[0]) != text.npos;
  const std::string_view name = text.substr(ordered ? 1 : 0);
  for (const Code& each : kCodes) {
    if (name != each.code && name != each.letter && name != element_name(each.type)) continue;
    tensor.type = each.type;
    tensor.big_endian = text[0] == '>';
    return;
  }
  refuse(" is not read; bool, integers and float16 to float64 are");
}

void read_order(detail::JsonReader& header, StoredTensor& tensor) {
  tensor.column_major = header.take_word("True");
  if (!tensor.column_major && !header.take_word("False")) header.fail("expected True or False");
}

// A tuple: (), (3,), (3, 4).
void read_shape(detail::JsonReader& header, StoredTensor& tensor) {
  bool comma = false;
  header.list('(', ')', true, [&] {
    if (tensor.shape.size() == kMostAxes) header.fail("more than 64 axes");
    tensor.shape.push_back(header.whole_number());
    header.take('L');  // a suffix of long integers in Python 2
    comma = header.peek() == ',';
  });
  if (tensor.shape.size() == 1 && !comma) header.fail("expected a comma in a tuple of one number");
}

// Reads the dictionary, its three keys in any order. Returns the position of the shape.
std::size_t read_header(detail::JsonReader& header, StoredTensor& tensor) {
  struct Field {
    std::string_view name;
    void (*read)(detail::JsonReader&, StoredTensor&);
    std::size_t position;  // 0: not read yet
  };
  Field fields[] = {
      {"descr", read_type, 0}, {"fortran_order", read_order, 0}, {"shape", read_shape, 0}};
  header.list('{', '}', true, [&] {
    header.peek();
    const std::size_t position = header.position();
    const std::string_view name = header.python_string();
    for (Field& field : fields) {
      if (field.name != name) continue;
      if (field.position != 0) header.fail_at(position, {detail::shown(name), " is duplicated"});
      header.expect(':');
      header.peek();
      field.position = header.position();
      return field.read(header, tensor);
    }
    header.fail_at(position, {"the key ", detail::shown(name), " is not known"});
  });
  if (!header.at_end()) header.fail("something follows the dictionary");
  for (const Field& field : fields) {
    if (field.position == 0) header.fail({"the key ", detail::shown(field.name), " is missing"});
  }
  return fields[2].position;
}

// Reads the array that begins at a byte of the file; returns the number of its bytes.
std::size_t read_array(std::span<const std::byte> file, std::size_t begin, StoredTensor& tensor) {
  const Preamble preamble = read_preamble(file, begin);
  const std::size_t data = preamble.header + preamble.header_size;
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + preamble.header,
                              preamble.header_size);
  detail::JsonReader header(kRead, text, preamble.header);
  const std::size_t shape_position = read_header(header, tensor);
  const Message what{"shape ", tensor.shape, " of ", element_name(tensor.type)};
  const std::optional<std::size_t> bytes = stored_bytes(tensor.shape, tensor.type);
  if (!bytes) header.fail_at(shape_position, {what, " is too large to address"});
  const std::span<const std::byte> rest = file.subspan(data);
  // Only another array may follow.
  if (rest.size() < *bytes || (rest.size() > *bytes && !is_npy(rest.subspan(*bytes)))) {
    header.fail_at(data, {what, " takes ", *bytes, " bytes, but ", rest.size(), " follow"});
  }
  tensor.bytes = rest.first(*bytes);
  return data + *bytes - begin;
}

}  // namespace

StoredTensor parse_npy(std::span<const std::byte> file) {
  std::vector<StoredTensor> arrays = parse_npy_arrays(file);
  if (arrays.size() > 1) fail(kRead, "file", {"holds ", arrays.size(), " arrays, not one"});
  return std::move(arrays.front());
}

std::vector<StoredTensor> parse_npy_arrays(std::span<const std::byte> file) {
  std::vector<StoredTensor> arrays;
  std::size_t begin = 0;
  do {
    begin += read_array(file, begin, arrays.emplace_back());
  } while (begin < file.size());
  return arrays;
}

std::string npy_header(std::span<const Index> shape, ElementType type) {
  const std::string written = shape_text(shape.data(), static_cast<int>(shape.size()));
  if (shape.size() > kMostAxes) fail(kWrite, "shape", "has more than 64 axes");
  const char* const code = type == ElementType::float32   ? "f4"
                           : type == ElementType::float16 ? "f2"
                           : type == ElementType::int32   ? "i4"
                                                          : nullptr;
  if (!code) {
    fail(kWrite, "type",
         {"of a .npy file must be float32, float16 or int32, is ", element_name(type)});
  }
  if (!stored_bytes(shape, type)) {
    fail(kWrite, "shape",
         {written, " of ", element_name(type), " is too large to address or negative"});
  }
  const std::string_view axes = std::string_view(written).substr(1, written.size() - 2);
  std::string header = "{'descr': '<";
  header.append(code)
      .append("', 'fortran_order': False, 'shape': (")
      .append(axes)
      .append(shape.size() == 1 ? ",), }" : "), }");
  // Spaces for padding, so that the elements begin at a multiple of 64.
  constexpr std::size_t kPreamble = 10, kUnit = 64;
  const std::size_t size = (kPreamble + header.size() + 1 + kUnit - 1) / kUnit * kUnit;
  header.resize(size - kPreamble - 1, ' ');
  header += '\n';
  std::string file(kMagic);
  for (const std::size_t byte :
       {std::size_t{1}, std::size_t{0}, header.size() & 0xff, header.size() >> 8}) {
    file += static_cast<char>(byte);
  }
  return file + header;
}

std::vector<std::byte> npy_bytes(std::span<const Index> shape, std::span<const float> elements,
                                 ElementType type) {
  const std::string header = npy_header(shape, type);
  const std::size_t bytes = *stored_bytes(shape, type);
  if (bytes != elements.size() * element_size(type)) {
    fail("npy_bytes", "elements", {elements.size(), " elements do not fit shape ", shape});
  }
  const std::span<const std::byte> head = std::as_bytes(std::span(header));
  std::vector<std::byte> file(head.size() + bytes);
  std::ranges::copy(head, file.begin());
  write_elements(elements, type, std::span(file).subspan(head.size()));
  return file;
}

}  // namespace tril
