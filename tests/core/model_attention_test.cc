// The attention weights of golden models: against the trace of a session, and as rows of weights.
#include <gtest/gtest.h>
#include <tril/foundation/buffer.h>
#include <tril/model/decoding_session.h>
#include <tril/model/model_attention.h>
#include <tril/model/pretrained.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "core/compare.h"
#include "core/golden_models.h"

namespace tril {
namespace {

using testing::error_of;
using testing::folder_of;
using Ids = std::vector<std::int32_t>;

Ids some(std::size_t count) {
  Ids ids(count);
  for (std::size_t n = 0; n < count; ++n)
    ids[n] = static_cast<std::int32_t>(7 * n * n + 3 * n) % 48;
  return ids;
}

TEST(ModelAttention, IsWhatASessionTraces) {
  for (const std::string name : {"gpt2", "llama", "qwen2", "qwen3"}) {
    const PretrainedModel model = read_pretrained(folder_of(name));
    const Ids ids = some(17);
    const auto T = static_cast<Index>(ids.size());
    Buffer<float, 4> weights(model_attention_shape(model.parameters, T));
    model_attention(model.parameters, ids, weights);

    const ModelConfig& config = model.parameters.config();
    Buffer<float, 1> memory;
    const ModelTrace trace =
        saved_in(memory, [&](SavedMemory& place) { return model_trace(config, T, 0, place); });
    DecodingSession(model.parameters).append(ids, {}, trace);
    for (Index layer = 0; layer < config.layers; ++layer) {
      const auto& all = trace.layers[static_cast<std::size_t>(layer)].attention.attention.weights;
      for (Index head = 0; head < config.heads; ++head) {
        for (Index t = 0; t < T; ++t) {
          const VectorView<const float> row = weights.view()[layer][head][t];
          EXPECT_EQ(std::vector(row.data(), row.data() + T),
                    std::vector(all[0][head][t].data(), all[0][head][t].data() + T));
          EXPECT_NEAR(std::accumulate(row.data(), row.data() + T, 0.0), 1, 1e-6) << name;
          for (Index s = t + 1; s < T; ++s) EXPECT_EQ(row[s], 0);
        }
      }
    }
  }
}

TEST(ModelAttention, FillsAPartOfSomethingLarger) {
  const PretrainedModel model = read_pretrained(folder_of("llama"));
  const Ids ids = some(5);
  const Shape<4> shape = model_attention_shape(model.parameters, 5);
  Buffer<float, 4> expected(shape), wide({shape[0], shape[1], 5, 8});
  std::fill_n(wide.data(), wide.view().count(), 9.0f);
  model_attention(model.parameters, ids, expected);
  model_attention(model.parameters, ids, {wide.data(), shape, wide.view().strides()});
  for (Index row = 0; row < shape[0] * shape[1] * 5; ++row) {
    for (Index s = 0; s < 8; ++s) {
      EXPECT_EQ(wide.data()[8 * row + s], s < 5 ? expected.data()[5 * row + s] : 9);
    }
  }
}

TEST(ModelAttention, IsRefusedWithNothingWritten) {
  const PretrainedModel model = read_pretrained(folder_of("llama"));
  Buffer<float, 4> weights(model_attention_shape(model.parameters, 3));
  const auto refused = [&](const Ids& ids, const TensorView<float, 4>& out) {
    return error_of([&] { model_attention(model.parameters, ids, out); });
  };
  const std::string context = std::to_string(model.parameters.config().context);
  EXPECT_EQ(refused({}, weights),
            "attention: tokens: must be from 1 to the context of " + context + ", are 0");
  EXPECT_EQ(refused(Ids(9999), weights),
            "attention: tokens: must be from 1 to the context of " + context + ", are 9999");
  EXPECT_EQ(refused({1, 2, 48}, weights),
            "attention: tokens: 48 at 2 is outside the vocabulary (0..47)");
  EXPECT_TRUE(refused({1, 2}, weights).starts_with("attention: weights: "))
      << refused({1, 2}, weights);
  EXPECT_TRUE(refused({1, 2, 3}, {}).starts_with("attention: weights: "));
  const float* const all = weights.data();
  EXPECT_TRUE(std::all_of(all, all + weights.view().count(), [](float one) { return one == 0; }));
  model_attention(model.parameters, Ids{1, 2, 3}, weights);
  EXPECT_EQ(weights.view()[0][0][0][0], 1);
}

}  // namespace
}  // namespace tril
