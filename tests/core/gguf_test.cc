// GGUF files: their contents, and wrong files.
#include <gtest/gtest.h>
#include <tril/files/gguf.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare.h"
#include "core/gguf_writer.h"

namespace tril {
namespace {

using testing::error_of;
using testing::GgufWriter;
using testing::little;
using testing::sized;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
Gguf parsed(const std::string& file) { return parse_gguf_header(bytes_of(file), file.size()); }
// The error message without the call.
std::string refused(const std::string& file) {
  const std::string message = error_of([&] { parsed(file); });
  EXPECT_TRUE(message.starts_with("parse_gguf: ")) << message;
  EXPECT_EQ(message.find('\n'), message.npos);
  return message.substr(12);
}

GgufWriter small(std::size_t alignment = 32) {
  GgufWriter writer;
  writer.alignment = alignment;
  writer.text("general.architecture", "llama");
  writer.u32("a", 7);
  writer.f32("b", 1e-5);
  writer.flag("c", true);
  writer.texts("d", {"x", "", "yz"});
  writer.numbers<float>("e", testing::kF32, {0.5f, -2});
  writer.value("f", testing::kI8, "\xff");
  writer.numbers<std::int32_t>("g", testing::kI32, {});
  const std::vector<float> six = {1, 2, 3, 4, 5, 6};
  writer.floats("m", {2, 3}, testing::kTensorF32, six);
  writer.floats("h", {3}, testing::kTensorF16, std::span(six).first(3));
  std::vector<float> many(64);
  for (std::size_t n = 0; n < many.size(); ++n) many[n] = static_cast<float>(n) - 20;
  writer.floats("q", {2, 32}, testing::kTensorQ8, many);
  writer.floats("w", {6}, testing::kTensorBf16, six);
  return writer;
}

TEST(Gguf, ValuesAndTensorsAreRead) {
  for (const std::size_t alignment : {1, 8, 32, 48, 4096}) {
    SCOPED_TRACE(alignment);
    const std::string file = small(alignment).file();
    ASSERT_TRUE(is_gguf(bytes_of(file)));
    const Gguf gguf = parsed(file);
    EXPECT_EQ(gguf.text("general.architecture"), "llama");
    EXPECT_EQ(gguf.integer("a"), 7);
    EXPECT_EQ(gguf.number("b"), 1e-5);
    EXPECT_TRUE(gguf.boolean("c"));
    EXPECT_EQ(gguf.number("f"), -1);
    EXPECT_EQ(gguf.integer("z", 3), 3);
    EXPECT_EQ(gguf.text("z", "k"), "k");
    EXPECT_TRUE(gguf.boolean("z", true));
    const std::vector<GgufText> texts = gguf.texts("d");
    ASSERT_EQ(texts.size(), 3u);
    EXPECT_EQ(texts[0].text, "x");
    EXPECT_EQ(texts[2].text, "yz");
    EXPECT_EQ(file.substr(texts[2].begin, 2), "yz");
    EXPECT_EQ(gguf.numbers("e"), (std::vector<double>{0.5, -2}));
    EXPECT_TRUE(gguf.numbers("g").empty());
    EXPECT_TRUE(gguf.texts("z").empty());
    ASSERT_EQ(gguf.tensors.size(), 4u);
    const auto floats = [&](std::size_t n) {
      StoredTensor tensor = gguf.tensors[n].tensor;
      tensor.bytes =
          bytes_of(file).subspan(gguf.tensors[n].begin, *stored_bytes(tensor.shape, tensor.type));
      std::vector<float> out(static_cast<std::size_t>(tensor.count()));
      read_elements(tensor, std::span(out));
      return out;
    };
    EXPECT_EQ(gguf.tensors[0].tensor.shape, (std::vector<Index>{2, 3}));
    EXPECT_EQ(floats(0), (std::vector<float>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(floats(1), (std::vector<float>{1, 2, 3}));
    EXPECT_EQ(floats(3), (std::vector<float>{1, 2, 3, 4, 5, 6}));
    const std::vector<float> blocks = floats(2);
    ASSERT_EQ(blocks.size(), 64u);
    for (std::size_t n = 0; n < 64; ++n) {
      EXPECT_NEAR(blocks[n], static_cast<float>(n) - 20, n < 32 ? 0.09f : 0.19f);
    }
    EXPECT_EQ(gguf.find("h")->type, ElementType::float16);
    EXPECT_EQ(gguf.find("x"), nullptr);
  }
}

// By the definition: a half, then 32 int8 that it scales.
TEST(Gguf, BlocksAreScaledBytes) {
  std::string block("\x00\x38", 2);  // 0.5
  for (int n = 0; n < 32; ++n) block += static_cast<char>(4 * n - 64);
  StoredTensor tensor{.type = ElementType::q8_0, .shape = {1, 32}};
  tensor.bytes = bytes_of(block);
  EXPECT_EQ(tensor.count(), 32);
  std::vector<float> out(32);
  read_elements(tensor, std::span(out));
  for (int n = 0; n < 32; ++n) EXPECT_EQ(out[static_cast<std::size_t>(n)], 2.0f * n - 32);
  const auto bytes = [](std::vector<Index> shape) {
    return stored_bytes(shape, ElementType::q8_0);
  };
  EXPECT_EQ(bytes({3, 64}), 3u * 2 * 34);
  EXPECT_EQ(bytes({0, 64}), 0u);
  EXPECT_FALSE(bytes({64, 3}));
  EXPECT_FALSE(bytes({}));
  EXPECT_FALSE(bytes({std::numeric_limits<Index>::max(), 32}));
}

// The header is the same for any amount of bytes at first.
TEST(Gguf, HeaderIsReadPieceByPiece) {
  for (const std::size_t alignment : {1, 32}) {
    const std::string file = small(alignment).file();
    const std::size_t begin = gguf_begin(bytes_of(file), file.size());
    const Gguf whole = parsed(file);
    EXPECT_EQ(whole.tensors[0].begin, begin);
    for (std::size_t size = 4; size <= begin; ++size) {
      std::size_t have = size, steps = 0;
      while (true) {
        const std::size_t next = gguf_begin(bytes_of(file).first(have), file.size());
        if (next <= have || next == begin) break;
        ASSERT_GT(next, have);
        have = std::min(next, file.size());
        ASSERT_LT(++steps, 20u);
      }
    }
    EXPECT_NE(error_of([&] {
                parse_gguf_header(bytes_of(file).first(20), file.size());
              }).find("parse_gguf: begin: must be "),
              std::string::npos);
  }
}

TEST(Gguf, CutShortAtAnyByteIsRefused) {
  const std::string file = small().file();
  const std::size_t begin = parsed(file).tensors[0].begin;
  for (std::size_t size = 0; size < file.size(); ++size) {
    const std::string cut = file.substr(0, size);
    const std::string message = refused(cut);
    EXPECT_TRUE(message.starts_with("file: ")) << size << message;
    EXPECT_EQ(error_of([&] { gguf_begin(bytes_of(cut), size); }), "parse_gguf: " + message);
  }
  EXPECT_EQ(refused(file.substr(0, 10)),
            "file: byte 8: a count of 1 elements should follow, but only 2 bytes do");
  EXPECT_EQ(refused(file.substr(0, begin + 10)),
            "file: tensor \"m\": 24 bytes at offset 0 of the data do not fit its 10");
  EXPECT_EQ(parsed(file).tensors.size(), 4u);
}

// Nothing follows the names, not even padding: a tensor without elements is at the end of the file.
TEST(Gguf, TensorsWithoutElementsNeedNoData) {
  GgufWriter writer;
  writer.alignment = 4096;
  writer.tensor("t", {0, 3}, testing::kTensorF32, "");
  const std::string padded = writer.file();
  const std::size_t begin = parsed(padded).tensors[0].begin;
  // The axis of 3 is followed by one of 0, the type and the offset, which are also 0.
  const std::size_t names = padded.find_last_not_of('\0') + 28;
  for (std::size_t size = names; size < begin; ++size) {
    const std::string file = padded.substr(0, size);
    const Gguf gguf = parsed(file);
    ASSERT_EQ(gguf.tensors.size(), 1u);
    EXPECT_EQ(gguf.tensors[0].begin, size);
    EXPECT_EQ(gguf_begin(bytes_of(file), size), size);
  }
}

// Replaces every byte of the header in turn: the file is refused or read, within its bounds.
TEST(Gguf, ChangedBytesAreRefusedOrRead) {
  const std::string file = small().file();
  const std::size_t begin = parsed(file).tensors[0].begin;
  for (std::size_t at = 0; at < begin; ++at) {
    for (const char byte : {'\0', '\1', '\x7f', '\xff', '\x80'}) {
      std::string changed = file;
      changed[at] = byte;
      try {
        for (const NamedTensor& each : parsed(changed).tensors) {
          EXPECT_LE(each.begin + *stored_bytes(each.tensor.shape, each.tensor.type), file.size());
        }
      } catch (const Error&) {
      }
    }
  }
}

TEST(Gguf, CountsBeyondTheFileAreRefused) {
  constexpr std::uint64_t kMany = std::uint64_t{1} << 60;
  const GgufWriter writer = small();
  EXPECT_NE(refused(writer.file(kMany, 8)), "");
  EXPECT_NE(refused(writer.file(4, kMany)), "");
  const auto with = [](std::uint32_t kind, const std::string& value) {
    GgufWriter one;
    one.value("k", kind, value);
    return refused(one.file());
  };
  const std::string list = little<std::uint32_t>(testing::kU8);
  EXPECT_EQ(with(testing::kText, little<std::uint64_t>(std::uint64_t{1} << 63) + "a"),
            "file: byte 45: a text of 9223372036854775808 bytes should follow, but only 19 bytes "
            "do");
  EXPECT_EQ(with(testing::kList, little<std::uint32_t>(testing::kF32) + little(kMany)),
            "file: byte 49: a list of 1152921504606846976 elements should follow, but only 15 "
            "bytes do");
  EXPECT_NE(
      with(testing::kList, little<std::uint32_t>(testing::kText) + little(kMany)).find("a text"),
      std::string::npos);
  EXPECT_EQ(with(testing::kList, little<std::uint32_t>(testing::kList) + little(kMany)),
            "file: byte 49: key \"k\": lists of lists are not read");
  EXPECT_EQ(with(77, "abc"), "file: byte 33: key \"k\": type 77 is not known");
  GgufWriter named;
  named.value(std::string(40, 'k'), testing::kU8, "a");
  EXPECT_EQ(parsed(named.file()).integer(std::string(40, 'k')), 'a');
}

TEST(Gguf, TensorsThatCannotBeAreRefused) {
  const auto with = [](const auto& add) {
    GgufWriter writer = small();
    add(writer);
    return refused(writer.file());
  };
  const auto problem = [&](const auto& add) {
    const std::string message = with(add);
    return message.substr(message.find("tensor \"t\": ") + 12);
  };
  using Shape = std::vector<Index>;
  const auto at = [&](Shape shape, std::uint32_t type, std::uint64_t offset) {
    return problem([&](GgufWriter& writer) { writer.tensor_at("t", shape, type, offset); });
  };
  EXPECT_EQ(at({8}, 12, 0), "type Q4_K is not read; there are F32, F16, BF16 and Q8_0");
  EXPECT_EQ(at({8}, 99, 0), "type 99 is not read; there are F32, F16, BF16 and Q8_0");
  EXPECT_EQ(at({8, 33}, 8, 0), "no tensor of Q8_0 can have shape [8, 33]");
  constexpr Index most = std::numeric_limits<Index>::max();
  EXPECT_EQ(at({most}, 0, 0), "no tensor of F32 can have shape [" + std::to_string(most) + "]");
  EXPECT_EQ(at({-1}, 0, 0),
            "an axis of 18446744073709551615, but at most " + std::to_string(most) + " is read");
  EXPECT_EQ(at({1, 1, 1, 1, 1}, 0, 0), "5 axes, but at most 4 are read");
  EXPECT_EQ(at({1}, 0, 5), "offset 5 is no multiple of 32");
  EXPECT_NE(at({1}, 0, 0).find("overlaps the one before it"), std::string::npos);
  EXPECT_EQ(at({1}, 0, std::uint64_t{1} << 62).substr(0, 43),
            "4 bytes at offset 4611686018427387904 of th");
  EXPECT_NE(at({most / 8}, 0, 0).find("do not fit"), std::string::npos);
  EXPECT_NE(with([](GgufWriter& writer) {
              writer.tensor_at("m", {1}, 0, 1024);
            }).find("the name \"m\" is duplicated"),
            std::string::npos);
  EXPECT_NE(
      with([](GgufWriter& writer) { writer.u32("a", 1); }).find("the name \"a\" is duplicated"),
      std::string::npos);
  EXPECT_EQ(with([](GgufWriter& writer) { writer.u32("general.alignment", 0); }),
            "general.alignment: must be from 1 to 1073741824, is 0");
  EXPECT_EQ(with([](GgufWriter& writer) { writer.text("general.alignment", "32"); }),
            "general.alignment: must be a number");
}

TEST(Gguf, OtherVersionsAndTypesAreRefused) {
  GgufWriter writer = small();
  writer.version = 1;
  EXPECT_EQ(refused(writer.file()), "file: byte 4: version 1 is not read; there are 2 and 3");
  writer.version = 0x03000000;
  EXPECT_EQ(refused(writer.file()),
            "file: byte 4: version 50331648 is not read; there are 2 and 3, lowest byte first");
  writer.version = 2;
  const std::string file = writer.file();
  const Gguf gguf = parsed(file);
  EXPECT_EQ(refused("GGML" + file.substr(4)), "file: byte 0: is not GGUF");
  const auto said = [](const auto& body) { return error_of(body).substr(12); };
  EXPECT_EQ(said([&] { gguf.integer("z"); }), "z: is missing");
  EXPECT_EQ(said([&] { gguf.integer("b"); }), "b: must be a whole number from 0 to 2^30, is 1e-05");
  EXPECT_EQ(said([&] { gguf.integer("f"); }), "f: must be a whole number from 0 to 2^30, is -1");
  EXPECT_EQ(said([&] { gguf.number("c"); }), "c: must be a number");
  EXPECT_EQ(said([&] { gguf.number("d"); }), "d: must be a single value");
  GgufWriter infinite = small();
  infinite.f32("i", std::numeric_limits<float>::infinity());
  const std::string its = infinite.file();
  EXPECT_EQ(said([&] { parsed(its).number("i"); }), "i: must be finite, is inf");
  EXPECT_EQ(said([&] { gguf.boolean("a"); }), "a: must be true or false");
  EXPECT_EQ(said([&] { gguf.text("a"); }), "a: must be a text");
  EXPECT_EQ(said([&] { gguf.texts("a"); }), "a: must be a list");
  EXPECT_EQ(said([&] { gguf.texts("e"); }), "e: must be a list of texts");
  EXPECT_EQ(said([&] { gguf.numbers("d"); }), "d: must be a list of numbers");
}

}  // namespace
}  // namespace tril
