#include <tril/files/utf8.h>
#include <tril/foundation/check.h>
#include <tril/model/decoding_session.h>
#include <tril/model/sentence_encoder.h>
#include <tril/text/letter_case.h>

#include <algorithm>
#include <cmath>

namespace tril {
namespace {

constexpr const char* kCall = "encode_sentences";

std::string lower_cased(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const detail::CodePoint next = detail::first_code_point(text);
    const std::size_t size = next.size > 0 ? next.size : 1;
    if (next.size > 0) detail::append_utf8(out, detail::lower_case(next.code));
    if (next.size == 0) out += text[0];
    text.remove_prefix(size);
  }
  return out;
}

double dot(const VectorView<const float>& a, const VectorView<const float>& b) noexcept {
  double sum = 0;
  for (Index i = 0; i < a.size(0); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

}  // namespace

void check_encoder(const ModelConfig& config, const char* call) {
  if (!config.has_head) return;
  fail(call, "config",
       {"is of a language model of the family ", family_name(config.family),
        "; encoders are of bert"});
}

std::vector<std::int32_t> sentence_tokens(const Tokenizer& tokenizer,
                                          const SentenceSettings& settings,
                                          const ModelConfig& config, std::string_view text) {
  const TokenizerParts& parts = tokenizer.parts();
  const Index most =
      settings.max_tokens > 0 ? std::min(settings.max_tokens, config.context) : config.context;
  const auto around = static_cast<Index>(parts.prefix.size() + parts.suffix.size());
  if (around > most) {
    fail(kCall, "tokenizer",
         {"puts ", around, " tokens around each text, and there may be ", most, " in all"});
  }
  const std::string lower = settings.lower_case ? lower_cased(text) : std::string();
  std::vector<TokenId> ids =
      tokenizer.encode(settings.lower_case ? lower : text, {.affixes = false});
  ids.resize(std::min(ids.size(), static_cast<std::size_t>(most - around)));
  ids.insert(ids.begin(), parts.prefix.begin(), parts.prefix.end());
  ids.insert(ids.end(), parts.suffix.begin(), parts.suffix.end());
  if (ids.empty()) fail(kCall, "texts", "one of them has no tokens");
  detail::check_tokens(kCall, ids, config.vocabulary);
  return ids;
}

void encode_tokens(const ModelParameters& parameters, std::span<const std::int32_t> tokens,
                   const MatrixView<float>& hidden, const Context& context) {
  constexpr const char* kTokens = "encode_tokens";
  const ModelConfig& config = parameters.config();
  check_encoder(config, kTokens);
  const auto T = static_cast<Index>(tokens.size());
  if (T < 1 || T > config.context) {
    fail(kTokens, "tokens", {"must be from 1 to the context of ", config.context, ", are ", T});
  }
  detail::check_tokens(kTokens, tokens, config.vocabulary);
  check_shape(hidden, {T, config.width}, kTokens, "hidden", "[T, C]");
  ModelTrace trace;
  trace.ln_final = hidden;
  DecodingSession(parameters, T).append(tokens, context, trace);
}

void pool_tokens(const SentenceSettings& settings, const MatrixView<const float>& hidden,
                 const VectorView<float>& out) {
  constexpr const char* kPool = "pool_tokens";
  check_view(hidden, kPool, "hidden");
  const Index T = hidden.size(0), C = hidden.size(1);
  if (T < 1) fail(kPool, "hidden", "has no tokens");
  check_shape(out, {C}, kPool, "out", "[C]");
  for (Index i = 0; i < C; ++i) {
    double value = hidden[0][i];
    for (Index t = 1; t < T && settings.pooling != Pooling::cls; ++t) {
      const double next = hidden[t][i];
      value = settings.pooling == Pooling::mean ? value + next : std::max(value, next);
    }
    if (settings.pooling == Pooling::mean) value /= static_cast<double>(T);
    out[i] = static_cast<float>(value);
  }
  if (!settings.normalised) return;
  // Like torch.nn.functional.normalize, which Normalize uses.
  const double length = std::max(std::sqrt(dot(out, out)), 1e-12);
  for (Index i = 0; i < C; ++i) out[i] = static_cast<float>(out[i] / length);
}

void encode_sentences(const SentenceEncoder& encoder, std::span<const std::string> texts,
                      const MatrixView<float>& out, const Context& context) {
  const ModelParameters& parameters = encoder.model.parameters;
  const Index C = encoder.width();
  if (!encoder.model.tokenizer) fail(kCall, "encoder", "has no tokenizer");
  check_shape(out, {static_cast<Index>(texts.size()), C}, kCall, "out", "[N, C]");
  std::vector<std::vector<std::int32_t>> all;
  for (const std::string& text : texts) {
    all.push_back(
        sentence_tokens(*encoder.model.tokenizer, encoder.settings, parameters.config(), text));
  }
  Index row = 0;
  for (const std::vector<std::int32_t>& tokens : all) {
    Scratch::Frame frame(context.scratch);
    const auto T = static_cast<Index>(tokens.size());
    const MatrixView<float> hidden(frame.take<float>(T, C), {T, C});
    encode_tokens(parameters, tokens, hidden, context);
    pool_tokens(encoder.settings, hidden, out[row++]);
  }
}

void cosine_similarity(const MatrixView<const float>& a, const MatrixView<const float>& b,
                       const MatrixView<float>& out) {
  constexpr const char* kCosine = "cosine_similarity";
  check_view(a, kCosine, "a");
  check_view(b, kCosine, "b");
  check_shape(b, {b.size(0), a.size(1)}, kCosine, "b", "rows as wide as those of a");
  check_shape(out, {a.size(0), b.size(0)}, kCosine, "out", "[N, M]");
  check_no_overlap(out, a, kCosine, "out");
  check_no_overlap(out, b, kCosine, "out");
  for (Index n = 0; n < a.size(0); ++n) {
    const double length = std::sqrt(dot(a[n], a[n]));
    for (Index m = 0; m < b.size(0); ++m) {
      const double both = length * std::sqrt(dot(b[m], b[m]));
      out[n][m] = both > 0 ? static_cast<float>(dot(a[n], b[m]) / both) : 0.0f;
    }
  }
}

}  // namespace tril
