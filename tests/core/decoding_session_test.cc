// Decoding with a cache: the logits of any split into calls against the plain definition in double,
// and wrong input of a session.
#include <gtest/gtest.h>
#include <tril/model/decoding_session.h>
#include <tril/model/language_model.h>

#include <string>
#include <vector>

#include "core/compare.h"
#include "core/memory_limit.h"
#include "core/model_reference.h"
#include "core/small_models.h"

namespace tril {
namespace {

using testing::bounded_logits;
using testing::equal;
using testing::error_of;
using testing::model_tables;
using testing::ModelReference;

void expect_logits(const ModelConfig& config, const BasicModelWeights<float>& weights,
                   const std::vector<std::int32_t>& ids, const MatrixView<const float>& logits,
                   const char* name) {
  testing::expect_bounded(bounded_logits(config, weights, 1, ids), logits, name);
}

struct Setting {
  std::string name;
  ModelConfig config;
};

ModelConfig small(ModelFamily family) {
  ModelConfig config = ModelConfig::of(family);
  config.layers = 2, config.heads = 4, config.width = 16, config.hidden = 24;
  config.context = 20, config.vocabulary = 11;
  config.eps = 0.01;  // large enough to reveal a wrong one
  if (family != ModelFamily::gpt2) config.kv_heads = 2;
  return config;
}

std::vector<Setting> settings() {
  std::vector<Setting> all = {{"gpt2", small(ModelFamily::gpt2)},
                              {"llama", small(ModelFamily::llama)},
                              {"qwen2", small(ModelFamily::qwen2)}};
  ModelConfig config = small(ModelFamily::qwen3);
  config.head_dim = 6;
  all.push_back({"qwen3", config});
  config = small(ModelFamily::llama);
  config.tied_head = true;
  config.rotary_scaling = {.kind = RotaryScalingKind::linear, .factor = 4};
  all.push_back({"linear", config});
  config.rotary_scaling = {.kind = RotaryScalingKind::dynamic, .factor = 2, .original = 8};
  all.push_back({"dynamic", config});
  config.rotary_scaling = {
      .kind = RotaryScalingKind::llama3, .factor = 8, .original = 200, .low = 1, .high = 4};
  all.push_back({"llama3", config});
  for (const auto& each : kModelFamilies) {
    if (each.value <= ModelFamily::qwen3) continue;
    config = testing::shrunk(each.value);
    config.heads = 4, config.width = 16, config.hidden = 24, config.eps = 0.01;
    if (config.window > 0) config.window = 5;  // shorter than 20 tokens
    config.context = 20, config.vocabulary = 11;
    all.push_back({std::string(each.name), config});
  }
  return all;
}

// All parameters far from 0 and 1, and 20 tokens.
struct Case {
  LanguageModel model;
  std::vector<std::int32_t> ids;
  Scratch scratch;
  Parallel parallel;

  explicit Case(const ModelConfig& config) : model(config, 3), parallel(2) {
    Random random(5);
    for_each_parameter(model.weights(), [&](const ParameterName&, const auto& view) {
      if (!view) return;
      for (Index i = 0; i < view.count(); ++i) view.data()[i] += 0.2f * random.normal();
    });
    for (int i = 0; i < 20; ++i) ids.push_back(static_cast<std::int32_t>(random.below(11)));
  }
  std::span<const std::int32_t> part(Index first, Index count) const {
    return std::span(ids).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  }
  DecodingSession session(Index capacity = 0) const {
    return {model.config(), model.weights(), capacity};
  }
  MatrixView<const std::int32_t> all() const { return {ids.data(), {1, 20}}; }
};

TEST(DecodingSession, AnySplitHasTheLogitsOfTheDefinition) {
  for (const Setting& setting : settings()) {
    SCOPED_TRACE(setting.name);
    Case c(setting.config);
    const auto bounded = bounded_logits(setting.config, c.model.weights(), 1, c.ids);
    testing::expect_bounded(bounded, c.model.logits(c.all(), {c.scratch, c.parallel}), "uncached");
    for (const std::vector<Index>& split : std::vector<std::vector<Index>>{
             {20}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {13, 1, 1, 5}}) {
      DecodingSession session = c.session();
      Buffer<float, 2> logits({20, 11});
      for (const Index count : split) {
        const Index first = session.length();
        session.append(c.part(first, count), {logits.view()[first].data(), {count, 11}},
                       {c.scratch, c.parallel});
      }
      testing::expect_bounded(bounded, logits.view(), "cached");
    }
  }
}

// Compares the rows around the first border between pieces and the last row, which depend on all
// others.
TEST(DecodingSession, PiecesOfALongPromptAreOne) {
  ModelConfig config = small(ModelFamily::llama);
  config.context = 300, config.heads = 2, config.kv_heads = 1, config.width = config.hidden = 8;
  Case c(config);
  std::vector<std::int32_t> prompt;
  for (int i = 0; i < 300; ++i) prompt.push_back(i * i % 11);
  DecodingSession session = c.session();
  Buffer<float, 2> logits({300, 11});
  session.append(prompt, logits, {c.scratch, c.parallel});
  const MatrixView<const float> at_once =
      c.model.logits({prompt.data(), {1, 300}}, {c.scratch, c.parallel});
  testing::Tape<double> tape;
  const auto tables = model_tables<testing::Rounded>(config, c.model.weights());
  const auto expected = ModelReference<testing::Rounded>{config, tables, 1, 300}.logits(prompt);
  for (const Index row : {255, 256, 257, 299}) {
    const auto bounded = tape.bounded(testing::rows_of(expected, row, 1).values);
    testing::expect_bounded(bounded, logits.view()[row], "in pieces");
    testing::expect_bounded(bounded, at_once[row], "at once");
    if (row < 299) continue;
    session.set_length(0);
    testing::expect_bounded(bounded, session.append(prompt, {c.scratch, c.parallel}), "the last");
  }
}

// The logits after the last token alone equal that row of all logits, and the trace is the same.
TEST(DecodingSession, GivesTheLastRowAlone) {
  for (const Setting& setting : settings()) {
    SCOPED_TRACE(setting.name);
    Case c(setting.config);
    const auto bounded = bounded_logits(setting.config, c.model.weights(), 1, c.ids);
    const testing::Values<testing::Bounded> last(bounded.end() - 11, bounded.end());
    DecodingSession session = c.session();
    Buffer<float, 2> all({20, 11});
    SavedMemory size;
    model_trace(setting.config, 20, 0, size);
    Buffer<float, 1> first({size.count()}), second({size.count()});
    const auto trace_in = [&](Buffer<float, 1>& memory) {
      SavedMemory place(memory.view());
      return model_trace(setting.config, 20, 0, place);
    };
    session.append(c.ids, all, {c.scratch, c.parallel}, trace_in(first));
    session.set_length(0);
    testing::expect_bounded(last, session.append(c.ids, {c.scratch, c.parallel}, trace_in(second)),
                            "traced");
    EXPECT_TRUE(equal(first, second));
    session.set_length(0);
    testing::expect_bounded(last, session.append(c.ids, {c.scratch, c.parallel}), "alone");
    session.set_length(0);
    const ModelTrace trace = trace_in(first);
    EXPECT_NE(error_of([&] {
                session.append(c.part(0, 2), {c.scratch, c.parallel}, trace);
              }).find("trace"),
              std::string::npos);
    EXPECT_EQ(session.length(), 0);
  }
}

TEST(DecodingSession, RewindsToWhatItWas) {
  for (const Setting& setting : settings()) {
    SCOPED_TRACE(setting.name);
    Case c(setting.config);
    DecodingSession session = c.session();
    Buffer<float, 1> before({11});
    session.append(c.part(0, 7), {c.scratch, c.parallel});
    const auto next = [&] { return session.append(c.part(7, 1), {c.scratch, c.parallel}); };
    std::ranges::copy_n(next().data(), 11, before.data());
    session.append(c.part(3, 12), {c.scratch, c.parallel});
    EXPECT_EQ(session.length(), 20);
    session.set_length(7);
    EXPECT_TRUE(equal(before, next()));
    EXPECT_EQ(session.length(), 8);
  }
}

TEST(DecodingSession, DoesNotDependOnTheNumberOfThreads) {
  Case c(small(ModelFamily::qwen2));
  Buffer<float, 1> one({11});
  for (const int threads : {1, 2, 3}) {
    Parallel parallel(threads);
    DecodingSession session = c.session();
    session.append(c.part(0, 9), {c.scratch, parallel});
    const VectorView<const float> logits = session.append(c.part(9, 1), {c.scratch, parallel});
    if (threads == 1) std::ranges::copy_n(logits.data(), 11, one.data());
    EXPECT_TRUE(equal(one, logits));
  }
}

TEST(DecodingSession, MayHoldMoreThanTheContextWhereItIsScaledForThat) {
  ModelConfig config = small(ModelFamily::llama);
  config.context = 8;
  config.rotary_scaling = {.kind = RotaryScalingKind::dynamic, .factor = 2, .original = 8};
  Case c(config);
  DecodingSession session = c.session(20);
  Buffer<float, 2> logits({20, 11});
  session.append(c.ids, logits, {c.scratch, c.parallel});
  config.context = 20;  // the length for which rotations are scaled
  expect_logits(config, c.model.weights(), c.ids, logits, "logits");
}

// Earlier tokens are rotated again, too, once a text is longer than `original`, and once it is no
// longer.
TEST(DecodingSession, LongropeTurnsAllTokensByTheLengthOfTheText) {
  ModelConfig config = small(ModelFamily::llama);
  config.rotary_scaling = {.kind = RotaryScalingKind::longrope,
                           .original = 8,
                           .short_factors = {1, 1.25},
                           .long_factors = {1.5, 4},
                           .magnitude = 1.25};
  Case c(config);
  const auto expect_last = [&](DecodingSession& session, Index first, Index count) {
    const VectorView<const float> logits =
        session.append(c.part(first, count), {c.scratch, c.parallel});
    const std::span<const std::int32_t> part = c.part(0, first + count);
    const auto all = bounded_logits(config, c.model.weights(), 1, {part.begin(), part.end()});
    const std::vector<testing::Bounded> last(all.end() - 11, all.end());
    testing::expect_bounded(last, MatrixView<const float>(logits.data(), {1, 11}),
                            std::to_string(first + count).c_str());
    EXPECT_EQ(session.length(), first + count);
  };
  DecodingSession session = c.session();
  expect_last(session, 0, 5);
  for (Index n = 5; n < 12; ++n) expect_last(session, n, 1);
  session.set_length(9), expect_last(session, 9, 4);
  session.set_length(3), expect_last(session, 3, 2);
  expect_last(session, 5, 3);
  expect_last(session, 8, 12);

  DecodingSession at_once = c.session();
  Buffer<float, 2> logits({20, 11});
  at_once.append(c.ids, logits, {c.scratch, c.parallel});
  expect_logits(config, c.model.weights(), c.ids, logits, "all");
  DecodingSession short_one = c.session(8);
  expect_last(short_one, 0, 8);
}

TEST(DecodingSession, RefusesWhatDoesNotFit) {
  Case c(small(ModelFamily::gpt2));
  DecodingSession session = c.session(6);
  const auto message = [&](std::vector<std::int32_t> tokens) {
    const Index before = session.length();
    const std::string text = error_of([&] { session.append(tokens, {c.scratch, c.parallel}); });
    EXPECT_EQ(session.length(), before);
    return text;
  };
  EXPECT_EQ(message({}), "DecodingSession: tokens: there are none");
  EXPECT_EQ(message({1, 11}), "DecodingSession: tokens: 11 at 1 is outside the vocabulary (0..10)");
  EXPECT_EQ(message({-1}), "DecodingSession: tokens: -1 at 0 is outside the vocabulary (0..10)");
  session.append(c.part(0, 4), {c.scratch, c.parallel});
  EXPECT_EQ(message({1, 2, 3}),
            "DecodingSession: tokens: 3 after 4 are more than the capacity of 6");
  Buffer<float, 2> logits({1, 11});
  EXPECT_NE(error_of([&] {
              session.append(c.part(0, 2), logits, {c.scratch, c.parallel});
            }).find("DecodingSession: logits: shape must be [2, 11], is [1, 11]"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { session.set_length(5); }),
            "DecodingSession: length: must be from 0 to the 4 tokens that there are, is 5");
  session.append(c.part(0, 2), {c.scratch, c.parallel});
  EXPECT_EQ(session.length(), 6);

  EXPECT_EQ(error_of([&] { c.session(21); }),
            "DecodingSession: capacity: 21 tokens, but the context is 20");
  EXPECT_EQ(error_of([&] { c.session(-1); }),
            "DecodingSession: capacity: must be at least 0, is -1");
#ifndef __EMSCRIPTEN__  // model-loading.test.ts tests this for WebAssembly
  ModelConfig long_one = ModelConfig::of(ModelFamily::llama);
  long_one.layers = 64, long_one.heads = 1, long_one.width = 256, long_one.hidden = 1;
  long_one.context = 1 << 24, long_one.vocabulary = 1;
  const testing::MemoryLimit limit(std::size_t{256} << 20);  // for systems that do not report it
  const std::string text = error_of([&] { DecodingSession(ModelParameters(long_one)); });
  EXPECT_TRUE(
      text.starts_with("DecodingSession: memory: is not enough: keys and values take "
                       "2097152 MiB"))
      << text;
#endif
  ModelConfig other = c.model.config();
  const auto refused = [&] { return error_of([&] { DecodingSession(other, c.model.weights()); }); };
  other.layers = 3;
  EXPECT_EQ(refused(), "DecodingSession: weights: must have 3 layers, have 2");
  other = c.model.config(), other.hidden = 25;
  EXPECT_EQ(refused(),
            "DecodingSession: layers.0.linear1.weight: shape must be [25, 16], is [24, 16]");
}

// All tokens see all others: later tokens change the logits of the first.
TEST(DecodingSession, RunsAModelThatIsNotCausalAtOnce) {
  for (Setting setting : settings()) {
    setting.config.causal = false, setting.config.window = 0;
    Case c(setting.config);
    DecodingSession session = c.session();
    Buffer<float, 2> logits({20, 11});
    session.append(c.ids, logits, {c.scratch, c.parallel});
    expect_logits(c.model.config(), c.model.weights(), c.ids, logits, setting.name.c_str());
    EXPECT_EQ(error_of([&] {
                session.append(c.part(0, 1), {c.scratch, c.parallel});
              }),
              "DecodingSession: tokens: follow 20, but the model is not causal: all run at once");
    EXPECT_EQ(session.length(), 20);
    session.set_length(0);
    Buffer<float, 2> shorter({7, 11});
    session.append(c.part(0, 7), shorter, {c.scratch, c.parallel});
    const std::vector<std::int32_t> part(c.ids.begin(), c.ids.begin() + 7);
    expect_logits(c.model.config(), c.model.weights(), part, shorter, setting.name.c_str());
  }
}

}  // namespace
}  // namespace tril
