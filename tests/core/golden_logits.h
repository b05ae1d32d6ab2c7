// Logits of the small random models of tests/golden, from PyTorch in float64.
#pragma once

#include <gtest/gtest.h>
#include <tril/model/decoding_session.h>
#include <tril/model/language_model.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/golden.h"
#include "core/gradient.h"
#include "core/model_reference.h"

namespace tril::testing {

inline constexpr Index kGoldenTokens = 24, kGoldenVocabulary = 48;

inline std::vector<std::int32_t> golden_tokens() {
  std::vector<std::int32_t> ids;
  for (std::int32_t n = 0; n < kGoldenTokens; ++n)
    ids.push_back((7 * n * n + 3 * n + 1) % kGoldenVocabulary);
  return ids;
}

// Expects logits within their bounds, computed all at once and one by one.
inline void expect_bounded_session(const ModelConfig& config, const ModelParameters& parameters,
                                   const Values<Bounded>& bounded, std::size_t every,
                                   const std::string& path) {
  const std::vector<std::int32_t> ids = golden_tokens();
  DecodingSession session(config, parameters);
  Buffer<float, 2> logits({kGoldenTokens, kGoldenVocabulary});
  session.append(ids, logits);
  expect_bounded(bounded, sampled(elements(logits), every), path.c_str());
  session.set_length(0);
  // With longrope, the logits one by one start once the text is longer than `original`.
  const RotaryScaling& scaling = config.rotary_scaling;
  const bool grows =
      scaling.kind == RotaryScalingKind::longrope && scaling.original < kGoldenTokens;
  const Index first = grows ? scaling.original + 1 : 0;
  if (grows) {
    session.append({ids.data(), static_cast<std::size_t>(first)},
                   MatrixView<float>(logits.data(), {first, kGoldenVocabulary}));
  }
  for (Index n = first; n < kGoldenTokens; ++n) {
    const VectorView<const float> next = session.append({ids.data() + n, 1});
    std::copy_n(next.data(), kGoldenVocabulary, logits.view()[n].data());
  }
  expect_bounded(bounded, sampled(elements(logits), every), path.c_str());
}

// The same against the logits of the widened numbers, for matrices of any kind.
inline void expect_widened(const ModelConfig& config, const ModelParameters& parameters,
                           const std::string& path) {
  constexpr std::size_t kEvery = 5;
  const Values<Bounded> bounded =
      bounded_logits(config, LanguageModel(parameters).weights(), 1, golden_tokens(), kEvery);
  expect_bounded_session(config, parameters, bounded, kEvery, path);
}

// Expects logits, computed all at once and one by one, to be as close to PyTorch's as floats may
// be: these were computed in double, and stored as floats. A bound takes a sweep through the whole
// model, so only every fifth logit is compared: in five rows that covers each of the 48 tokens.
inline void expect_golden(const ModelConfig& config, const ModelParameters& parameters,
                          const std::string& path) {
  constexpr std::size_t kEvery = 5;
  const std::vector<std::int32_t> ids = golden_tokens();
  const Values<double> expected = sampled(elements(golden<2>("models/" + path)), kEvery);
  Values<Bounded> bounded =
      bounded_logits(config, LanguageModel(parameters).weights(), 1, ids, kEvery);
  ASSERT_EQ(bounded.size(), expected.size());
  for (std::size_t i = 0; i < bounded.size(); ++i) {
    const double stored = kRounding * std::fabs(expected[i]);
    ASSERT_NEAR(expected[i], bounded[i].value, stored + two_in_double(bounded[i].error))
        << path << " at " << kEvery * i;
    bounded[i] = {expected[i], bounded[i].error + stored};
  }
  expect_bounded_session(config, parameters, bounded, kEvery, path);
}

}  // namespace tril::testing
