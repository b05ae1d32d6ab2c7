// The values of `pre` and their meaning are those of llama.cpp's src/llama-vocab.cpp
// (llama_vocab::impl::load and llm_tokenizer_bpe). Files do not specify normal form C; it is that
// of the tokenizer.json of these models.
#include <tril/files/json_writer.h>
#include <tril/foundation/check.h>
#include <tril/foundation/heap_sort.h>
#include <tril/foundation/named.h>
#include <tril/text/gguf_tokenizer.h>
#include <tril/text/vocabulary_entries.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace tril {
namespace {

using detail::MergeEntry, detail::TokenNames, detail::VocabularyEntry;

constexpr const char* kCall = "parse_gguf";
constexpr const char *kModel = "tokenizer.ggml.model", *kPre = "tokenizer.ggml.pre";
constexpr const char *kTypes = "tokenizer.ggml.token_type", *kScores = "tokenizer.ggml.scores";
constexpr std::size_t kMostBytes = 512;  // in a token that is merged from two others

constexpr Named<TokenNames> kModels[] = {
    {"gpt2", TokenNames::bytes}, {"llama", TokenNames::characters}, {"bert", TokenNames::pieces}};

// Kinds of tokens, by their numbers (SentencePieceTokenTypes in convert_hf_to_gguf.py, line 52).
constexpr double kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4;

// The pre-tokenizer, and the settings that go with it.
struct Cut {
  PreTokenizer pre_tokenizer;
  bool digits_alone = false, nfc = false;
  bool of_llama3 = false;  // merges are ignored, and a text begins with its begin token
};
constexpr Cut kGpt2{PreTokenizer::gpt2}, kGptNeoX{PreTokenizer::gpt2, false, true};
constexpr Cut kDigits{PreTokenizer::gpt2, true}, kDbrx{PreTokenizer::llama3};
constexpr Cut kLlama3{PreTokenizer::llama3, false, false, true};
constexpr Cut kGpt4o{PreTokenizer::gpt4o}, kTekken{PreTokenizer::tekken, false, false, true};
constexpr Cut kQwen2{PreTokenizer::qwen2, false, true};
constexpr Named<const Cut*> kCuts[] = {
    {"gpt-2", &kGpt2},      {"default", &kGpt2},     {"olmo", &kGptNeoX},
    {"smollm", &kDigits},   {"starcoder", &kDigits}, {"llama-bpe", &kLlama3},
    {"llama3", &kLlama3},   {"llama-v3", &kLlama3},  {"dbrx", &kDbrx},
    {"smaug-bpe", &kDbrx},  {"qwen2", &kQwen2},      {"deepseek-r1-qwen", &kQwen2},
    {"stablelm2", &kQwen2}, {"gpt-4o", &kGpt4o},     {"tekken", &kTekken}};

// The merges implied by SentencePiece's scores, in the order of transformers'
// SentencePieceExtractor: by the score of the merged token, with the longer first token before the
// shorter one.
std::vector<MergeEntry> merges_of(const detail::JsonReader& file,
                                  const std::vector<VocabularyEntry>& vocabulary,
                                  const std::vector<double>& scores,
                                  const std::vector<double>& types) {
  const auto is_merged = [&](std::size_t id) {
    return types.empty() || types[id] == kNormal || types[id] == kUserDefined;
  };
  std::unordered_map<std::string_view, std::size_t> ids;
  for (std::size_t id = 0; id < vocabulary.size(); ++id) {
    if (is_merged(id)) ids.emplace(vocabulary[id].name, id);
  }
  // Sort keys: -score, -size of the first token, id; then the size of the first token.
  std::vector<std::tuple<double, Index, std::size_t>> order;
  for (std::size_t id = 0; id < vocabulary.size(); ++id) {
    const std::string_view name = vocabulary[id].name;
    if (!is_merged(id)) continue;
    if (name.size() > kMostBytes) {
      file.fail_at(vocabulary[id].position,
                   {"token ", id, " has more than ", kMostBytes, " bytes"});
    }
    for (std::size_t size = name.size(); size-- > 1;) {
      const bool is_cut = (name[size] & 0xc0) == 0x80;  // within a character
      if (is_cut || !ids.contains(name.substr(0, size)) || !ids.contains(name.substr(size)))
        continue;
      order.emplace_back(-scores[id], -static_cast<Index>(size), id);
    }
  }
  detail::heap_sort(order);
  std::vector<MergeEntry> merges;
  for (const auto& [score, size, id] : order) {
    const auto& [name, number, position] = vocabulary[id];
    const auto first = static_cast<std::size_t>(-size);
    merges.push_back({name.substr(0, first), name.substr(first), position});
  }
  return merges;
}

// BERT's name of a token. conversion/bert.py (phantom) has put U+2581 before tokens that begin a
// word, removed ## from tokens that continue one, and left control tokens (in older files, all
// tokens in brackets) unchanged.
std::string word_piece(const std::string& name, double type) {
  constexpr std::string_view kBegins = "\u2581";
  const bool is_left = type == kUnknown || type == kControl;
  if (is_left || (name.starts_with('[') && name.ends_with(']'))) return name;
  const bool begins = name.starts_with(kBegins) && name.size() > kBegins.size();
  return begins ? name.substr(kBegins.size()) : "##" + name;
}

// The token named by a key; where the key is missing, the token with that name.
TokenId special_token(const Gguf& file, const std::vector<VocabularyEntry>& vocabulary,
                      const char* key, std::string_view name) {
  const Index tokens = std::ssize(vocabulary);
  if (file.has(key)) {
    const Index id = file.integer(key);
    if (id >= tokens) fail(kCall, key, {"must be below ", tokens, ", is ", id});
    return static_cast<TokenId>(id);
  }
  const auto found = std::ranges::find(vocabulary, name, &VocabularyEntry::name);
  if (found == vocabulary.end()) fail(kCall, key, {"is missing, and no token is ", name});
  return static_cast<TokenId>(found->id);
}

// Sets BERT's steps before words become tokens, and the tokens around a text. Where keys are
// missing, case is kept if each capital from A to Z is a word; an uncased vocabulary has none of
// these. llama.cpp reads the keys only, and its converter writes none for a cased model.
void set_word_pieces(const Gguf& file, const std::vector<VocabularyEntry>& vocabulary,
                     TokenizerParts& parts) {
  const auto capitals = std::ranges::count_if(vocabulary, [](const VocabularyEntry& each) {
    return each.name.size() == 1 && each.name[0] >= 'A' && each.name[0] <= 'Z';
  });
  WordPieces& pieces = parts.word_pieces.emplace();
  pieces.lower_case = file.boolean("tokenizer.ggml.normalizer.lowercase", capitals < 26);
  pieces.strip_accents = file.boolean("tokenizer.ggml.normalizer.strip_accents", pieces.lower_case);
  const auto token = [&](const char* key, std::string_view name) {
    return special_token(file, vocabulary, key, name);
  };
  parts.unknown.id = token("tokenizer.ggml.unknown_token_id", "[UNK]");
  constexpr const char *kCls = "tokenizer.ggml.cls_token_id",
                       *kBegin = "tokenizer.ggml.bos_token_id";
  parts.prefix = {token(!file.has(kCls) && file.has(kBegin) ? kBegin : kCls, "[CLS]")};
  parts.suffix = {token("tokenizer.ggml.seperator_token_id", "[SEP]")};  // so spelled
}

// One number for each of `tokens` tokens, or none.
std::vector<double> numbers_of(const Gguf& file, const char* key, std::size_t tokens) {
  std::vector<double> numbers = file.numbers(key);
  if (!numbers.empty() && numbers.size() != tokens) {
    fail(kCall, key, {"has ", numbers.size(), " numbers for ", tokens, " tokens"});
  }
  return numbers;
}

}  // namespace

std::optional<Tokenizer> parse_gguf_tokenizer(const Gguf& file) {
  const std::string_view model = file.text(kModel, "none");
  if (model == "none" || model == "no_vocab") return {};
  const TokenNames names = value_named(kModels, model, kCall, kModel, "tokenizer");
  const bool is_by_characters = names == TokenNames::characters;
  std::vector<VocabularyEntry> vocabulary;
  for (const auto& [text, begin] : file.texts("tokenizer.ggml.tokens")) {
    vocabulary.push_back({std::string(text), std::ssize(vocabulary), begin});
  }
  if (vocabulary.empty()) fail(kCall, "tokenizer.ggml.tokens", "is missing, or empty");
  const std::vector<double> types = numbers_of(file, kTypes, vocabulary.size());
  for (VocabularyEntry& each : vocabulary) {
    if (names != TokenNames::pieces) break;
    const double type = types.empty() ? kNormal : types[static_cast<std::size_t>(each.id)];
    each.name = word_piece(each.name, type);
  }
  const detail::JsonReader reader(kCall, "", 0);  // for errors at bytes of the file
  TokenizerParts parts;
  for (std::size_t id = 0; id < types.size(); ++id) {
    const std::string& name = vocabulary[id].name;
    if (types[id] < kUnknown || types[id] > kUserDefined) continue;
    // No text contains U+2581 before spaces are replaced: such a token comes from merges.
    if (is_by_characters && name.find("\u2581") != name.npos) continue;
    parts.added.push_back({name, static_cast<TokenId>(id), types[id] != kUserDefined});
  }
  if (names == TokenNames::pieces) {
    set_word_pieces(file, vocabulary, parts);
    detail::set_vocabulary(reader, vocabulary, reader, {}, names, parts);
    return detail::create_tokenizer(std::move(parts), kCall, "file");
  }
  std::vector<MergeEntry> merges;
  bool begins = is_by_characters;
  if (is_by_characters) {
    std::vector<double> scores = numbers_of(file, kScores, vocabulary.size());
    scores.resize(vocabulary.size());
    merges = merges_of(reader, vocabulary, scores, types);
    parts.pre_tokenizer = PreTokenizer::whole;
    const bool has_blank = file.boolean("tokenizer.ggml.add_space_prefix", true);
    parts.prefix_space = has_blank ? PrefixSpace::each : PrefixSpace::none;
  } else {
    for (const auto& [text, begin] : file.texts("tokenizer.ggml.merges")) {
      merges.push_back(detail::merge_entry(reader, text, begin, merges.size()));
    }
    const Cut& cut =
        *value_named(kCuts, file.text(kPre, "default"), kCall, kPre, "way of cutting texts");
    parts.pre_tokenizer = cut.pre_tokenizer;
    parts.digits_alone = cut.digits_alone;
    parts.nfc = cut.nfc;
    parts.ignore_merges = begins = cut.of_llama3;
  }
  detail::set_vocabulary(reader, vocabulary, reader, merges, names, parts);
  if (is_by_characters && parts.byte_fallback.empty()) {
    fail(kCall, "tokenizer.ggml.tokens", "has no token of a byte, such as \"<0x0A>\"");
  }
  if (!is_by_characters) parts.lacks_bytes = detail::lacks_bytes(parts);
  // The token before or after every text.
  const auto affix = [&](const std::string& flag, const char* token, bool otherwise,
                         Index default_id) {
    std::vector<TokenId> ids;
    if (!file.boolean("tokenizer.ggml.add_" + flag, otherwise)) return ids;
    const auto given = is_by_characters ? std::optional(default_id) : std::nullopt;
    ids.push_back(static_cast<TokenId>(file.integer(token, given)));
    return ids;
  };
  parts.prefix = affix("bos_token", "tokenizer.ggml.bos_token_id", begins, 1);
  parts.suffix = affix("eos_token", "tokenizer.ggml.eos_token_id", false, 2);
  return detail::create_tokenizer(std::move(parts), kCall, "file");
}

}  // namespace tril
