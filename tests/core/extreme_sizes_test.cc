// Sizes from 0 to 2^31 - 1 in all numeric arguments, each alone and in pairs: a result, an Error,
// or std::bad_alloc when memory runs out.
#include <gtest/gtest.h>
#include <tril/attention/key_value_cache.h>
#include <tril/attention/multi_head_attention.h>
#include <tril/foundation/buffer.h>
#include <tril/foundation/parallel.h>
#include <tril/foundation/scratch.h>
#include <tril/lessons/attention_cost.h>
#include <tril/lessons/cache_model.h>
#include <tril/lessons/layer_costs.h>
#include <tril/lessons/matmul_cost.h>
#include <tril/lessons/training_cost.h>
#include <tril/lessons/transformer_block_cost.h>
#include <tril/model/batches.h>
#include <tril/model/decoding_session.h>
#include <tril/model/encoder_decoder.h>
#include <tril/model/language_model.h>
#include <tril/model/model_parameters.h>
#include <tril/model/model_trace.h>
#include <tril/model/trainer.h>
#include <tril/training/sequence_tasks.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "core/compare.h"
#include "core/memory_limit.h"

namespace tril {
namespace {

using Sizes = std::vector<Index>;

constexpr Index kExtremes[] = {0, 1, 1 << 16, 1 << 24, 0x7fffffff};

// Calls call(sizes) with each size of `usual`, and every two of them, replaced by extremes in turn.
template <typename Call>
void try_extremes(const Sizes& usual, const Call& call) {
  const testing::MemoryLimit limit(std::size_t{16} << 20);
  const auto one = [&](const Sizes& sizes) {
    SCOPED_TRACE(::testing::PrintToString(sizes));
    try {
      call(sizes);
    } catch (const Error& error) {
      EXPECT_FALSE(error.problem().empty());
    } catch (const std::bad_alloc&) {
    }
  };
  for (std::size_t i = 0; i < usual.size(); ++i) {
    for (const Index size : kExtremes) {
      Sizes sizes = usual;
      sizes[i] = size;
      one(sizes);
      for (std::size_t j = i + 1; j < usual.size(); ++j) {
        for (const Index other : kExtremes) {
          sizes[j] = other;
          one(sizes);
          sizes[j] = usual[j];
        }
      }
    }
  }
}

// Limits sizes that cost time, where they are allowed.
Index few(Index size, Index most) { return size <= 1 << 24 ? std::min(size, most) : size; }

ModelConfig config_of(const Sizes& sizes, ModelFamily family) {
  ModelConfig config = ModelConfig::of(family);
  config.layers = few(sizes[0], 16), config.heads = sizes[1], config.kv_heads = sizes[2];
  config.width = sizes[3], config.hidden = sizes[4], config.context = sizes[5];
  config.vocabulary = sizes[6];
  return config;
}

class ExtremeSizes : public ::testing::Test {
 protected:
  void SetUp() override {
    if (TRIL_SANITIZED) GTEST_SKIP() << "memory is not limited";
  }
  Scratch scratch_;
  Parallel parallel_;
};

TEST_F(ExtremeSizes, OfMemory) {
  try_extremes({1, 1, 1, 1}, [](const Sizes& s) { Buffer<float, 4>({s[0], s[1], s[2], s[3]}); });
  try_extremes({1, 1, 1, 1}, [&](const Sizes& s) {
    Scratch::Frame frame(scratch_);
    frame.take<float>(s[0], s[1], s[2], s[3]);
  });
  scratch_.clear();
  try_extremes({1, 1, 1, 1, 1}, [](const Sizes& s) {
    KeyValueCache({s[0], s[1], s[2], s[3], s[4]});
  });
  try_extremes({0},
               [](const Sizes& s) { Parallel(static_cast<int>(std::min(s[0], Index{1} << 30))); });
}

TEST_F(ExtremeSizes, OfModels) {
  for (const ModelFamily family : {ModelFamily::gpt2, ModelFamily::llama}) {
    try_extremes({1, 1, 1, 2, 2, 2, 2}, [&](const Sizes& s) {
      const ModelConfig config = config_of(s, family);
      ModelParameters floats(config, ParameterMemory::floats);
      DecodingSession(config, floats);
    });
  }
  try_extremes({1, 1, 1, 2, 2, 2, 2}, [](const Sizes& s) {
    // Initialising takes a second for 2^24 numbers: larger models are skipped.
    const ModelConfig config = config_of(s, ModelFamily::gpt2);
    if (parameter_count(model_shapes(config)) > 1 << 16) return;
    LanguageModel(config, 1);
  });
  try_extremes({2, 2, 2, 1, 1, 1, 2, 2}, [](const Sizes& s) {
    EncoderDecoderConfig config;
    config.source_vocabulary = s[0], config.target_vocabulary = s[1], config.context = s[2];
    config.encoder_layers = s[3], config.decoder_layers = s[4], config.heads = s[5];
    config.width = s[6], config.hidden = s[7];
    check_encoder_decoder_config(config, "f");
    if (detail::times(s[0] + s[1] + s[2] + s[7] + s[6], s[6], s[3] + s[4]) < 1 << 16) {
      EncoderDecoder(config, 1);
    }
  });
}

// Laid out without memory, so that only the sizes can be wrong.
TEST_F(ExtremeSizes, OfTracesAndHeads) {
  constexpr Index kMost = std::numeric_limits<Index>::max();
  const auto lay_out = [](Index tokens, Index past) {
    SavedMemory memory;
    model_trace(config_of({1, 1, 1, 2, 2, 2, 2}, ModelFamily::gpt2), tokens, past, memory,
                {.scores = true});
  };
  try_extremes({1, 1}, [&](const Sizes& s) { lay_out(s[0], s[1]); });
  EXPECT_EQ(testing::error_of([&] { lay_out(2, kMost - 1); }),
            "model_trace: past: must be at most " + std::to_string(kMost - 2) + ", is " +
                std::to_string(kMost - 1));
  Buffer<float, 3> x({1, 2, 4}), out({1, 2, 4});
  Buffer<float, 2> in({12, 4}), to({4, 4});
  MultiHeadWeights weights;
  weights.in_proj_weight = in, weights.out_proj_weight = to;
  for (const Index heads : {Index{5}, Index{1} << 30, kMost / 2, kMost}) {
    EXPECT_NE(testing::error_of([&] {
                multi_head_attention(x, weights, {.heads = heads}, out, {scratch_, parallel_});
              }).find("in_proj_weight: its 12 rows do not divide into"),
              std::string::npos);
  }
}

TEST_F(ExtremeSizes, OfTraining) {
  ModelConfig config = config_of({1, 1, 1, 1, 1, 4, 4}, ModelFamily::gpt2);
  config.positions = ModelPositions::none;
  const std::vector<std::int32_t> stream(1 << 17, 1);
  TokenBatch batch;
  try_extremes({1, 1}, [&](const Sizes& s) { draw_batch(stream, s[0], s[1], {}, 1, 1, batch); });
  try_extremes({1, 1}, [&](const Sizes& s) { spaced_batch(stream, s[0], s[1], {}, 1, batch); });
  try_extremes({1, 1, 4}, [&](const Sizes& s) {
    ModelConfig changed = config;
    changed.context = s[2];
    LanguageModel model(changed, 1);
    TrainerOptions options;
    options.batch = s[0], options.accumulation = s[1];
    Trainer trainer(model, options);
    if (detail::times(s[0], s[1], s[2]) < 1 << 10) trainer.step(stream, parallel_);
  });
  SequenceBatch sequences;
  try_extremes({1, 2, 3}, [&](const Sizes& s) {
    draw_sequences(SequenceTask::sort, s[0], s[1], s[2], 1, 1, sequences);
  });
  LanguageModel model(config, 1);
  try_extremes({1, 1}, [&](const Sizes& s) { training_cost(model, {}, s[0], few(s[1], 1 << 10)); });
  try_extremes({1, 1}, [&](const Sizes& s) { model.saved_count(s[0], s[1]); });
}

TEST_F(ExtremeSizes, OfTrainingAreNamed) {
  ModelConfig config = config_of({1, 1, 1, 1, 1, 1 << 24, 4}, ModelFamily::gpt2);
  config.positions = ModelPositions::none;
  LanguageModel model(config, 1);
  TrainerOptions options;
  options.batch = options.accumulation = 1 << 24;
  EXPECT_EQ(testing::error_of([&] { Trainer(model, options); }),
            "Trainer: batch: too large to address: batch 16777216 * accumulation 16777216 * "
            "context 16777216");
}

TEST_F(ExtremeSizes, OfCosts) {
  try_extremes({1, 1, 1, 1}, [](const Sizes& s) { matmul_cost({s[0], s[1], s[2], s[3]}); });
  try_extremes({1, 1, 1, 8, 1, 1, 1}, [](const Sizes& s) {
    AttentionOptions options;
    options.causal = true;
    attention_cost({s[0], s[1], s[2], few(s[3], 1 << 10), s[4], s[5], s[6]}, options);
  });
  try_extremes({1, 1, 1, 1, 1, 1}, [](const Sizes& s) {
    transformer_block_cost({s[0], few(s[1], 1 << 10), s[2], s[3], s[4], s[5]}, {});
  });
  try_extremes({1, 1, 1}, [](const Sizes& s) { CacheModel({s[0], s[1], s[2]}); });
}

}  // namespace
}  // namespace tril
