// A small model of each family, and its intermediate results.
#pragma once

#include <tril/foundation/random.h>
#include <tril/foundation/saved_memory.h>
#include <tril/model/decoding_session.h>
#include <tril/model/language_model.h>

#include <cmath>
#include <vector>

#include "core/compare.h"

namespace tril::testing {

inline constexpr Index kTokens = 9, kVocabulary = 13;

inline ModelConfig small_config(ModelFamily family) {
  ModelConfig config = ModelConfig::of(family);
  config.layers = 3, config.heads = 4, config.width = 16, config.hidden = 24;
  config.context = kTokens, config.vocabulary = kVocabulary;
  if (family != ModelFamily::gpt2) config.kv_heads = 2;
  return config;
}

struct TraceCase {
  LanguageModel model;
  std::vector<std::int32_t> ids, others;
  Scratch scratch;
  Parallel parallel;

  explicit TraceCase(ModelFamily family) : model(small_config(family), 3), parallel(2) {
    Random random(5);
    for_each_parameter(model.weights(), [&](const ParameterName&, const auto& view) {
      if (!view) return;
      for (Index i = 0; i < view.count(); ++i) view.data()[i] += 0.2f * random.normal();
    });
    for (Index i = 0; i < kTokens; ++i) {
      ids.push_back(static_cast<std::int32_t>(random.below(kVocabulary)));
      others.push_back(static_cast<std::int32_t>(random.below(kVocabulary)));
    }
  }
  DecodingSession session() const { return {model.config(), model.weights()}; }
  Buffer<float, 2> logits(const Interventions& changes = {}) {
    DecodingSession changed = session();
    changed.set_changes(changes);
    Buffer<float, 2> out({kTokens, kVocabulary});
    changed.append(ids, out, {scratch, parallel});
    return out;
  }
};

// A trace, its memory, and the logits of the call.
struct Traced {
  Buffer<float, 1> memory;
  ModelTrace trace;
  Buffer<float, 2> logits;

  Traced(TraceCase& c, DecodingSession& session, const std::vector<std::int32_t>& ids,
         const ModelTraceOptions& options = {})
      : logits({static_cast<Index>(ids.size()), kVocabulary}) {
    const auto count = static_cast<Index>(ids.size());
    trace = saved_in(memory, [&](SavedMemory& place) {
      return model_trace(session.config(), count, session.length(), place, options);
    });
    session.append(ids, logits, {c.scratch, c.parallel}, trace);
  }
};

// Fewer than 40 operations in a row, sums of up to 24 terms, in both results.
inline constexpr double kRounded = 2 * 40 * 24 * 0x1p-24;

// Each row relative to its own largest element: norms and sums mix the elements of a row.
inline ::testing::AssertionResult close_by_rows(const MatrixView<const float>& expected,
                                                const MatrixView<const float>& found) {
  for (Index t = 0; t < expected.size(0); ++t) {
    const auto row = close(expected[t], found[t], kRounded * max_abs(expected[t]));
    if (!row) return ::testing::AssertionFailure() << "row " << t << ": " << row.message();
  }
  return ::testing::AssertionSuccess();
}

// A weight has a relative error: e to the power of the errors of its score and of the row's
// largest.
inline double share_of_weights(const AttentionTrace& trace) {
  return 2 * kRounded * std::fmax(1, max_abs(trace.scores));
}

}  // namespace tril::testing
