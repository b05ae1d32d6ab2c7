// An encoder-decoder in training, and batches for it.
#pragma once

#include <tril/foundation/random.h>
#include <tril/model/encoder_decoder.h>
#include <tril/model/trainer.h>

#include <vector>

namespace tril::testing {

inline EncoderDecoderConfig small_encoder_decoder() {
  EncoderDecoderConfig config;
  config.source_vocabulary = 6, config.target_vocabulary = 7, config.context = 5;
  config.encoder_layers = 2, config.decoder_layers = 1, config.heads = 2;
  config.width = 8, config.hidden = 12;
  return config;
}

inline TrainerOptions quick_sequences() {
  TrainerOptions options = TrainerOptions::for_sequences();
  options.schedule = {.learning_rate = 1e-2, .lowest = 1e-2, .warmup = 0, .steps = 20};
  options.weight_decay = 0.1;
  return options;
}
inline const TrainerOptions kQuick = quick_sequences();

// Sequences of random tokens, two of them ignored.
struct DrawnSequences {
  Index rows, source_length, target_length;
  std::vector<std::int32_t> sources, targets, labels;

  DrawnSequences(Index b, Index s, Index t, std::uint64_t seed,
                 EncoderDecoderConfig config = small_encoder_decoder())
      : rows(b), source_length(s), target_length(t) {
    Random random(seed);
    const auto draw = [&](std::vector<std::int32_t>& to, Index count, Index vocabulary) {
      for (Index i = 0; i < count; ++i) {
        to.push_back(
            static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(vocabulary))));
      }
    };
    draw(sources, b * s, config.source_vocabulary);
    draw(targets, b * t, config.target_vocabulary);
    draw(labels, b * t, config.target_vocabulary);
    labels[0] = labels[2] = kIgnoredTarget;
  }
  TrainingBatch batch() const {
    return {{sources.data(), {rows, source_length}},
            {targets.data(), {rows, target_length}},
            {labels.data(), {rows, target_length}}};
  }
};

// A model and its trainer.
struct SequenceRun {
  EncoderDecoder model;
  Trainer trainer;
  std::vector<double> losses;

  explicit SequenceRun(const EncoderDecoderConfig& config = small_encoder_decoder(),
                       const TrainerOptions& options = kQuick, std::uint64_t seed = 3)
      : model(config, seed), trainer(model, options) {}

  // Runs `steps` steps over two batches each, of different lengths, drawn by the step's number.
  void go(int steps, int threads = 1) {
    Parallel parallel(threads);
    for (int n = 0; n < steps; ++n) {
      const auto seed = static_cast<std::uint64_t>(trainer.steps());
      const DrawnSequences one(3, 4, 3, 2 * seed), other(2, 5, 4, 2 * seed + 1);
      const TrainingBatch batches[] = {one.batch(), other.batch()};
      losses.push_back(trainer.step(batches, parallel).loss);
    }
  }
  std::vector<float> state() {
    std::vector<float> all;
    for (const auto& part : {model.values(), trainer.first_moment(), trainer.second_moment()}) {
      all.insert(all.end(), part.data(), part.data() + part.size(0));
    }
    return all;
  }
};

}  // namespace tril::testing
