// Sentence encoders from their files: models read like any other, with the core's
// sentence_encoder.h on top.
#include <emscripten/bind.h>
#include <tril/files/json_writer.h>
#include <tril/foundation/check.h>
#include <tril/model/sentence_encoder.h>
#include <tril/text/tokenizer_file.h>

#include <string>
#include <utility>
#include <vector>

#include "guard.h"
#include "model.h"
#include "parameters.h"
#include "tokenizer.h"

namespace tril::js {

namespace {

constexpr const char* kCall = "loadEncoder";

const SentenceSettings& settings_of(const Model& model) {
  if (!model.sentence) fail(kCall, "model", "is no sentence encoder");
  return *model.sentence;
}

std::optional<Tokenizer> read_tokenizer_of(const Bytes& tokenizer, const Bytes& vocabulary,
                                           const Bytes& tokenizer_config) {
  const std::string file = text_of(tokenizer);
  if (!file.empty()) return of_file("tokenizer.json", [&] { return parse_tokenizer_json(file); });
  if (vocabulary["length"].as<int>() == 0)
    fail(kCall, "files", "tokenizer.json is missing, and vocab.txt");
  return word_pieces_of(vocabulary, tokenizer_config);
}

// Gives the folder of the pooling module named in a modules.json.
std::string encoder_pooling_folder(const Bytes& modules) {
  return pooling_folder(text_of(modules));
}

// Makes an encoder from the bytes of config.json; of tokenizer.json, or of vocab.txt and
// tokenizer_config.json; of modules.json, of pooling's config.json and of
// sentence_bert_config.json. Each may be empty. Its parameters are read as those of a model.
ModelHandle make_encoder(Engine& engine, const Bytes& config, const Bytes& tokenizer,
                         const Bytes& vocabulary, const Bytes& tokenizer_config,
                         const Bytes& modules, const Bytes& pooling, const Bytes& sentence,
                         int context, const std::string& weights) {
  const std::string text = text_of(config);
  PretrainedConfig settings = of_file("config.json", [&] { return parse_model_config(text); });
  of_file("config.json", [&] { check_encoder(settings.config, kCall); });
  settings.config = with_context(settings.config, context, kCall);
  const std::string files[] = {text_of(modules), text_of(pooling), text_of(sentence)};
  const SentenceSettings found =
      parse_sentence_settings({files[0], files[1], files[2]}, settings.config);
  std::optional<Tokenizer> read = read_tokenizer_of(tokenizer, vocabulary, tokenizer_config);
  check_tokenizer(read, settings.config);
  const ModelHandle model = of_file("config.json", [&] {
    return std::make_shared<Model>(engine, settings, std::move(read), memory_of(weights));
  });
  model->sentence = found;
  return model;
}

// Gives the settings by which sentences become vectors, as JSON.
std::string sentence_settings(const Model& model) {
  const SentenceSettings& settings = settings_of(model);
  const ModelConfig& config = model.model.parameters.config();
  const Index most =
      settings.max_tokens > 0 ? std::min(settings.max_tokens, config.context) : config.context;
  return tril::detail::json_object({{"width", config.width},
                                    {"pooling", name_of(kPoolings, settings.pooling)},
                                    {"normalised", settings.normalised},
                                    {"maxTokens", most}},
                                   tril::detail::kJsonTight)
      .text;
}

// Gives the tokens of a text, up to the limit of the encoder.
Integers tokens_of_sentence(const Model& model, const Bytes& text) {
  return to_javascript(sentence_tokens(*model.model.tokenizer, settings_of(model),
                                       model.model.parameters.config(), text_of(text)));
}

// Gives the vectors of tokens, [T, C].
TensorHandle hidden_of(Model& model, const Integers& tokens) {
  settings_of(model);
  const std::vector<std::int32_t> ids = numbers_of(tokens);
  const Shape<2> shape = {static_cast<Index>(ids.size()), model.model.parameters.config().width};
  const auto out = std::make_shared<Tensor>(
      model.engine, DynamicShape{std::max<Index>(shape[0], 1), shape[1]}, "hidden");
  encode_tokens(model.model.parameters, ids, {out->data(), shape}, model.engine.context);
  return out;
}

// Gives the vectors of sentences, [N, C], from the tokens of all sentences, concatenated, and the
// number of tokens of each.
TensorHandle encode_all(Model& model, const Integers& tokens, const Integers& lengths) {
  const SentenceSettings& settings = settings_of(model);
  const std::vector<std::int32_t> ids = numbers_of(tokens), counts = numbers_of(lengths);
  const Index C = model.model.parameters.config().width, N = static_cast<Index>(counts.size());
  const auto out = std::make_shared<Tensor>(model.engine, DynamicShape{N, C}, "encode");
  const MatrixView<float> vectors(out->data(), {N, C});
  const Context& context = model.engine.context;
  std::size_t first = 0;
  for (Index n = 0; n < N; ++n) {
    const auto T = static_cast<std::size_t>(counts[static_cast<std::size_t>(n)]);
    Scratch::Frame frame(context.scratch);
    const Shape<2> shape = {static_cast<Index>(T), C};
    const MatrixView<float> hidden(frame.take<float>(shape[0], shape[1]), shape);
    encode_tokens(model.model.parameters, std::span(ids).subspan(first, T), hidden, context);
    pool_tokens(settings, hidden, vectors[n]);
    first += T;
  }
  return out;
}

// a [N, C], b [M, C]; gives [N, M].
TensorHandle cosines(Engine& engine, const Tensor& a, const Tensor& b) {
  constexpr const char* kSimilarity = "similarity";
  const auto matrix = [](const Tensor& x, const char* name) {
    if (x.rank() != 2) fail(kSimilarity, name, {"must have two axes; shape is ", x});
    return MatrixView<const float>(x.data(), {x.size(0), x.size(1)});
  };
  const MatrixView<const float> rows = matrix(a, "a"), others = matrix(b, "b");
  const auto out =
      std::make_shared<Tensor>(engine, DynamicShape{a.size(0), b.size(0)}, "similarity");
  cosine_similarity(rows, others, {out->data(), {a.size(0), b.size(0)}});
  return out;
}

}  // namespace

EMSCRIPTEN_BINDINGS(tril_sentence_encoder) {
  using namespace emscripten;
  function("_encoder", guard<&make_encoder>);
  function("_encoderPoolingFolder", guard<&encoder_pooling_folder>);
  function("_encoderSettings", guard<&sentence_settings>);
  function("_encoderTokens", guard<&tokens_of_sentence>);
  function("_encoderHidden", guard<&hidden_of>);
  function("_encoderEncode", guard<&encode_all>);
  function("_encoderSimilarity", guard<&cosines>);
}

}  // namespace tril::js
