#include <tril/foundation/check.h>
#include <tril/model/generation.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace tril {
namespace {

constexpr const char* kCall = "Generation";

void check_options(const GenerationOptions& options, const Tokenizer* tokenizer) {
  if (options.max_tokens < 0) {
    fail(kCall, "max_tokens", {"must be at least 0, is ", options.max_tokens});
  }
  for (const std::string& each : options.stop) {
    if (each.empty()) fail(kCall, "stop", "a text is empty");
  }
  if (!options.stop.empty() && !tokenizer) {
    fail(kCall, "stop", "the model has no tokenizer, and so no text to stop at");
  }
}

void check_not_empty(std::span<const std::int32_t> prompt) {
  if (prompt.empty()) fail(kCall, "prompt", "is empty: there must be a token to begin from");
}

// The capacity for the largest number of tokens that generation can need.
Index capacity_of(const PretrainedModel& model, std::span<const std::int32_t> prompt,
                  const GenerationOptions& options) {
  const ModelConfig& config = model.parameters.config();
  if (!config.causal) {
    fail(kCall, "config", "is not causal, so it cannot continue a text token by token");
  }
  check_not_empty(prompt);
  const auto count = static_cast<Index>(prompt.size());
  if (count > config.context) {
    fail(kCall, "prompt", {"has ", count, " tokens, and the context is ", config.context});
  }
  check_options(options, model.tokenizer ? &*model.tokenizer : nullptr);
  for (const std::int32_t token : prompt) {
    if (token >= 0 && token < config.vocabulary) continue;
    fail(kCall, "prompt", {token, " is outside the vocabulary (0..", config.vocabulary - 1, ")"});
  }
  check_interventions(config, options.changes, kCall);
  return count + std::min(options.max_tokens, config.context - count);
}

// The number of bytes at the end of a text that are a proper prefix of `stop`.
std::size_t begun(std::string_view text, std::string_view stop) noexcept {
  std::size_t count = std::min(text.size(), stop.size() - 1);
  while (count > 0 && !text.ends_with(stop.substr(0, count))) --count;
  return count;
}

// Whether decoding drops the first space after a prompt: the prompt has only special tokens.
bool is_nothing(std::span<const std::int32_t> prompt, const Tokenizer* tokenizer) {
  if (!tokenizer || !tokenizer->loses_first_space()) return false;
  return std::ranges::all_of(prompt, [&](std::int32_t token) {
    return token < tokenizer->size() && tokenizer->is_special(token);
  });
}

}  // namespace

Generation::Generation(const PretrainedModel& model, std::span<const std::int32_t> prompt,
                       const GenerationOptions& options)
    : tokenizer_(model.tokenizer ? &*model.tokenizer : nullptr),
      end_tokens_(&model.end_tokens),
      options_(options),
      session_(std::in_place, model.parameters, capacity_of(model, prompt, options)),
      sampler_(options.sampling, options.seed),
      tokens_(prompt.begin(), prompt.end()) {
  session_->set_changes(options.changes);
  is_at_beginning_ = is_nothing(prompt, tokenizer_);
}

Generation::Generation(LanguageModel& model, const Tokenizer* tokenizer,
                       std::span<const std::int32_t> prompt, const GenerationOptions& options)
    : tokenizer_(tokenizer),
      end_tokens_(nullptr),
      trained_(&model),
      options_(options),
      sampler_(options.sampling, options.seed),
      tokens_(prompt.begin(), prompt.end()) {
  check_not_empty(prompt);
  check_options(options, tokenizer);
  if (!options.changes.is_empty()) fail(kCall, "changes", "are for a loaded model");
  is_at_beginning_ = is_nothing(prompt, tokenizer);
}

VectorView<const float> Generation::run_cached(const Context& context) {
  const auto capacity = static_cast<std::size_t>(session_->capacity());
  if (static_cast<std::size_t>(session_->length()) + tokens_.size() - done_ > capacity) {
    session_->set_length(0);
    done_ = tokens_.size() - std::max<std::size_t>(1, capacity / 2);
  }
  const auto new_tokens = std::span(std::as_const(tokens_)).subspan(done_);
  const VectorView<const float> logits = session_->append(new_tokens, context);
  done_ = tokens_.size();
  return logits;
}

VectorView<const float> Generation::run_trained(const Context& context) {
  const auto all = static_cast<Index>(tokens_.size());
  const Index seen = std::min(all, trained_->config().context);
  return trained_->logits({tokens_.data() + all - seen, {1, seen}}, context)[seen - 1];
}

// The logits after all tokens so far.
VectorView<const float> Generation::run(const Context& context) {
  const VectorView<const float> logits = trained_ ? run_trained(context) : run_cached(context);
  if (!tokenizer_) return logits;
  // A vocabulary may be larger than its tokenizer, rounded up.
  return {logits.data(), {std::min<Index>(logits.size(0), tokenizer_->size())}};
}

std::optional<GeneratedToken> Generation::next(const Context& context) {
  if (end_ != GenerationEnd::none) return {};
  if (drawn_ == options_.max_tokens) {
    end_ = GenerationEnd::max_tokens;
    return {};
  }
  const std::int32_t token = sampler_.draw(run(context));
  if (end_tokens_ && std::ranges::find(*end_tokens_, token) != end_tokens_->end()) {
    end_ = GenerationEnd::end_token;
    return {};
  }
  tokens_.push_back(token);
  ++drawn_;
  return GeneratedToken{token, text_behind(token)};
}

std::string Generation::text_behind(std::int32_t token) {
  if (!tokenizer_) return {};
  std::string_view bytes = tokenizer_->text(static_cast<TokenId>(token));
  if (is_at_beginning_ && !tokenizer_->is_special(token)) {
    is_at_beginning_ = false;
    if (bytes.starts_with(' ')) bytes.remove_prefix(1);
  }
  held_ += bytes;
  std::size_t first = held_.npos, sure = held_.size();
  for (const std::string& stop : options_.stop) {
    first = std::min(first, held_.find(stop));
    sure = std::min(sure, held_.size() - begun(held_, stop));
  }
  if (first != held_.npos) {
    end_ = GenerationEnd::stop;
    return std::exchange(held_, {}).substr(0, first);
  }
  std::string text = held_.substr(0, sure);
  held_.erase(0, sure);
  return text;
}

std::string Generation::rest() {
  return end_ == GenerationEnd::none ? std::string() : std::exchange(held_, {});
}

}  // namespace tril
