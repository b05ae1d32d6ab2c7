// Encoding: bytes of text a second, on one thread, by a vocabulary of 8192 that was trained on
// other text of the same kind; beside it a pass that reads as many bytes, and the two parts of the
// work, the split and the merges.
//
// The text is made up, since none is in the repository: 20 000 words of letters as frequent as in
// English, drawn as often as Zipf's law has it, with signs, numbers and ends of lines between them.
#include <benchmark/benchmark.h>
#include <tril/foundation/random.h>
#include <tril/model/pre_split.h>
#include <tril/model/train_tokenizer.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "matmul_bench.h"

namespace tril::bench {
namespace {

constexpr std::size_t kBytes = 1 << 20;

std::string made_up_text(std::uint64_t seed) {
  constexpr std::string_view kLetters =
      "eeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddlllluuucccmmmffyyww"
      "gg"
      "ppbbvk";
  constexpr std::string_view kOthers[] = {
      ", ", ". ", ".\n", "\n\n", " (", ") ", "'s ", " 1945 ", " \xc3\xa9t\xc3\xa9 "};
  Random words_of(1), random(seed);  // the words are the same in every text
  std::vector<std::string> words(20'000);
  for (std::string& word : words) {
    const std::uint32_t size = 1 + words_of.below(5) + words_of.below(6);
    for (std::uint32_t n = 0; n < size; ++n) {
      word += kLetters[words_of.below(static_cast<std::uint32_t>(kLetters.size()))];
    }
  }
  std::string text;
  while (text.size() < kBytes) {
    // Frequency over rank: the logarithm of the rank is even.
    const double rank = std::pow(static_cast<double>(words.size()), random.uniform()) - 1;
    text += words[static_cast<std::size_t>(rank)];
    text += random.below(8) > 0 ? " " : kOthers[random.below(std::size(kOthers))];
  }
  text.resize(kBytes);
  return text;
}

void count_bytes(benchmark::State& state) {
  state.counters["B/s"] = benchmark::Counter(static_cast<double>(kBytes),
                                             benchmark::Counter::kIsIterationInvariantRate);
}

const bool kRegistered = [] {
  register_on(1, "tokenizer/read", [](benchmark::State& state) {
    const std::string text = made_up_text(2);
    measure(state, [&] { benchmark::DoNotOptimize(std::ranges::count(text, ' ')); });
    count_bytes(state);
  });
  register_on(1, "tokenizer/split", [](benchmark::State& state) {
    const std::string text = made_up_text(2);
    measure(state, [&] {
      std::size_t pieces = 0;
      detail::for_each_piece(text, PreSplit::gpt2, false, [&](std::string_view) { ++pieces; });
      benchmark::DoNotOptimize(pieces);
    });
    count_bytes(state);
  });
  const auto register_encoding = [](const std::string& name, PreSplit split) {
    register_on(1, name, [split](benchmark::State& state) {
      const std::string training = made_up_text(3), text = made_up_text(2);
      TokenizerParts parts =
          train_tokenizer(std::vector<std::string_view>{training}, {.vocabulary = 8192}).parts();
      parts.pre_split = split;
      const Tokenizer tokenizer(std::move(parts));
      measure(state, [&] { benchmark::DoNotOptimize(tokenizer.encode(text).data()); });
      count_bytes(state);
    });
  };
  register_encoding("tokenizer/encode", PreSplit::gpt2);
  register_encoding("tokenizer/encode_as_one_piece", PreSplit::whole);
  return true;
}();

}  // namespace
}  // namespace tril::bench
