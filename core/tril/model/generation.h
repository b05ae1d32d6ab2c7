// Text generation: tokens are sampled one after another, until their maximum number is reached, the
// model ends the text, or the text contains a stop text.
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

// Options of generation.
struct GenerationOptions {
  Index max_tokens = 100;              // maximum number of tokens; at least 0
  SamplingOptions sampling = {};       // how a token is sampled
  std::uint64_t seed = 0;              // seed of all samples
  std::vector<std::string> stop = {};  // non-empty texts that end it; only with a tokenizer
  Interventions changes = {};          // changes to the model; borrows their values
};

// Why generation ended.
enum class GenerationEnd : std::uint8_t { none, max_tokens, end_token, stop };
// Their names.
inline constexpr Named<GenerationEnd> kGenerationEnds[] = {
    {"none", GenerationEnd::none},
    {"max_tokens", GenerationEnd::max_tokens},
    {"end_token", GenerationEnd::end_token},
    {"stop", GenerationEnd::stop}};

// A sampled token.
struct GeneratedToken {
  std::int32_t token;  // its id
  // The next bytes of the text that are final: those of this token and of earlier ones, without a
  // suffix that may become a stop text. Empty without a tokenizer. A character may come in parts.
  // After a prompt of special tokens only, the text begins without the space that decode() removes.
  std::string text;
};

// Borrows the model. The tokens are a function of the model, the prompt and the options.
class Generation {
 public:
  // Continues `prompt`, which has at least one token. When the context is full, it continues after
  // the second half of its tokens. Throws Error where the prompt is empty, longer than the context
  // or has an id that is not a token, where options are out of range, and where changes do not fit
  // the model.
  Generation(const PretrainedModel& model, std::span<const std::int32_t> prompt,
             const GenerationOptions& options);
  // The same for a model in training, whose tokenizer may be null. Nothing is cached: each token is
  // sampled after the last tokens that fit into the context, and the model may be trained between
  // two tokens. The prompt may be longer than the context. Throws Error also for changes, which
  // only loaded models have; next() throws where the prompt has an id that is not a token.
  Generation(LanguageModel& model, const Tokenizer* tokenizer, std::span<const std::int32_t> prompt,
             const GenerationOptions& options);

  // The next token; nothing at the end. Throws Error where logits are not finite.
  std::optional<GeneratedToken> next(const Context& context = {});
  // The rest of the text that was held back, after the last token.
  std::string rest();
  // Why it ended; `none` before the end.
  GenerationEnd end() const noexcept { return end_; }
  // The distribution that the last token was sampled from: a probability for each token.
  VectorView<const double> probabilities() const noexcept { return sampler_.probabilities(); }
  // The session with the cached keys and values; only for a loaded model.
  const DecodingSession& session() const { return session_.value(); }

 private:
  VectorView<const float> run(const Context& context);
  VectorView<const float> run_cached(const Context& context);
  VectorView<const float> run_trained(const Context& context);
  std::string text_behind(std::int32_t token);

  const Tokenizer* tokenizer_;                   // null: no text is decoded
  const std::vector<std::int32_t>* end_tokens_;  // null: none
  LanguageModel* trained_ = nullptr;             // null: session_ is used
  GenerationOptions options_;
  std::optional<DecodingSession> session_;
  Sampler sampler_;
  std::vector<std::int32_t> tokens_;  // the prompt and the sampled tokens
  std::size_t done_ = 0;              // number of these that the session has
  Index drawn_ = 0;
  GenerationEnd end_ = GenerationEnd::none;
  bool is_at_beginning_ = false;  // of the text, prompt included: a first space is removed
  std::string held_;              // bytes that may become a stop text
};

}  // namespace tril
