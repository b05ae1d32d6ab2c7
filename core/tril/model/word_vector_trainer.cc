#include <tril/foundation/check.h>
#include <tril/foundation/elementary.h>
#include <tril/foundation/stopwatch.h>
#include <tril/model/word_vector_kernels.h>
#include <tril/model/word_vector_trainer.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tril {

TRIL_DEFINE_DISPATCH(WordVectorKernels, kWordVectorKernels, word_vector_kernels)

namespace {

constexpr const char* kCall = "WordVectorTrainer";

void check_count(const char* name, Index value, Index most) {
  if (value < 1 || value > most) {
    fail(kCall, name, {"must be from 1 to ", most, ", is ", value});
  }
}

const WordVectorOptions& checked(const WordVectorOptions& options) {
  check_count("width", options.width, 1 << 16);
  check_count("window", options.window, 1 << 10);
  check_count("negative", options.negative, 1 << 10);
  check_count("epochs", options.epochs, 1 << 24);
  if (!(options.sample >= 0) || !std::isfinite(options.sample)) {
    fail(kCall, "sample", {"must be finite and at least 0, is ", options.sample});
  }
  if (!(options.learning_rate > 0) || !std::isfinite(options.learning_rate)) {
    fail(kCall, "learning_rate", {"must be finite and above 0, is ", options.learning_rate});
  }
  return options;
}

Shape<2> shape_of(const WordCorpus& corpus, Index width) noexcept {
  constexpr Index kRow = WordVectorKernels::kRow;
  return {corpus.vocabulary.size(), (width + kRow - 1) / kRow * kRow};
}

// Windows that see the same vectors move a row as one step down the gradient of all their pairs
// does. The second derivative of a pair's loss in a row is at most a quarter of the square of the
// other's length, and lengths are about 2: of n pairs it is n at most, and steps with a rate below
// 2 / n go downhill. Half of that is used. More than 256 windows gain nothing.
Index batch_for(double rate, double most_pairs, Index window_floats) noexcept {
  constexpr double kMost = 256;
  constexpr Index kMostFloats = Index{1} << 20;
  const auto stable = static_cast<Index>(std::min(kMost, 1 / (rate * most_pairs)));
  return std::max<Index>(1, std::min(stable, kMostFloats / window_floats));
}

// -log of the product of all p, in groups so small that the product is no less than e^-640.
double loss_of(const float* p, Index count) noexcept {
  constexpr Index kAtOnce = 8;
  double loss = 0;
  for (Index first = 0; first < count; first += kAtOnce) {
    double product = 1;
    for (Index i = first; i < std::min(count, first + kAtOnce); ++i) {
      product *= static_cast<double>(p[i]);
    }
    loss -= std::isfinite(product) ? logarithm(product) : product;
  }
  return loss;
}

}  // namespace

WordVectorTrainer::WordVectorTrainer(WordCorpus corpus, const WordVectorOptions& options)
    : corpus_(std::move(corpus)),
      options_(checked(options)),
      source_(corpus_.vocabulary.counts(), {options.window, options.negative, options.sample}),
      random_(options.seed),
      inputs_(shape_of(corpus_, options.width)),
      targets_(shape_of(corpus_, options.width)),
      batch_(batch_for(options.learning_rate, source_.most_pairs(),
                       (2 * options.window + 1 + options.negative) * inputs_.shape()[1])) {
  const auto width = static_cast<float>(options.width);
  const MatrixView<float> rows(inputs_.data(), {inputs_.shape()[0], options.width},
                               {inputs_.shape()[1], 1});
  fill_uniform(rows, random_, -0.5f / width, 0.5f / width);
}

std::int64_t WordVectorTrainer::epoch_steps() const noexcept {
  return (static_cast<Index>(corpus_.words.size()) + kStepWords - 1) / kStepWords;
}

std::size_t WordVectorTrainer::bytes() const noexcept {
  const auto floats = static_cast<std::size_t>(inputs_.view().count() + targets_.view().count());
  return floats * sizeof(float) + corpus_.words.size() * sizeof(TokenId) + scratch_.capacity();
}

double WordVectorTrainer::learn_window(const detail::WordWindow& window, float rate,
                                       const Work& work, float* moves) const {
  const Index width = inputs_.shape()[1];
  const auto inputs = static_cast<Index>(window.input_count);
  const auto targets = static_cast<Index>(window.target_count);
  for (Index i = 0; i < inputs; ++i) {
    const TokenId id = windows_.inputs[window.inputs + static_cast<std::size_t>(i)];
    work.rows[i] = inputs_.data() + id * width;
  }
  for (Index j = 0; j < targets; ++j) {
    const TokenId id = windows_.targets[window.targets + static_cast<std::size_t>(j)];
    work.rows[inputs + j] = targets_.data() + id * width;
  }
  word_vector_kernels().window(work.rows, inputs, work.rows + inputs, targets, width, rate, work.p,
                               work.steps, moves);
  return loss_of(work.p, inputs * targets);
}

// Computes the moves of windows [first, last), each in its own memory, and then adds those of each
// row in order: a row belongs to one work item.
void WordVectorTrainer::learn(std::size_t first, std::size_t last, float rate, int threads,
                              const Context& context) {
  const auto& all = windows_.windows;
  const auto count = static_cast<Index>(last - first);
  const Index width = inputs_.shape()[1];
  const detail::WordWindow &front = all[first], &back = all[last - 1];
  const auto rows_before = [&](const detail::WordWindow& window) {
    return static_cast<Index>(window.inputs - front.inputs + window.targets - front.targets);
  };
  const Index most_inputs = 2 * options_.window, most_targets = 1 + options_.negative;
  const Index most_rows = most_inputs + most_targets, most_pairs = most_inputs * most_targets;
  Scratch::Frame frame(scratch_);
  const Index rows = rows_before(back) + static_cast<Index>(back.input_count + back.target_count);
  float* const moves = frame.take<float>(rows, width);
  const float** const pointers = frame.take<const float*>(context.parallel.threads(), most_rows);
  float* const pairs = frame.take<float>(context.parallel.threads(), 2, most_pairs);
  // Number of windows in a work item; a thread that finishes first takes over items of the others.
  constexpr Index kTogether = 4;
  const Index groups = (count + kTogether - 1) / kTogether;
  const Index items = threads > 1 && threads == context.parallel.threads() ? groups : threads;
  context.parallel.for_each(items, [&](Index item, int worker) {
    const Work work{pointers + worker * most_rows, pairs + 2 * worker * most_pairs,
                    pairs + (2 * worker + 1) * most_pairs};
    for (Index n = item * count / items; n < (item + 1) * count / items; ++n) {
      const std::size_t at = first + static_cast<std::size_t>(n);
      losses_[at] = learn_window(all[at], rate, work, moves + rows_before(all[at]) * width);
    }
  });

  const auto parts = static_cast<std::uint32_t>(threads);
  const auto add = word_vector_kernels().add;
  context.parallel.for_each(threads, [&](Index part, int) {
    const float* move = moves;
    const auto move_rows = [&](const std::vector<TokenId>& ids, std::size_t begin, std::size_t size,
                               float* values) {
      for (std::size_t i = begin; i < begin + size; ++i, move += width) {
        const bool is_ours =
            static_cast<std::uint32_t>(ids[i]) % parts == static_cast<std::uint32_t>(part);
        if (is_ours) add(values + ids[i] * width, move, width);
      }
    };
    for (std::size_t at = first; at < last; ++at) {
      move_rows(windows_.inputs, all[at].inputs, all[at].input_count, inputs_.data());
      move_rows(windows_.targets, all[at].targets, all[at].target_count, targets_.data());
    }
  });
}

WordVectorStep WordVectorTrainer::step(const Context& context) {
  const detail::Stopwatch watch;
  const std::span<const TokenId> words(corpus_.words);
  const auto start = static_cast<std::size_t>(steps_ % epoch_steps() * kStepWords);
  const auto piece =
      words.subspan(start, std::min(static_cast<std::size_t>(kStepWords), words.size() - start));
  if (threads_.most() != context.parallel.threads())
    threads_ = ThreadChoice(context.parallel.threads());
  windows_.clear();
  source_.append(piece, random_, windows_);
  losses_.assign(windows_.windows.size(), 0);

  WordVectorStep result;
  result.step = steps_;
  constexpr double kLowest = 1e-4;
  const double done = static_cast<double>(steps_) / static_cast<double>(all_steps());
  result.learning_rate = options_.learning_rate * std::max(kLowest, 1 - done);
  result.words = std::ranges::count_if(piece, [](TokenId id) { return id != kWordsEnd; });
  const std::size_t count = windows_.windows.size(), batch = static_cast<std::size_t>(batch_);
  for (std::size_t first = 0; first < count; first += batch) {
    learn(first, std::min(count, first + batch), static_cast<float>(result.learning_rate),
          threads_.threads(), context);
  }
  for (const detail::WordWindow& window : windows_.windows) {
    result.pairs += static_cast<std::int64_t>(window.input_count * window.target_count);
  }
  const double loss = std::accumulate(losses_.begin(), losses_.end(), 0.0);
  if (result.pairs > 0) result.loss = loss / static_cast<double>(result.pairs);
  if (!std::isfinite(loss)) {
    fail("WordVectorTrainer::step", "loss",
         {"is ", loss, " in step ", steps_, ": the learning rate is too high"});
  }
  ++steps_;
  result.seconds = watch.seconds();
  threads_.took(static_cast<double>(windows_.windows.size()), result.seconds);
  return result;
}

}  // namespace tril
