#include <tril/model/word_windows.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tril::detail {
namespace {

std::vector<double> to_three_quarters(std::span<const std::int64_t> counts) {
  std::vector<double> weights;
  for (const std::int64_t count : counts) {
    const double root = std::sqrt(static_cast<double>(count));
    weights.push_back(root * std::sqrt(root));
  }
  return weights;
}

template <typename T>
double sum_of(std::span<const T> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0,
                         [](double sum, T each) { return sum + static_cast<double>(each); });
}

}  // namespace

AliasTable::AliasTable(std::span<const double> weights) {
  const double mean = sum_of(weights) / static_cast<double>(weights.size());
  std::vector<double> left;  // of each weight, in columns
  std::vector<TokenId> low, high;
  for (const double weight : weights) {
    const auto id = static_cast<TokenId>(left.size());
    left.push_back(weight / mean);
    (left.back() < 1 ? low : high).push_back(id);
    columns_.push_back({1, id});
  }
  // A column that a low weight does not fill is filled by a high one.
  while (!low.empty() && !high.empty()) {
    const auto small = static_cast<std::size_t>(low.back());
    const auto large = static_cast<std::size_t>(high.back());
    low.pop_back();
    columns_[small] = {static_cast<float>(left[small]), high.back()};
    left[large] -= 1 - left[small];
    if (left[large] >= 1) continue;
    low.push_back(high.back());
    high.pop_back();
  }
}

TokenId AliasTable::draw(Random& random) const noexcept {
  // 32 random bits times the length: the probabilities of columns differ by less than 2^-32.
  const auto at = static_cast<std::size_t>(std::uint64_t{random.bits()} * columns_.size() >> 32);
  const Column& column = columns_[at];
  return random.uniform() < column.share ? static_cast<TokenId>(at) : column.other;
}

// A window has options.window + 1 words around its own on average, w of each word on average and
// each with the word itself and those drawn: the row of w among inputs takes part in n q (1 + k)
// pairs, among targets in n (q + k p), where q is its share of the kept words and p its share of
// the drawn ones.
WordWindowSource::WordWindowSource(std::span<const std::int64_t> counts,
                                   const WordWindowOptions& options)
    : options_(options), drawn_(to_three_quarters(counts)), most_pairs_(0) {
  const double all = sum_of(counts);
  double kept_words = 0;
  for (const std::int64_t count : counts) {
    const double ratio = static_cast<double>(count) / all / options.sample;
    const double kept = options.sample > 0 ? (std::sqrt(ratio) + 1) / ratio : 1;
    kept_.push_back(static_cast<float>(std::min(kept, 1.0)));
    kept_words += static_cast<double>(count) * static_cast<double>(kept_.back());
  }
  const std::vector<double> weights = to_three_quarters(counts);
  const double all_weights = sum_of(std::span<const double>(weights));
  const auto around = static_cast<double>(options.window) + 1;
  const auto negative = static_cast<double>(options.negative);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double q = static_cast<double>(counts[i]) * static_cast<double>(kept_[i]) / kept_words;
    const double p = weights[i] / all_weights;
    most_pairs_ = std::max({most_pairs_, around * q * (1 + negative), around * (q + negative * p)});
  }
}

void WordWindowSource::append(std::span<const TokenId> words, Random& random,
                              WordWindows& windows) {
  sentence_.clear();
  for (const TokenId word : words) {
    if (word == kWordsEnd) {
      append_sentence(random, windows);
      sentence_.clear();
    } else if (const float share = kept_[static_cast<std::size_t>(word)];
               share >= 1 || random.uniform() < share) {
      sentence_.push_back(word);
    }
  }
  append_sentence(random, windows);
}

void WordWindowSource::append_sentence(Random& random, WordWindows& windows) const {
  const std::size_t size = sentence_.size();
  if (size < 2) return;
  for (std::size_t at = 0; at < size; ++at) {
    const std::size_t reach = 1 + random.below(static_cast<std::uint32_t>(options_.window));
    const std::size_t begin = at - std::min(at, reach), end = std::min(size, at + reach + 1);
    WordWindow window{windows.inputs.size(), end - begin - 1, windows.targets.size(), 1};
    for (std::size_t i = begin; i < end; ++i) {
      if (i != at) windows.inputs.push_back(sentence_[i]);
    }
    const TokenId word = sentence_[at];
    windows.targets.push_back(word);
    for (Index n = 0; n < options_.negative; ++n) {
      const TokenId drawn = drawn_.draw(random);
      if (drawn == word) continue;
      windows.targets.push_back(drawn);
      ++window.target_count;
    }
    windows.windows.push_back(window);
  }
}

}  // namespace tril::detail
