// .npy files: NumPy's own (tests/golden/make_files.py), every malformation, and a round trip.
#include <gtest/gtest.h>
#include <tril/files/file.h>
#include <tril/files/npy.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare.h"
#include "core/golden.h"

namespace tril {
namespace {

using testing::error_of;

std::vector<std::byte> golden_file(const std::string& name) {
  return read_file(std::string(testing::kGoldenFolder) + "/files/" + name + ".npy");
}

std::vector<double> elements(const StoredTensor& tensor) {
  std::vector<double> out(static_cast<std::size_t>(tensor.count()));
  read_elements(tensor, std::span<double>(out));
  return out;
}

// The numbers that make_files.py stores with this type.
std::vector<double> stored_elements(char kind) {
  std::vector<double> expected;
  for (int n = 0; n < 24; ++n) {
    expected.push_back(kind == 'b'   ? n % 3 == 0
                       : kind == 'u' ? n
                       : kind == 'i' ? n - 12
                                     : (n - 12) / 4.0);
  }
  return expected;
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// A file of version 1.0 with this header and this many bytes of data.
std::string file_of(const std::string& header, std::size_t data) {
  std::string file = "\x93NUMPY";
  file +=
      {'\1', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  return file + header + std::string(data, '\0');
}

std::string problem(const std::string& file) {
  const std::string message = error_of([&] { parse_npy(bytes_of(file)); });
  EXPECT_EQ(message.find('\n'), std::string::npos);
  const std::string begin = "parse_npy: file: ";
  EXPECT_TRUE(message.starts_with(begin)) << message;
  return message.substr(begin.size());
}

std::string header_problem(const std::string& header, std::size_t data = 24) {
  return problem(file_of(header, data));
}

TEST(ParseNpy, EveryTypeInEitherOrder) {
  for (const std::string code :
       {"b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"}) {
    for (const std::string order : {"_little", "_big_fortran"}) {
      SCOPED_TRACE(code + order);
      const std::vector<std::byte> file = golden_file(code + order);
      const StoredTensor tensor = parse_npy(file);
      EXPECT_EQ(tensor.shape, (std::vector<Index>{2, 3, 4}));
      EXPECT_EQ(element_size(tensor.type), static_cast<std::size_t>(code[1] - '0'));
      EXPECT_EQ(tensor.column_major, order != "_little");
      EXPECT_EQ(tensor.big_endian, order != "_little" && code[1] != '1');
      EXPECT_EQ(elements(tensor), stored_elements(code[0]));
    }
  }
}

TEST(ParseNpy, EveryVersion) {
  for (const std::string version : {"f4_little", "f4_version_2", "f4_version_3"}) {
    EXPECT_EQ(elements(parse_npy(golden_file(version))), stored_elements('f')) << version;
  }
}

TEST(ParseNpy, EveryRank) {
  const std::vector<std::byte> vector = golden_file("f4_vector"), scalar = golden_file("f4_scalar"),
                               none = golden_file("f4_none");
  EXPECT_EQ(parse_npy(vector).shape, std::vector<Index>{24});
  EXPECT_EQ(elements(parse_npy(scalar)), std::vector<double>{-2.75});
  EXPECT_TRUE(parse_npy(scalar).shape.empty());
  EXPECT_EQ(parse_npy(none).shape, (std::vector<Index>{2, 0, 3}));
  EXPECT_TRUE(elements(parse_npy(none)).empty());
}

TEST(ParseNpy, HeadersThatOthersWrite) {
  for (const std::string header :
       {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n",
        "{\"shape\":(2,3),\"descr\":\"<f4\",\"fortran_order\":False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L)}  \n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3,)}"}) {
    const std::string file = file_of(header, 24);
    EXPECT_EQ(parse_npy(bytes_of(file)).shape, (std::vector<Index>{2, 3})) << header;
  }
}

// One element of each type, by the names that NumPy's dtype() reads.
TEST(ParseNpy, EveryNameOfAType) {
  const auto parsed = [](const std::string& code, std::size_t size) {
    const std::string file =
        file_of("{'descr': '" + code + "', 'fortran_order': False, 'shape': (1,), }\n", size);
    return parse_npy(bytes_of(file));
  };
  for (const std::string code : {"=f4", "|f4", "f4", "f", "=f", "float32"}) {
    const StoredTensor tensor = parsed(code, 4);
    EXPECT_EQ(tensor.type, ElementType::float32) << code;
    EXPECT_FALSE(tensor.big_endian) << code;
  }
  for (const std::string code : {"?", "|?", "=?", "b1", "<b1", "bool"}) {
    EXPECT_EQ(parsed(code, 1).type, ElementType::boolean) << code;
  }
  EXPECT_EQ(parsed("b", 1).type, ElementType::int8);
  EXPECT_EQ(parsed("B", 1).type, ElementType::uint8);
  EXPECT_EQ(parsed("int16", 2).type, ElementType::int16);
  EXPECT_EQ(parsed("Q", 8).type, ElementType::uint64);
  EXPECT_EQ(parsed("e", 2).type, ElementType::float16);
  EXPECT_EQ(parsed("=d", 8).type, ElementType::float64);
  EXPECT_TRUE(parsed(">d", 8).big_endian);
  EXPECT_TRUE(parsed(">f4", 4).big_endian);
}

TEST(ParseNpyArrays, OneAfterTheOther) {
  // Several arrays in one file, as after several calls of numpy.save.
  const std::vector<std::byte> a = golden_file("f4_little"), b = golden_file("f4_none"),
                               c = golden_file("u2_big_fortran");
  std::vector<std::byte> file;
  for (const auto* each : {&a, &b, &c, &b}) file.insert(file.end(), each->begin(), each->end());
  const std::vector<StoredTensor> arrays = parse_npy_arrays(file);
  ASSERT_EQ(arrays.size(), 4u);
  EXPECT_EQ(elements(arrays[0]), stored_elements('f'));
  EXPECT_EQ(arrays[1].shape, (std::vector<Index>{2, 0, 3}));
  EXPECT_EQ(elements(arrays[2]), stored_elements('u'));
  EXPECT_EQ(parse_npy_arrays(a).size(), 1u);
  EXPECT_EQ(error_of([&] { parse_npy(file); }), "parse_npy: file: holds 4 arrays, not one");
  // Cut anywhere but between two arrays the file is refused, with the position in the whole file.
  const std::size_t ends[] = {a.size(), a.size() + b.size(), a.size() + b.size() + c.size()};
  for (std::size_t size = 1; size < file.size(); ++size) {
    const auto cut = std::span(file).first(size);
    if (std::ranges::find(ends, size) == std::end(ends)) {
      EXPECT_NE(error_of([&] { parse_npy_arrays(cut); }), "") << size;
    } else {
      EXPECT_LT(parse_npy_arrays(cut).size(), 4u) << size;
    }
  }
  EXPECT_EQ(error_of([&] { parse_npy_arrays(std::span(file).first(a.size() + 9)); }),
            "parse_npy: file: byte " + std::to_string(a.size() + 9) + ": ends within the header");
  file.push_back(std::byte{'x'});
  EXPECT_NE(error_of([&] { parse_npy_arrays(file); }), "");
}

TEST(ParseNpy, EveryBeginningOfAFileIsRefused) {
  const std::vector<std::byte> whole = golden_file("f4_little");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(error_of([&] { parse_npy(std::span(whole).first(size)); }), "") << size;
  }
}

TEST(ParseNpy, RefusesOtherFiles) {
  EXPECT_EQ(problem(""), "is empty");
  EXPECT_EQ(problem("PK\3\4 and so on"), "is no .npy file: it does not begin with \\x93NUMPY");
  EXPECT_EQ(problem("\x93NUMP"), "is no .npy file: it does not begin with \\x93NUMPY");
  EXPECT_EQ(problem("\x93NUMPY\1"), "byte 7: ends within the header");
  EXPECT_EQ(problem(std::string("\x93NUMPY\2\0\1\0", 10)), "byte 10: ends within the header");
  EXPECT_EQ(problem(std::string("\x93NUMPY\4\0\0\0\0\0", 12)),
            "byte 6: version 4.0 of the format is not known; 1.0, 2.0 and 3.0 are");
  EXPECT_EQ(problem(std::string("\x93NUMPY\1\7\0\0\0\0", 12)),
            "byte 6: version 1.7 of the format is not known; 1.0, 2.0 and 3.0 are");
}

TEST(ParseNpy, RefusesAHeaderBeyondTheEnd) {
  EXPECT_EQ(problem(std::string("\x93NUMPY\1\0\5\0{}", 12)),
            "byte 8: the header should be 5 bytes long, but only 2 follow");
  EXPECT_EQ(problem(std::string("\x93NUMPY\2\0\377\377\377\377{}", 14)),
            "byte 8: the header should be 4294967295 bytes long, but only 2 follow");
}

TEST(ParseNpy, RefusesWhatIsNoDictionary) {
  EXPECT_EQ(header_problem(""), "byte 10: expected \"{\", found the end of the header");
  EXPECT_EQ(header_problem("[]"), "byte 10: expected \"{\", found \"[\"");
  EXPECT_EQ(header_problem("{'descr'"), "byte 18: expected \":\", found the end of the header");
  EXPECT_EQ(header_problem("{'descr: "), "byte 11: the string has no end");
  EXPECT_EQ(header_problem("{descr: 1}"), "byte 11: expected a string, found \"d\"");
  EXPECT_EQ(header_problem("{'fortran_order': False 'shape'"),
            "byte 34: expected \",\", found \"'\"");
  EXPECT_EQ(header_problem("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x"),
            "byte 68: something follows the dictionary");
}

TEST(ParseNpy, RefusesWrongKeys) {
  EXPECT_EQ(header_problem("{}"), "byte 12: the key \"descr\" is missing");
  EXPECT_EQ(header_problem("{'descr': '<f4', 'fortran_order': False}"),
            "byte 50: the key \"shape\" is missing");
  EXPECT_EQ(header_problem("{'colour': 3}"), "byte 11: the key \"colour\" is not known");
  EXPECT_EQ(header_problem("{'descr': '<f4', 'descr': '<f4'}"), "byte 27: \"descr\" is duplicated");
  EXPECT_EQ(header_problem("{'a\nb\x1b[31m': 3}"),
            "byte 11: the key \"a\\u000ab\\u001b[31m\" is not known");
}

TEST(ParseNpy, RefusesTypesThatAreNoNumbers) {
  const auto type = [](const std::string& code) { return header_problem("{'descr': " + code); };
  EXPECT_EQ(type("'|O'"), "byte 20: element type \"|O\": Python objects are never read");
  EXPECT_EQ(type("[('x', '<f4')]"), "byte 20: arrays of structures are not read");
  for (const std::string code :
       {"<c8", "<U4", "|S3", "<M8[ns]", "<f16", "", "<", "=", "<f4 ", "<l", "|V2", "!f4", "<i3"}) {
    EXPECT_EQ(type("'" + code + "'"), "byte 20: element type \"" + code +
                                          "\" is not read; bool, integers and float16 to float64 "
                                          "are");
  }
  EXPECT_EQ(type("4"), "byte 20: expected a string, found \"4\"");
}

TEST(ParseNpy, RefusesAnOrderThatIsNone) {
  EXPECT_EQ(header_problem("{'fortran_order': 0}"), "byte 28: expected True or False");
  EXPECT_EQ(header_problem("{'fortran_order': Falsey}"), "byte 33: expected \",\", found \"y\"");
}

TEST(ParseNpy, RefusesShapesThatAreNone) {
  const auto shape = [](const std::string& text) { return header_problem("{'shape': " + text); };
  EXPECT_EQ(shape("3}"), "byte 20: expected \"(\", found \"3\"");
  EXPECT_EQ(shape("(3)}"), "byte 23: expected a comma in a tuple of one number");
  EXPECT_EQ(shape("(-1,)}"), "byte 21: expected a whole number, found \"-\"");
  EXPECT_EQ(shape("(2.5,)}"), "byte 22: expected \",\", found \".\"");
  EXPECT_EQ(shape("(03,)}"), "byte 21: the number begins with a 0");
  EXPECT_EQ(shape("(99999999999999999999,)}"), "byte 21: the number is too large");
  EXPECT_EQ(shape("(,)}"), "byte 21: expected a whole number, found \",\"");
  EXPECT_EQ(shape("(1, 2"), "byte 25: expected \",\", found the end of the header");
  std::string many = "(";
  for (int n = 0; n < 65; ++n) many += "1, ";
  EXPECT_EQ(shape(many + ")}"), "byte 213: more than 64 axes");
}

TEST(ParseNpy, RefusesSizesBeforeMemoryIsTaken) {
  const auto sized = [](const std::string& shape, std::size_t data) {
    return header_problem("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}", data);
  };
  const std::string quarter = std::to_string(std::numeric_limits<Index>::max() / 4 + 1);
  EXPECT_EQ(sized("(" + quarter + ",)", 0),
            "byte 60: shape [" + quarter + "] of float32 is too large to address");
  EXPECT_EQ(sized("(65536, 65536, 65536, 65536)", 0),
            "byte 60: shape [65536, 65536, 65536, 65536] of float32 is too large to address");
  EXPECT_EQ(sized("(500000000,)", 4),
            "byte 73: shape [500000000] of float32 takes 2000000000 bytes, but 4 follow");
  EXPECT_EQ(sized("(2, 3)", 23), "byte 67: shape [2, 3] of float32 takes 24 bytes, but 23 follow");
  EXPECT_EQ(sized("(2, 3)", 25), "byte 67: shape [2, 3] of float32 takes 24 bytes, but 25 follow");
}

TEST(NpyBytes, AreThoseOfNumPy) {
  std::vector<float> values(24);
  for (std::size_t n = 0; n < values.size(); ++n) values[n] = (static_cast<float>(n) - 12) / 4;
  EXPECT_EQ(npy_bytes(std::vector<Index>{2, 3, 4}, values), golden_file("f4_little"));
  EXPECT_EQ(npy_bytes(std::vector<Index>{24}, values), golden_file("f4_vector"));
  EXPECT_EQ(npy_bytes({}, std::vector<float>{-2.75f}), golden_file("f4_scalar"));
  EXPECT_EQ(npy_bytes(std::vector<Index>{2, 0, 3}, {}), golden_file("f4_none"));
  EXPECT_EQ(npy_bytes(std::vector<Index>{2, 3, 4}, values, ElementType::float16),
            golden_file("f2_little"));
}

TEST(NpyBytes, ComeBack) {
  // Headers of every length around the next multiple of 64.
  for (Index rank = 0; rank <= 64; ++rank) {
    const std::vector<Index> shape(static_cast<std::size_t>(rank), 1);
    const std::vector<std::byte> file = npy_bytes(shape, std::vector<float>{0.5f});
    EXPECT_EQ(file.size() % 64, 4u);
    EXPECT_EQ(parse_npy(file).shape, shape);
    EXPECT_EQ(elements(parse_npy(file)), std::vector<double>{0.5});
  }
}

TEST(NpyBytes, RejectsWhatCannotBe) {
  EXPECT_EQ(error_of([] {
              npy_bytes(std::vector<Index>{2, 3}, std::vector<float>(5));
            }),
            "npy_bytes: elements: 5 elements do not fit shape [2, 3]");
  EXPECT_EQ(error_of([] {
              npy_header(std::vector<Index>{3, -1});
            }),
            "npy_header: shape: [3, -1] of float32 is too large to address or negative");
  EXPECT_EQ(error_of([] {
              npy_bytes(std::vector<Index>{2, 3}, std::vector<float>(3), ElementType::float16);
            }),
            "npy_bytes: elements: 3 elements do not fit shape [2, 3]");
  EXPECT_EQ(error_of([] { npy_header(std::vector<Index>{3}, ElementType::bfloat16); }),
            "npy_header: type: of a .npy file must be float32, float16 or int32, is bfloat16");
  EXPECT_EQ(error_of([] { npy_header(std::vector<Index>(65, 1)); }),
            "npy_header: shape: has more than 64 axes");
}

}  // namespace
}  // namespace tril
