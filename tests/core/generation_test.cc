// Generated texts: the drawn tokens against the uncached model, the ends of texts, and wrong input.
#include <gtest/gtest.h>
#include <tril/model/generation.h>
#include <tril/model/language_model.h>
#include <tril/model/model_file.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/compare.h"

namespace tril {
namespace {

using testing::error_of;
using Ids = std::vector<std::int32_t>;

// Bytes and a few tokens of two bytes.
Tokenizer tokenizer() {
  TokenizerParts parts;
  for (int n = 0; n < 256; ++n) parts.tokens.emplace_back(1, static_cast<char>(n));
  parts.tokens.emplace_back("ab"), parts.tokens.emplace_back("bc");
  parts.merges = {{'a', 'b', 256}, {'b', 'c', 257}};
  return Tokenizer(parts);
}

// A model whose vocabulary is larger than its tokenizer's, and the same model in training.
struct Case {
  LanguageModel trained;
  PretrainedModel model;

  static ModelConfig config() {
    ModelConfig config = ModelConfig::of(ModelFamily::llama);
    config.layers = 2, config.heads = 2, config.width = 16, config.context = 16;
    config.vocabulary = 264;
    return config;
  }
  Case() : trained(config(), 1), model{ModelParameters(config()), {}, tokenizer()} {
    Random random(2);
    const VectorView<float> values = trained.values();
    for (Index i = 0; i < values.size(0); ++i) values[i] += 0.3f * random.normal();
    ParameterReader reader(model.parameters);
    const std::vector<std::byte> file = model_file(trained);
    for (const ParameterRange& place : reader.find(parse_safetensors(file))) {
      reader.read(place, std::span(file).subspan(place.begin, place.size));
    }
    reader.finish();
  }
  // All drawn tokens.
  Ids drawn(const Ids& prompt, const GenerationOptions& options, std::string* text = nullptr,
            GenerationEnd* end = nullptr) {
    Generation generation(model, prompt, options);
    Ids ids;
    while (const auto next = generation.next()) {
      ids.push_back(next->token);
      if (text) *text += next->text;
    }
    if (text) *text += generation.rest();
    if (end) *end = generation.end();
    return ids;
  }
  // The most likely token after these, without a cache.
  std::int32_t likeliest(const Ids& ids) {
    const auto count = static_cast<Index>(ids.size());
    const VectorView<const float> last = trained.logits({ids.data(), {1, count}})[count - 1];
    return static_cast<std::int32_t>(std::max_element(last.data(), last.data() + 258) -
                                     last.data());
  }
};

TEST(Generation, DrawsWhatTheUncachedModelSays) {
  Case c;
  const Ids prompt = {1, 2, 3};
  Ids all = prompt;
  std::string text;
  GenerationEnd end;
  for (const std::int32_t token :
       c.drawn(prompt, {.max_tokens = 13, .sampling = {.temperature = 0}}, &text, &end)) {
    EXPECT_EQ(token, c.likeliest(all));
    all.push_back(token);
  }
  EXPECT_EQ(all.size(), 16u);
  EXPECT_EQ(end, GenerationEnd::max_tokens);
  const Ids drawn(all.begin() + 3, all.end());
  EXPECT_EQ(text, c.model.tokenizer->decode(drawn));
}

// The text is that of all tokens without the prompt's; after special tokens alone the first space
// does not belong to the text.
TEST(Generation, BeginsWithABlankOnlyBehindText) {
  Case c;
  TokenizerParts parts;
  for (int n = 0; n < 256; ++n) {
    parts.tokens.emplace_back(1, static_cast<char>(n));
    parts.byte_fallback.push_back(n);
  }
  parts.prefix_space = PrefixSpace::each;
  for (const char* const token : {" a", " b", " c", " d", " e", "<s>"}) {
    parts.tokens.emplace_back(token);
  }
  parts.added = {{"<s>", 261}};
  c.model.tokenizer.emplace(parts);
  int blanks = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const GenerationOptions options{.max_tokens = 3, .sampling = {.temperature = 50}, .seed = seed};
    std::string text;
    const Ids behind_nothing = c.drawn({261}, options, &text);
    if (behind_nothing[0] != 261) {
      EXPECT_EQ(text, c.model.tokenizer->decode(behind_nothing));
      blanks += c.model.tokenizer->token(behind_nothing[0]).starts_with(' ');
    }
    Ids all = {261, 'x'};
    text = c.model.tokenizer->decode(all);
    for (const std::int32_t token : c.drawn({261, 'x'}, options, &text)) all.push_back(token);
    EXPECT_EQ(text, c.model.tokenizer->decode(all));
  }
  EXPECT_GT(blanks, 0);
}

// Once the context of 16 tokens is full, it continues after the last 8.
TEST(Generation, GoesOnBeyondTheContext) {
  Case c;
  Ids seen = {1, 2, 3, 4, 5};
  const Ids drawn = c.drawn(seen, {.max_tokens = 40, .sampling = {.temperature = 0}});
  ASSERT_EQ(drawn.size(), 40u);
  for (const std::int32_t token : drawn) {
    if (seen.size() > 16) seen.erase(seen.begin(), seen.end() - 8);
    EXPECT_EQ(token, c.likeliest(seen));
    seen.push_back(token);
  }
}

// The number of further tokens is unlimited: nothing is allocated for tokens that may never come.
TEST(Generation, MayGoOnForever) {
  Case c;
  Generation generation(
      c.model, Ids{1},
      {.max_tokens = std::numeric_limits<Index>::max(), .sampling = {.temperature = 0}});
  for (int n = 0; n < 3; ++n) EXPECT_TRUE(generation.next());
  EXPECT_EQ(generation.session().capacity(), 16);
}

TEST(Generation, IsAFunctionOfTheSeed) {
  Case c;
  const auto drawn = [&](std::uint64_t seed) {
    return c.drawn({7}, {.max_tokens = 30, .sampling = {.top_p = 0.9}, .seed = seed});
  };
  EXPECT_EQ(drawn(1), drawn(1));
  EXPECT_NE(drawn(1), drawn(2));
  EXPECT_TRUE(std::ranges::all_of(drawn(1), [](std::int32_t id) { return id < 258; }));
}

TEST(Generation, EndsWhereTheModelEndsIt) {
  Case c;
  const GenerationOptions options{.max_tokens = 20, .sampling = {.temperature = 0}};
  const Ids all = c.drawn({1, 2}, options);
  c.model.end_tokens = {-5, all[6]};
  const auto first = std::ranges::find(all, all[6]);
  GenerationEnd end;
  EXPECT_EQ(c.drawn({1, 2}, options, nullptr, &end), Ids(all.begin(), first));
  EXPECT_EQ(end, GenerationEnd::end_token);
}

// The stop text may end anywhere inside a token.
TEST(Generation, EndsBeforeATextAtWhichToStop) {
  Case c;
  GenerationOptions options{.max_tokens = 20, .sampling = {.temperature = 0}};
  std::string all, text;
  c.drawn({1, 2}, options, &all);
  for (std::size_t begin = 1; begin < 8; ++begin) {
    for (std::size_t size = 1; size < 6; ++size) {
      const std::string stop = all.substr(begin, size);
      options.stop = {"never there", stop};
      text.clear();
      GenerationEnd end;
      c.drawn({1, 2}, options, &text, &end);
      EXPECT_EQ(text, all.substr(0, all.find(stop)));
      EXPECT_EQ(end, GenerationEnd::stop);
    }
  }
  // Text that only looked like a stop text is returned in the end.
  options.stop = {all.substr(all.size() - 3) + "more"};
  text.clear();
  c.drawn({1, 2}, options, &text);
  EXPECT_EQ(text, all);
}

// Within the context a model in training generates what the model of its file does, with the same
// draws; beyond it, it sees the whole context, and its prompt may be longer.
TEST(Generation, OfAModelInTrainingIsThatOfItsFile) {
  Case c;
  const auto trained = [&](const Ids& prompt, const GenerationOptions& options) {
    Generation generation(c.trained, &*c.model.tokenizer, prompt, options);
    std::string text;
    Ids ids;
    while (const auto next = generation.next()) {
      ids.push_back(next->token);
      text += next->text;
    }
    text += generation.rest();
    if (generation.end() == GenerationEnd::max_tokens) {
      EXPECT_EQ(text, c.model.tokenizer->decode(ids));
    }
    return std::pair(ids, text);
  };
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const GenerationOptions options{
        .max_tokens = 13, .sampling = {.top_k = 50, .top_p = 0.9, .min_p = 0.001}, .seed = seed};
    std::string text;
    const Ids ids = c.drawn({1, 2, 3}, options, &text);
    EXPECT_EQ(trained({1, 2, 3}, options), std::pair(ids, text));
    GenerationOptions stopped = options;
    stopped.stop = {text.substr(4, 2)};
    text.clear();
    const Ids cut = c.drawn({1, 2, 3}, stopped, &text);
    EXPECT_EQ(trained({1, 2, 3}, stopped), std::pair(cut, text));
  }
  Ids seen(20, 7);
  const auto [ids, text] = trained(seen, {.max_tokens = 30, .sampling = {.temperature = 0}});
  ASSERT_EQ(ids.size(), 30u);
  for (const std::int32_t token : ids) {
    EXPECT_EQ(token, c.likeliest(Ids(seen.end() - 16, seen.end())));
    seen.push_back(token);
  }
}

// Nothing is cached, so a training step in between affects the next token.
TEST(Generation, OfAModelInTrainingFollowsItsParameters) {
  Case c;
  const GenerationOptions options{.max_tokens = 3, .sampling = {.temperature = 0}};
  Generation generation(c.trained, nullptr, Ids{1}, options);
  const auto first = generation.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->text, "");
  const VectorView<float> values = c.trained.values();
  for (Index i = 0; i < values.size(0); ++i) values[i] = -values[i];
  const Ids seen = {1, first->token};
  const MatrixView<const float> logits = c.trained.logits({seen.data(), {1, 2}});
  const float* const last = logits[1].data();
  const auto expected = std::max_element(last, last + 264) - last;
  const auto second = generation.next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->token, expected);
}

TEST(Generation, OfAModelInTrainingRefusesWhatItCannotDo) {
  Case c;
  const auto refused = [&](const Ids& prompt, const GenerationOptions& options,
                           const Tokenizer* tokenizer = nullptr) {
    return error_of([&] { Generation(c.trained, tokenizer, prompt, options); });
  };
  EXPECT_EQ(refused({}, {}), "Generation: prompt: is empty: there must be a token to begin from");
  EXPECT_EQ(refused({1}, {.stop = {"a"}}),
            "Generation: stop: the model has no tokenizer, and so no text to stop at");
  EXPECT_EQ(refused({1}, {.changes = {.without_layers = {0}}}),
            "Generation: changes: are for a loaded model");
  Generation generation(c.trained, nullptr, Ids{300}, {});
  EXPECT_NE(error_of([&] { generation.next(); }).find("300 at [0, 0]"), std::string::npos);
}

TEST(Generation, RefusesWhatItCannotBeginFrom) {
  Case c;
  const auto refused = [&](const Ids& prompt, const GenerationOptions& options = {}) {
    return error_of([&] { Generation(c.model, prompt, options); });
  };
  EXPECT_EQ(refused({}), "Generation: prompt: is empty: there must be a token to begin from");
  EXPECT_EQ(refused(Ids(17, 1)), "Generation: prompt: has 17 tokens, and the context is 16");
  EXPECT_EQ(refused({264}), "Generation: prompt: 264 is outside the vocabulary (0..263)");
  EXPECT_EQ(refused({1}, {.max_tokens = -1}), "Generation: max_tokens: must be at least 0, is -1");
  EXPECT_EQ(refused({1}, {.stop = {""}}), "Generation: stop: a text is empty");
  EXPECT_EQ(refused({1}, {.sampling = {.top_p = 2}}),
            "sample_token: top_p: must be above 0 and at most 1, is 2");
  EXPECT_TRUE(c.drawn({1}, {.max_tokens = 0}).empty());
  ModelConfig both_ways = Case::config();
  both_ways.causal = false;
  const PretrainedModel encoder{ModelParameters(both_ways), {}, tokenizer()};
  EXPECT_EQ(error_of([&] { Generation(encoder, Ids{1}, {}); }),
            "Generation: config: is not causal, so it cannot continue a text token by token");
  c.model.tokenizer.reset();
  EXPECT_EQ(refused({1}, {.stop = {"a"}}),
            "Generation: stop: the model has no tokenizer, and so no text to stop at");
  EXPECT_EQ(c.drawn({1}, {.max_tokens = 2}).size(), 2u);
}

}  // namespace
}  // namespace tril
