// Texts that go on: tokens drawn one after another, until there are enough, the model ends the
// text, or one of the texts comes at which to stop.
//
//   Generation text(model, prompt, {.max_tokens = 50, .sampling = {.top_p = 0.9}, .seed = 7});
//   while (const auto next = text.next(context)) std::cout << next->text;
#pragma once

#include <tril/model/decoding_session.h>
#include <tril/model/language_model.h>
#include <tril/model/pretrained.h>
#include <tril/model/sampling.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tril {

// How far, and how.
struct GenerationOptions {
  Index max_tokens = 100;              // at most; at least 0
  SamplingOptions sampling = {};       // how each is drawn
  std::uint64_t seed = 0;              // of all draws
  std::vector<std::string> stop = {};  // none is empty; with a tokenizer only
  Interventions changes = {};          // of the model, for all of it; values are borrowed
};

// Why it ended.
enum class GenerationEnd : std::uint8_t { none, max_tokens, end_token, stop };
// Their names.
inline constexpr Named<GenerationEnd> kGenerationEnds[] = {
    {"none", GenerationEnd::none},
    {"max_tokens", GenerationEnd::max_tokens},
    {"end_token", GenerationEnd::end_token},
    {"stop", GenerationEnd::stop}};

// A token that was drawn.
struct GeneratedToken {
  std::int32_t token;  // its number
  // The bytes that are sure to be of the text by now: those of this token and of tokens before it,
  // but for the beginning of what may become a text at which to stop. Without a tokenizer none. A
  // character may come in parts. Behind a prompt of nothing but special tokens the text begins
  // without the space that decoding leaves away.
  std::string text;
};

// Borrows the model. What it draws is a function of the model, the prompt and the options.
class Generation {
 public:
  // After `prompt`, of at least one token. Where the context is full, it goes on after the second
  // half of what is in it. Throws Error where the prompt is empty, longer than the context, or has
  // what is not a token, where options are out of range, and where changes do not fit the model.
  Generation(const PretrainedModel& model, std::span<const std::int32_t> prompt,
             const GenerationOptions& options);
  // The same of a model in training, whose tokenizer may be null. Nothing is cached: each token is
  // drawn after the last tokens that the context holds, and the model may be trained between two
  // of them. The prompt may be longer than the context. Throws Error besides for changes, which
  // are for loaded models; next() throws where the prompt has what is not a token.
  Generation(LanguageModel& model, const Tokenizer* tokenizer, std::span<const std::int32_t> prompt,
             const GenerationOptions& options);

  // The next token; none at the end. Throws Error where logits are not finite.
  std::optional<GeneratedToken> next(const Context& context = {});
  // What was held back of the text, after the last token.
  std::string rest();
  // Why it ended; none as long as it goes on.
  GenerationEnd end() const noexcept { return end_; }
  // By which the last token was drawn, one for each.
  VectorView<const double> probabilities() const noexcept { return sampler_.probabilities(); }
  // The keys and values of what there is so far; only of a loaded model, others cache none.
  const DecodingSession& session() const { return session_.value(); }

 private:
  VectorView<const float> run(const Context& context);
  VectorView<const float> run_cached(const Context& context);
  VectorView<const float> run_trained(const Context& context);
  std::string text_behind(std::int32_t token);

  const Tokenizer* tokenizer_;                   // null: there is no text
  const std::vector<std::int32_t>* end_tokens_;  // null: none
  LanguageModel* trained_ = nullptr;             // it or session_ is there
  GenerationOptions options_;
  std::optional<DecodingSession> session_;
  Sampler sampler_;
  std::vector<std::int32_t> tokens_;  // prompt and what was drawn
  std::size_t done_ = 0;              // how many of them the session has had
  Index drawn_ = 0;
  GenerationEnd end_ = GenerationEnd::none;
  bool is_at_beginning_ = false;  // no text yet, nor in the prompt, and a space does not count
  std::string held_;              // back, of the text
};

}  // namespace tril
