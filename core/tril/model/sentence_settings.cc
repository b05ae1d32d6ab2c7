// The additional files of a sentence encoder, as sentence-transformers writes them
// (sentence_transformers/ SentenceTransformer.py, models/Pooling.py, models/Transformer.py).
#include <tril/files/file.h>
#include <tril/files/gguf.h>
#include <tril/files/json_value.h>
#include <tril/files/json_writer.h>
#include <tril/foundation/check.h>
#include <tril/model/sentence_encoder.h>

#include <algorithm>
#include <utility>

namespace tril {
namespace {

constexpr const char* kCall = "parse_sentence_settings";
constexpr const char *kModules = "modules.json", *kSentence = "sentence_bert_config.json";
constexpr const char* kPoolingFolder = "1_Pooling";

struct Modules {
  std::string pooling;
  bool normalised = false;
};

// The class's own name: "Pooling" for "sentence_transformers.models.Pooling".
std::string_view last_name(std::string_view type) { return type.substr(type.rfind('.') + 1); }

Modules read_modules(std::string_view file) {
  if (file.empty()) return {kPoolingFolder, false};
  detail::JsonReader reader(kCall, file, 0, kModules);
  const detail::JsonValue list = reader.value();
  if (!reader.at_end()) reader.fail("something follows the list");
  constexpr std::string_view kTypes[] = {"Transformer", "Pooling", "Normalize"};
  Modules modules;
  const std::size_t count = list.items.size();
  if (list.kind != detail::JsonValue::Kind::list || count < 2 || count > std::size(kTypes)) {
    fail(kCall, kModules, "must be a list of a Transformer, Pooling and perhaps Normalize");
  }
  for (std::size_t n = 0; n < count; ++n) {
    const detail::JsonValue& module = list.items[n];
    const std::string_view type = module["type"].text();
    if (last_name(type) == kTypes[n]) continue;
    reader.fail_at(module.position, {"expected ", kTypes[n], ", found ", detail::shown(type)});
  }
  if (const std::string_view path = list.items[0]["path"].text(); !path.empty()) {
    reader.fail_at(list.items[0].position,
                   {"the Transformer must be in the folder itself, is in ", detail::shown(path)});
  }
  modules.pooling = list.items[1]["path"].text();
  if (modules.pooling.empty() || modules.pooling.find_first_of("/\\:") != std::string::npos ||
      modules.pooling.starts_with('.')) {
    reader.fail_at(list.items[1].position, {"the path of Pooling must be a folder's name, is ",
                                            detail::shown(modules.pooling)});
  }
  modules.normalised = count == std::size(kTypes);
  return modules;
}

// One of the flags of Pooling's config.json must be true.
Pooling read_pooling(const detail::JsonObject& file, const char* name) {
  if (file.has("pooling_mode")) {
    return value_named(kPoolings, file.text("pooling_mode"), kCall, name, "pooling_mode");
  }
  // Its constructor's default is the mean, whatever the other flags.
  constexpr std::pair<const char*, Pooling> kFlags[] = {{"pooling_mode_mean_tokens", Pooling::mean},
                                                        {"pooling_mode_cls_token", Pooling::cls},
                                                        {"pooling_mode_max_tokens", Pooling::max}};
  constexpr const char* kOthers[] = {"pooling_mode_mean_sqrt_len_tokens",
                                     "pooling_mode_weightedmean_tokens", "pooling_mode_lasttoken"};
  for (const char* const each : kOthers) {
    if (file.boolean(each, false)) fail(kCall, name, {each, " is not read; mean, cls and max are"});
  }
  int count = 0;
  Pooling pooling = Pooling::mean;
  for (const auto& [flag, value] : kFlags) {
    if (!file.boolean(flag, value == Pooling::mean)) continue;
    pooling = value;
    ++count;
  }
  if (count != 1) fail(kCall, name, {"must have one pooling_mode that is true, has ", count});
  return pooling;
}

}  // namespace

std::string pooling_folder(std::string_view modules) { return read_modules(modules).pooling; }

SentenceSettings parse_sentence_settings(const SentenceFiles& files, const ModelConfig& config) {
  const Modules modules = read_modules(files.modules);
  SentenceSettings settings{.normalised = modules.normalised};
  const std::string name = modules.pooling + "/config.json";
  if (!files.pooling.empty()) {
    const detail::JsonObject pooling(kCall, name.c_str(), files.pooling);
    settings.pooling = read_pooling(pooling, name.c_str());
    const Index width = pooling.integer("word_embedding_dimension", config.width);
    if (width != config.width) {
      fail(kCall, name.c_str(),
           {"word_embedding_dimension: must be ", config.width, ", is ", width});
    }
  } else if (!files.modules.empty()) {
    fail(kCall, name.c_str(), "is missing, and modules.json names it");
  }
  if (!files.sentence_bert.empty()) {
    const detail::JsonObject sentence(kCall, kSentence, files.sentence_bert);
    settings.max_tokens = sentence.integer("max_seq_length", 0);
    settings.lower_case = sentence.boolean("do_lower_case", false);
  }
  return settings;
}

SentenceSettings parse_sentence_settings(const Gguf& file) {
  // enum llama_pooling_type in llama.cpp's include/llama.h
  constexpr const char* kTypes[] = {"none", "mean", "cls", "last", "rank"};
  const std::string key = std::string(file.text("general.architecture")) + ".pooling_type";
  const Index type = file.integer(key, 0);
  if (type >= std::ssize(kTypes)) fail(kCall, key.c_str(), {"must be from 0 to 4, is ", type});
  if (type > 2) fail(kCall, key.c_str(), {kTypes[type], " is not read; mean and cls are"});
  return {.pooling = type == 2 ? Pooling::cls : Pooling::mean, .normalised = true};
}

SentenceEncoder read_sentence_encoder(const std::filesystem::path& path,
                                      const PretrainedOptions& options) {
  constexpr const char* kRead = "read_sentence_encoder";
  std::error_code none;
  const bool is_gguf = std::filesystem::is_regular_file(path, none);
  SentenceEncoder encoder{read_pretrained(path, options), {}};
  const ModelConfig& config = encoder.model.parameters.config();
  check_encoder(config, kRead);
  if (!encoder.model.tokenizer) {
    fail(kRead, path.string().c_str(),
         is_gguf ? "has no tokenizer" : "has no tokenizer.json, and no vocab.txt");
  }
  if (is_gguf) {
    try {
      FileReader file(path);
      const std::vector<std::byte> header = detail::read_gguf_header(file);
      encoder.settings = parse_sentence_settings(parse_gguf_header(header, file.size()));
    } catch (const Error& error) {
      fail(kRead, path.string().c_str(), {error.argument(), ": ", error.problem()});
    }
    return encoder;
  }
  const auto text_of = [&](const std::string& name) {
    std::error_code ignored;
    if (!std::filesystem::exists(path / name, ignored)) return std::string();
    const std::vector<std::byte> bytes = read_file(path / name);
    if (bytes.empty()) fail(kRead, name.c_str(), "is empty");
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  std::string place;
  try {
    const std::string modules = text_of(place = kModules);
    const std::string pooling = text_of(place = pooling_folder(modules) + "/config.json");
    const std::string sentence = text_of(place = kSentence);
    place.clear();
    encoder.settings = parse_sentence_settings({modules, pooling, sentence}, config);
  } catch (const Error& error) {
    fail(kRead, (path / error.argument()).string().c_str(), error.problem());
  }
  return encoder;
}

}  // namespace tril
