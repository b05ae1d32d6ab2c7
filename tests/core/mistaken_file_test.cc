// Files of a wrong kind, recognised by their first bytes; and files that only begin like one.
#include <gtest/gtest.h>
#include <tril/files/mistaken_file.h>
#include <tril/files/npy.h>
#include <tril/files/safetensors.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "core/compare.h"

namespace tril {
namespace {

using namespace std::string_view_literals;
using testing::error_of;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// The beginning of a .zip archive whose first file has this name.
std::string archive(std::string_view name) {
  std::string begin("PK\3\4");
  begin.resize(26, '\0');
  begin += {static_cast<char>(name.size()), '\0', '\0', '\0'};
  return begin + std::string(name) + "its data";
}

TEST(KnownFile, SaysWhatItIs) {
  struct Case {
    std::string begin;
    std::string_view part;
  };
  const Case cases[] = {{"\x80\2}q\1.", "pickle"},
                        {"\x80\4\x95\x10", "safetensors.torch.save_file"},
                        {archive("archive/data.pkl"), "PyTorch"},
                        {archive("model/data.pkl"), "PyTorch"},
                        {archive("metadata.json"), ".keras"},
                        {archive("[Content_Types].xml"), ".xlsx"},
                        {std::string("GGUF\3\0\0\0", 8), ".gguf"},
                        {"\x89HDF\r\n\x1a\n", "HDF5"},
                        {"MATLAB 5.0 MAT-file, Platform: GLNXA64", "MATLAB"},
                        {std::string("\x1c\0\0\0TFL3", 8), "TensorFlow Lite"},
                        {"\x08\x07\x12\x07pytorch", "ONNX"},
                        {"\x1f\x8b\x08", "gzip"},
                        {"BZh91AY&SY", "bzip2"},
                        {std::string("\xfd\x37zXZ\0", 6), "xz"},
                        {"\x28\xb5\x2f\xfd", "Zstandard"},
                        {"PAR1\x15", "Parquet"},
                        {std::string(257, 'a') + std::string("ustar\0", 6), ".tar"},
                        {"\xff\xfe\x31", "UTF-16"},
                        {"version https://git-lfs.github.com/spec/v1", "git lfs pull"},
                        {"\xef\xbb\xbf <!DOCTYPE html>", "web page"},
                        {"<HTML>", "web page"}};
  for (const Case& file : cases) {
    const std::string& begin = file.begin;
    EXPECT_NE(detail::known_file(begin).find(file.part), std::string_view::npos) << begin;
    EXPECT_NE(error_of([&] { detail::refuse_mistaken_file("call", "file", begin); }), "");
    // The readers of arrays and tensors report it, too.
    for (const std::string& error : {error_of([&] { parse_npy(bytes_of(begin)); }), error_of([&] {
                                       parse_safetensors(bytes_of(begin + std::string(16, '\0')));
                                     })}) {
      EXPECT_NE(error.find(file.part), std::string::npos) << error;
    }
  }
}

TEST(KnownFile, IsNothingThatCouldBeRight) {
  for (const std::string_view begin :
       {""sv, "P"sv, "PK\3\4"sv, "{\"a\": 1}"sv, "1,2\n3,4"sv, "GGUF,b\n1,2"sv, "PAR1,b\n1,2"sv,
        "the 0.1 0.2"sv, "1 1\nTFL3 2"sv, "\x80"sv, "\x08\x07"sv, "[[1, 2]]"sv}) {
    EXPECT_EQ(detail::known_file(begin), "") << begin;
  }
  EXPECT_EQ(detail::known_file(archive("q.npy")), "");
  // A .zip archive is refused where it is not expected.
  EXPECT_EQ(error_of([] { detail::refuse_mistaken_file("call", "file", archive("q.npy")); }),
            "call: file: is a .zip archive: unpack it first");
  detail::refuse_mistaken_file("call", "file", "{}");
}

// A length may have any bytes: 640 begins like a pickle, 35615 like gzip.
TEST(KnownFile, IsNoSafetensorsFile) {
  for (const std::uint64_t length : {640u, 35615u}) {
    std::string header = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
    header.resize(static_cast<std::size_t>(length), ' ');
    std::string file(8, '\0');
    for (std::size_t i = 0; i < 8; ++i) file[i] = static_cast<char>(length >> (8 * i) & 0xff);
    file += header + std::string(4, '\0');
    EXPECT_NE(detail::known_file(file), "");
    EXPECT_EQ(parse_safetensors(bytes_of(file)).tensors.size(), 1u);
    EXPECT_EQ(safetensors_begin(bytes_of(file).first(8), file.size()), 8 + length);
  }
}

// Fewer bytes than those of a length suffice to recognise a file.
TEST(ParseSafetensors, SaysWhatAShortFileIs) {
  const auto problem = [](std::string_view file) {
    return error_of([&] { parse_safetensors(bytes_of(file)); });
  };
  EXPECT_NE(problem("\x80\2\x8a\n").find("is a pickle"), std::string::npos);
  EXPECT_EQ(problem("abc"),
            "parse_safetensors: file: is no .safetensors file: it is only 3 bytes long");
}

TEST(ParseSafetensors, SaysWhereItIsText) {
  EXPECT_EQ(error_of([] { parse_safetensors(bytes_of("the 0.418 0.24968 -0.41242\n")); }),
            "parse_safetensors: file: is no .safetensors file: it begins with the text "
            "\"the 0.41\"");
}

}  // namespace
}  // namespace tril
