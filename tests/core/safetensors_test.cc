// .safetensors files: written by hand after the format's description, every malformation, and a
// round trip.
#include <gtest/gtest.h>
#include <tril/files/safetensors.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare.h"

namespace tril {
namespace {

using testing::error_of;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string file_of(const std::string& header, const std::string& data = "") {
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(std::uint64_t{header.size()} >> 8 * i);
  return file + header + data;
}

std::string problem(const std::string& file) {
  const std::string message = error_of([&] { parse_safetensors(bytes_of(file)); });
  EXPECT_EQ(message.find('\n'), std::string::npos);
  const std::string begin = "parse_safetensors: file: ";
  EXPECT_TRUE(message.starts_with(begin)) << message;
  return message.substr(begin.size());
}

std::string header_problem(const std::string& header, const std::string& data = "") {
  return problem(file_of(header, data));
}

// The error for one tensor "x" with these fields, and this many bytes of data.
std::string tensor_problem(const std::string& fields, std::size_t data = 8) {
  return header_problem("{\"x\":{" + fields + "}}", std::string(data, '\0'));
}

std::vector<double> elements(const StoredTensor& tensor) {
  std::vector<double> out(static_cast<std::size_t>(tensor.count()));
  read_elements(tensor, std::span<double>(out));
  return out;
}

TEST(ParseSafetensors, ReadsEveryType) {
  struct Case {
    std::string type, bytes;  // for the numbers 1 and 2
  };
  const Case cases[] = {
      {"BOOL", {"\1\1", 2}},
      {"U8", {"\1\2", 2}},
      {"I8", {"\1\2", 2}},
      {"U16", {"\1\0\2\0", 4}},
      {"I16", {"\1\0\2\0", 4}},
      {"U32", {"\1\0\0\0\2\0\0\0", 8}},
      {"I32", {"\1\0\0\0\2\0\0\0", 8}},
      {"U64", {"\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16}},
      {"I64", {"\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16}},
      {"F16", {"\0\x3c\0\x40", 4}},
      {"BF16", {"\x80\x3f\0\x40", 4}},
      {"F32", {"\0\0\x80\x3f\0\0\0\x40", 8}},
      {"F64", {"\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40", 16}},
  };
  for (const Case& each : cases) {
    const std::string size = std::to_string(each.bytes.size());
    const std::string file = file_of(
        R"({"x":{"dtype":")" + each.type + R"(","shape":[2],"data_offsets":[0,)" + size + "]}}",
        each.bytes);
    const Safetensors stored = parse_safetensors(bytes_of(file));
    ASSERT_NE(stored.find("x"), nullptr) << each.type;
    const double second = each.type == "BOOL" ? 1 : 2;
    EXPECT_EQ(elements(*stored.find("x")), (std::vector<double>{1, second})) << each.type;
  }
}

TEST(ParseSafetensors, ReadsNamesShapesAndMetadata) {
  const std::string file = file_of(R"({"__metadata__":{"format":"pt","\u00e9\n":"\ud83d\ude00"},
      "b.weight" : { "data_offsets" : [ 4 , 12 ] , "shape" : [ 2 , 1 ] , "dtype" : "F32" },
      "a": {"dtype":"U8","shape":[],"data_offsets":[3,4]}, "none": {"dtype":"F32",
      "shape":[3,0],"data_offsets":[4,4]}, "first": {"dtype":"I8","shape":[3],"data_offsets":[0,3]}}  )",
                                   std::string("\1\2\3\7\0\0\x80\x3f\0\0\0\x40", 12));
  const Safetensors stored = parse_safetensors(bytes_of(file));
  EXPECT_EQ(stored.metadata, (Metadata{{"format", "pt"}, {"\xc3\xa9\n", "\xf0\x9f\x98\x80"}}));
  ASSERT_EQ(stored.tensors.size(), 4u);
  EXPECT_EQ(stored.tensors[0].name, "b.weight");
  EXPECT_EQ(stored.tensors[0].tensor.shape, (std::vector<Index>{2, 1}));
  EXPECT_EQ(elements(*stored.find("b.weight")), (std::vector<double>{1, 2}));
  EXPECT_EQ(elements(*stored.find("a")), std::vector<double>{7});
  EXPECT_EQ(elements(*stored.find("first")), (std::vector<double>{1, 2, 3}));
  EXPECT_TRUE(elements(*stored.find("none")).empty());
  EXPECT_EQ(stored.find("c"), nullptr);
}

TEST(ParseSafetensors, NeedsNoMoreThanTheHeader) {
  const std::vector<float> a = {1, 2, 3, 4, 5, 6}, b = {7};
  const TensorToStore tensors[] = {{"a", {2, 3}, a, ElementType::float16}, {"b", {1}, b}};
  const std::vector<std::byte> whole = safetensors_bytes(tensors, {{"k", "v"}});
  const std::span<const std::byte> file(whole);
  const std::size_t begin = safetensors_begin(file.first(8), file.size());
  EXPECT_EQ(begin, file.size() - 12 - 4);
  const Safetensors header = parse_safetensors_header(file.first(begin), file.size());
  const Safetensors all = parse_safetensors(file);
  EXPECT_EQ(header.metadata, all.metadata);
  ASSERT_EQ(header.tensors.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(header.tensors[i].name, all.tensors[i].name);
    EXPECT_TRUE(header.tensors[i].tensor.bytes.empty());
    EXPECT_EQ(header.tensors[i].begin, begin + (i == 0 ? 0 : 12));
    EXPECT_EQ(all.tensors[i].tensor.bytes.data(), file.data() + header.tensors[i].begin);
  }
  // The size is the whole file's, however much is in memory.
  EXPECT_EQ(error_of([&] { safetensors_begin(file.first(7), file.size()); }),
            "parse_safetensors: begin: must be 8 bytes or more");
  EXPECT_NE(error_of([&] { safetensors_begin(file.first(8), begin - 1); }), "");
  EXPECT_NE(error_of([&] { parse_safetensors_header(file.first(begin - 1), file.size()); }), "");
  EXPECT_NE(error_of([&] { parse_safetensors_header(file.first(begin), file.size() - 1); }), "");
  EXPECT_NE(error_of([&] { parse_safetensors_header(file.first(begin), file.size() + 1); }), "");
}

TEST(ParseSafetensors, ReadsNoTensors) {
  EXPECT_TRUE(parse_safetensors(bytes_of(file_of("{}"))).tensors.empty());
}

TEST(ParseSafetensors, EveryBeginningOfAFileIsRefused) {
  const std::vector<float> values(6);
  const TensorToStore tensors[] = {{"a", {2, 3}, values}, {"b", {6}, values}};
  const std::vector<std::byte> whole = safetensors_bytes(tensors, {{"k", "v"}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(error_of([&] { parse_safetensors(std::span(whole).first(size)); }), "") << size;
  }
}

TEST(ParseSafetensors, RefusesHeadersBeyondTheEnd) {
  EXPECT_EQ(problem(""), "is no .safetensors file: it is only 0 bytes long");
  EXPECT_EQ(problem(std::string("\3\0\0\0\0\0\0\0{}", 10)),
            "byte 0: the header should be 3 bytes long, but only 2 follow");
  EXPECT_EQ(problem(std::string(8, '\xff') + "{}"),
            "byte 0: the header should be 18446744073709551615 bytes long, but only 2 follow");
  const std::string huge = file_of("{" + std::string(100'000'000, ' '));
  EXPECT_EQ(problem(huge),
            "byte 0: the header should be 100000001 bytes long, but at most "
            "100000000 are read");
}

TEST(ParseSafetensors, RefusesWhatIsNoObject) {
  EXPECT_EQ(header_problem(""), "byte 8: the header does not begin with {");
  EXPECT_EQ(header_problem(" {}"), "byte 8: the header does not begin with {");
  EXPECT_EQ(header_problem("{"), "byte 9: expected \"\\\"\", found the end of the header");
  EXPECT_EQ(header_problem("{} x"), "byte 11: something follows the object");
  EXPECT_EQ(header_problem("{'x':1}"), "byte 9: expected \"\\\"\", found \"'\"");
  EXPECT_EQ(header_problem("{\"x\" 1}"), "byte 13: expected \":\", found \"1\"");
  EXPECT_EQ(header_problem("{\"x\":1}"), "byte 13: expected \"{\", found \"1\"");
  EXPECT_EQ(header_problem("{\"__metadata__\":{},}"), "byte 27: expected \"\\\"\", found \"}\"");
}

TEST(ParseSafetensors, RefusesStringsThatAreNone) {
  EXPECT_EQ(header_problem("{\"x"), "byte 9: the string has no end");
  EXPECT_EQ(header_problem("{\"x\\"), "byte 12: the string has no end");
  EXPECT_EQ(header_problem("{\"a\tb\""), "byte 11: a control character inside a string");
  EXPECT_EQ(header_problem("{\"\\x\""), "byte 11: there is no escape \"\\\\x\"");
  EXPECT_EQ(header_problem("{\"\\u12g4\""), "byte 14: expected 4 hexadecimal digits after \\u");
  EXPECT_EQ(header_problem("{\"\\u12"), "byte 14: expected 4 hexadecimal digits after \\u");
  for (const std::string half : {"\\ud800", "\\udc00", "\\ud800\\u0041", "\\ud800x"}) {
    EXPECT_EQ(header_problem("{\"" + half + "\""), "byte 10: half of a surrogate pair") << half;
  }
  for (const std::string bad : {"\xff", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                                "\xf4\x90\x80\x80", "\xf0\x80\x80\x80", "\x80", "\xc3("}) {
    EXPECT_EQ(header_problem("{\"" + bad + "\""), "byte 10: the string is not UTF-8");
  }
}

TEST(ParseSafetensors, RefusesNamesThatRepeat) {
  const std::string x = R"("x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]})";
  EXPECT_EQ(header_problem("{" + x + "," + x + "}", "a"), "byte 61: the name \"x\" is duplicated");
  EXPECT_EQ(header_problem(R"({"__metadata__":{},"__metadata__":{}})"),
            "byte 27: the name \"__metadata__\" is duplicated");
  EXPECT_EQ(header_problem(R"({"__metadata__":{"a":"b","a":"b"}})"),
            "byte 33: the key \"a\" is duplicated");
  EXPECT_EQ(header_problem(R"({"__metadata__":{"a":1}})"),
            "byte 29: expected \"\\\"\", found \"1\"");
}

TEST(ParseSafetensors, RefusesWrongFields) {
  EXPECT_EQ(tensor_problem(""), "byte 13: tensor \"x\": \"dtype\" is missing");
  EXPECT_EQ(tensor_problem(R"("dtype":"F32","shape":[2])"),
            "byte 13: tensor \"x\": \"data_offsets\" is missing");
  EXPECT_EQ(tensor_problem(R"("dtype":"F32","dtype":"F32")"),
            "byte 28: tensor \"x\": \"dtype\" is duplicated");
  EXPECT_EQ(tensor_problem(R"("colour":"red")"), "byte 14: tensor \"x\": \"colour\" is not known");
  EXPECT_EQ(tensor_problem(R"("dtype":"F8_E4M3")"),
            "byte 22: tensor \"x\": element type \"F8_E4M3\" is not read");
  EXPECT_EQ(tensor_problem(R"("dtype":"f32")"),
            "byte 22: tensor \"x\": element type \"f32\" is not read");
  EXPECT_EQ(tensor_problem(R"("shape":[2,]})"), "byte 25: expected a whole number, found \"]\"");
  EXPECT_EQ(tensor_problem(R"("shape":[-2]})"), "byte 23: expected a whole number, found \"-\"");
  EXPECT_EQ(tensor_problem(R"("shape":[2e3]})"), "byte 24: expected \",\", found \"e\"");
}

TEST(ParseSafetensors, GivesTheOthersWhereOneTypeIsNotRead) {
  const auto tensor = [](const std::string& name, const std::string& type, int begin, int end) {
    return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":[4],\"data_offsets\":[" +
           std::to_string(begin) + "," + std::to_string(end) + "]}";
  };
  const auto header = [&](int end) {
    return "{" + tensor("scale", "F8_E8M0", 4, 8) + "," + tensor("a", "U8", 0, 4) + "," +
           tensor("complex", "C64", 8, end) + "}";
  };
  const std::string data = std::string("\1\2\3\4", 4) + std::string(36, '\0');
  const std::string file = file_of(header(40), data);
  std::vector<UnreadTensor> unread;
  const Safetensors stored = parse_safetensors(bytes_of(file), &unread);
  ASSERT_EQ(stored.tensors.size(), 1U);
  EXPECT_EQ(stored.tensors[0].name, "a");
  EXPECT_EQ(elements(stored.tensors[0].tensor), (std::vector<double>{1, 2, 3, 4}));
  ASSERT_EQ(unread.size(), 2U);
  EXPECT_EQ(unread[0].name, "scale");
  EXPECT_EQ(unread[0].problem, "element type \"F8_E8M0\" is not read");
  EXPECT_EQ(unread[1].name, "complex");
  EXPECT_EQ(unread[1].problem, "element type \"C64\" is not read");
  // The file is refused if the caller does not ask for unread tensors, and if their bytes do not
  // fit the others.
  EXPECT_EQ(problem(file), "byte 26: tensor \"scale\": element type \"F8_E8M0\" is not read");
  const std::string gap = file_of(header(36), data);
  EXPECT_EQ(error_of([&] { parse_safetensors(bytes_of(gap), &unread); }),
            "parse_safetensors: file: byte " + std::to_string(8 + header(36).size() + 36) +
                ": 4 bytes that belong to no tensor");
  EXPECT_EQ(unread.size(), 2U);
}

TEST(ParseSafetensors, RefusesOffsetsThatDoNotFit) {
  const auto offsets = [](const std::string& text, std::size_t data = 8) {
    return tensor_problem(R"("dtype":"F32","shape":[2],"data_offsets":)" + text, data);
  };
  const std::string where = "byte 13: tensor \"x\": ";
  EXPECT_EQ(offsets("[0]"), where + "data_offsets must be [begin, end], are [0]");
  EXPECT_EQ(offsets("[0,4,8]"), where + "data_offsets must be [begin, end], are [0, 4, 8]");
  EXPECT_EQ(offsets("[8,0]"), where + "data_offsets must be [begin, end], are [8, 0]");
  EXPECT_EQ(offsets("[0,7]"),
            where + "shape [2] of float32 takes 8 bytes, but data_offsets are [0, 7]");
  EXPECT_EQ(offsets("[0,9223372036854775808]"), "byte 58: the number is too large");
  EXPECT_EQ(offsets("[0,8]", 7), "byte 69: tensor \"x\" ends 1 bytes after the end of the file");
  EXPECT_EQ(offsets("[0,8]", 9), "byte 70: 1 bytes that belong to no tensor");
  EXPECT_EQ(offsets("[1,9]", 9), "byte 62: bytes that belong to no tensor, before tensor \"x\"");
}

TEST(ParseSafetensors, RefusesShapesTooLargeToAddress) {
  EXPECT_EQ(
      tensor_problem(R"("dtype":"F32","shape":[65536,65536,65536,65536],"data_offsets":[0,8])"),
      "byte 13: tensor \"x\": shape [65536, 65536, 65536, 65536] of float32 is too large to "
      "address");
}

TEST(ParseSafetensors, RefusesTensorsThatOverlap) {
  EXPECT_EQ(header_problem(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                           R"("b":{"dtype":"U8","shape":[4],"data_offsets":[3,7]}})",
                           std::string(7, '\0')),
            "byte 116: tensor \"b\" overlaps the one before it");
  EXPECT_EQ(header_problem(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                           R"("b":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})",
                           std::string(4, '\0')),
            "byte 113: tensor \"b\" overlaps the one before it");
}

TEST(ParseSafetensors, KeepsMessagesToALine) {
  const std::string name(100'000, 'n');
  const std::string message = header_problem("{\"" + name + "\\n\":{}}");
  EXPECT_LT(message.size(), 200u);
  EXPECT_NE(message.find("nnn\"..."), std::string::npos);
}

TEST(SafetensorsBytes, AreWhatTheFormatSays) {
  const std::vector<float> values = {1, 2, 3};
  const TensorToStore tensors[] = {{"a", {1}, std::span(values).first(1)},
                                   {"b\"", {2}, std::span(values).last(2)}};
  const std::vector<std::byte> file = safetensors_bytes(tensors, {{"k", "v\n"}});
  const std::string expected = file_of(
      R"({"__metadata__":{"k":"v\u000a"},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
      R"("b\"":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}}   )",
      std::string("\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40", 12));
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(file.data()), file.size()), expected);
}

TEST(SafetensorsBytes, AreRoundedToTheirType) {
  const std::vector<float> values = {1 + 0x1p-11f, -2};  // the first is a tie between halves
  const TensorToStore tensors[] = {{"a", {2}, values, ElementType::float16},
                                   {"b", {1, 1}, std::span(values).last(1), ElementType::bfloat16}};
  const std::vector<std::byte> file = safetensors_bytes(tensors);
  const std::string expected =
      file_of(R"({"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},)"
              R"("b":{"dtype":"BF16","shape":[1, 1],"data_offsets":[4,6]}} )",
              std::string("\0\x3c\0\xc0\0\xc0", 6));
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(file.data()), file.size()), expected);
}

TEST(SafetensorsBytes, ComeBack) {
  const std::vector<float> values = {1.5f, -2, HUGE_VALF, 0, 1e-40f, 3};
  const std::string name = "\xf0\x9f\x98\x80 \"\\\x01";
  const TensorToStore tensors[] = {
      {name, {2, 3}, values}, {"none", {0, 5}, {}}, {"", {}, std::span(values).first(1)}};
  const Metadata metadata = {{"", ""}, {"\\\"", "\x7f\n"}};
  const std::vector<std::byte> file = safetensors_bytes(tensors, metadata);
  const Safetensors stored = parse_safetensors(file);
  EXPECT_EQ(stored.metadata, metadata);
  ASSERT_EQ(stored.tensors.size(), 3u);
  for (std::size_t n = 0; n < 3; ++n) {
    EXPECT_EQ(stored.tensors[n].name, tensors[n].name);
    EXPECT_EQ(stored.tensors[n].tensor.shape, tensors[n].shape);
    EXPECT_EQ(elements(stored.tensors[n].tensor),
              std::vector<double>(tensors[n].elements.begin(), tensors[n].elements.end()));
  }
}

TEST(SafetensorsBytes, RejectsWhatCannotBe) {
  const std::vector<float> values(6);
  const auto refused = [&](std::vector<TensorToStore> tensors, const Metadata& metadata = {}) {
    return error_of([&] { safetensors_bytes(tensors, metadata); });
  };
  EXPECT_EQ(refused({{"a", {6}, values}, {"a", {6}, values}}),
            "safetensors_header: tensors: the name \"a\" repeats, is reserved or is not UTF-8");
  EXPECT_NE(refused({{"__metadata__", {6}, values}}), "");
  EXPECT_NE(refused({{"\xff", {6}, values}}), "");
  EXPECT_EQ(refused({{"a", {5}, values}}),
            "safetensors_header: tensors: \"a\": 6 elements do not fit shape [5]");
  EXPECT_NE(refused({{"a", {-2, -3}, values}}), "");
  EXPECT_EQ(refused({{"a", {6}, values, ElementType::int8}}),
            "safetensors_header: type: must be float32, float16 or bfloat16, is int8");
  EXPECT_NE(refused({}, {{"a", "\xff"}}), "");
}

}  // namespace
}  // namespace tril
