// A trace step by step against the reference in double (model_reference.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/compare.h"
#include "core/model_reference.h"
#include "core/model_trace_case.h"

namespace tril {
namespace {

using testing::equal;
using testing::kRounded;
using testing::kTokens;
using testing::kVocabulary;
using testing::Traced;

// The float32 of a traced matrix for the reference, and the heads of one side by side.
testing::Table<double> table_of(const MatrixView<float>& x) {
  testing::Table<double> table(x.size(0), x.size(1));
  for (Index n = 0; n < x.size(0); ++n) {
    for (Index m = 0; m < x.size(1); ++m) table(n, m) = static_cast<double>(x[n][m]);
  }
  return table;
}
testing::Table<double> joined(const TensorView<float, 4>& heads) {
  const Index H = heads.size(1), T = heads.size(2), D = heads.size(3);
  testing::Table<double> table(T, H * D);
  for (Index t = 0; t < T; ++t) {
    for (Index i = 0; i < H * D; ++i) {
      table(t, i) = static_cast<double>(heads[0][i / D][t][i % D]);
    }
  }
  return table;
}
void expect_close(const testing::Table<double>& expected, const testing::Table<double>& found,
                  const char* what) {
  ASSERT_EQ(expected.rows, found.rows) << what;
  ASSERT_EQ(expected.cols, found.cols) << what;
  for (Index n = 0; n < expected.rows; ++n) {
    double largest = 0;  // of the row: norms and sums mix its elements
    for (Index m = 0; m < expected.cols; ++m) {
      largest = std::max(largest, std::abs(expected(n, m)));
    }
    EXPECT_GT(largest, 0.001) << what;
    for (Index m = 0; m < expected.cols; ++m) {
      EXPECT_NEAR(expected(n, m), found(n, m), kRounded * largest) << what << n << ' ' << m;
    }
  }
}

class ModelTraceSteps : public ::testing::TestWithParam<ModelFamily> {
 protected:
  testing::TraceCase c{GetParam()};
};

// Each step from the traced step before it, in double: queries and keys after the projection, after
// normalisation and then after rotation, their scores, and the head's input.
TEST_P(ModelTraceSteps, AreThoseOfTheReference) {
  const ModelConfig& config = c.model.config();
  DecodingSession session = c.session();
  const Traced traced(c, session, c.ids, {.scores = true});
  const auto tables = testing::model_tables<double>(config, c.model.weights());
  const testing::ModelReference<double> reference{config, tables, 1, kTokens};
  const tril::detail::FamilyEntry& entry = tril::detail::family_entry(config.family);
  const Index D = config.head_width();
  for (std::size_t n = 0; n < 3; ++n) {
    const ModelLayerTrace& layer = traced.trace.layers[n];
    const MultiHeadTrace& attention = layer.attention;
    const testing::Table<double> normed = table_of(layer.ln1);
    const std::string at = entry.layers + std::to_string(n) + "." + entry.attention;
    const auto parts = reference.projected(normed, at);
    testing::Table<double> queries = parts[0], keys = parts[1];
    EXPECT_EQ(static_cast<bool>(attention.unnormed_queries), config.query_key_norm);
    if (config.query_key_norm) {
      expect_close(queries, joined(attention.unnormed_queries), "unnormed_queries");
      expect_close(keys, joined(attention.unnormed_keys), "unnormed_keys");
      const auto normed_by = [&](const testing::Table<double>& heads, const char* name) {
        return testing::rms_norm_reference(heads, reference.get(at + name), config.eps);
      };
      queries = normed_by(queries, "q_norm.weight"), keys = normed_by(keys, "k_norm.weight");
    }
    const auto layer_number = static_cast<Index>(n);
    EXPECT_EQ(static_cast<bool>(attention.unrotated_queries), config.has_rotary(layer_number));
    EXPECT_EQ(static_cast<bool>(attention.unrotated_keys), config.has_rotary(layer_number));
    if (config.has_rotary(layer_number)) {
      expect_close(queries, joined(attention.unrotated_queries), "unrotated_queries");
      expect_close(keys, joined(attention.unrotated_keys), "unrotated_keys");
      reference.turn(queries, layer_number), reference.turn(keys, layer_number);
    }
    expect_close(queries, joined(attention.queries), "queries");
    expect_close(keys, joined(attention.keys), "keys");
    const Index group = config.heads / config.kv_head_count();
    for (Index h = 0; h < config.heads; ++h) {
      testing::Table<double> scores(kTokens, kTokens);
      for (Index t = 0; t < kTokens; ++t) {
        for (Index s = 0; s < kTokens; ++s) {
          for (Index d = 0; d < D; ++d) {
            scores(t, s) += queries(t, h * D + d) * keys(s, h / group * D + d);
          }
          scores(t, s) /= std::sqrt(static_cast<double>(D));
        }
      }
      const TensorView<float, 4>& found = attention.attention.scores;
      expect_close(scores, table_of({found[0][h].data(), {kTokens, kTokens}}), "scores");
    }
  }
  expect_close(reference.norm(table_of(traced.trace.layers[2].resid_post), entry.final_norm),
               table_of(traced.trace.ln_final), "ln_final");
  // Alone, too.
  Buffer<float, 2> normed({kTokens, config.width}), logits({kTokens, kVocabulary});
  DecodingSession other = c.session();
  other.append(c.ids, logits, {c.scratch, c.parallel}, {.ln_final = normed});
  EXPECT_TRUE(equal(traced.trace.ln_final, normed));
  EXPECT_TRUE(equal(traced.logits, logits));
}

INSTANTIATE_TEST_SUITE_P(Families, ModelTraceSteps,
                         ::testing::Values(ModelFamily::gpt2, ModelFamily::llama,
                                           ModelFamily::qwen2, ModelFamily::qwen3,
                                           ModelFamily::mistral, ModelFamily::olmo2,
                                           ModelFamily::phi3));

}  // namespace
}  // namespace tril
