#include <tril/files/json_writer.h>
#include <tril/foundation/check.h>
#include <tril/text/tokenizer_file.h>
#include <tril/text/tokenizer_steps.h>
#include <tril/text/vocabulary_entries.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace tril {
namespace {

using detail::JsonReader, detail::shown;

constexpr const char* kCall = "parse_tokenizer_json";

// Reads a flag; null is false.
bool read_flag(JsonReader& reader) { return !reader.take_word("null") && reader.boolean(); }

void read_added_tokens(JsonReader& reader, std::vector<AddedToken>& added) {
  using Flag = std::pair<std::string_view, bool AddedToken::*>;
  constexpr Flag kFlags[] = {{"special", &AddedToken::special},
                             {"normalized", &AddedToken::normalized},
                             {"lstrip", &AddedToken::lstrip},
                             {"rstrip", &AddedToken::rstrip},
                             {"single_word", &AddedToken::single_word}};
  if (reader.take_word("null")) return;
  reader.list('[', ']', false, [&] {
    reader.peek();
    const std::size_t begin = reader.position();
    AddedToken token{"", -1, false};
    reader.object([&](const std::string& key, std::size_t position) {
      if (key == "content") {
        token.text = reader.json_string();
      } else if (key == "id") {
        const Index id = reader.whole_number();
        if (id > std::numeric_limits<TokenId>::max())
          reader.fail_at(position, "the number is too large");
        token.id = static_cast<TokenId>(id);
      } else if (const auto flag = std::ranges::find(kFlags, key, &Flag::first);
                 flag != std::end(kFlags)) {
        token.*flag->second = read_flag(reader);
      } else {
        reader.skip_value();
      }
    });
    if (token.text.empty()) reader.fail_at(begin, "an added token has no content");
    if (token.id < 0) reader.fail_at(begin, "added token " + shown(token.text) + " has no id");
    added.push_back(std::move(token));
  });
}

struct Model {
  std::optional<std::vector<detail::VocabularyEntry>> vocabulary;
  std::optional<std::vector<detail::MergeEntry>> merges;
  std::string unknown;
  bool ignore_merges = false, byte_fallback = false, fuses_unknown = false;
  bool has_word_pieces = false;
  WordPieces word_pieces;  // the model's settings of WordPiece
};

// "left right", or ["left", "right"] as newer files have it.
std::vector<detail::MergeEntry> read_merges(JsonReader& reader) {
  std::vector<detail::MergeEntry> merges;
  reader.list('[', ']', false, [&] {
    const char next = reader.peek();
    const std::size_t position = reader.position(), number = merges.size();
    if (next == '"') {
      std::string text = reader.json_string();
      if (text.starts_with("#version")) return;
      merges.push_back(detail::merge_entry(reader, text, position, number));
      return;
    }
    std::vector<std::string> names;
    reader.list('[', ']', false, [&] { names.push_back(reader.json_string()); });
    if (names.size() != 2) {
      reader.fail_at(position, "merge " + std::to_string(number) + ": expected two tokens, found " +
                                   std::to_string(names.size()));
    }
    merges.push_back({std::move(names[0]), std::move(names[1]), position});
  });
  return merges;
}

Model read_model(JsonReader& reader) {
  Model model;
  std::optional<std::string> prefix;  // prefix of tokens that continue a word
  std::size_t prefix_at = 0;
  if (reader.peek() != '{') {
    reader.fail("\"model\" must be an object; a vocab.json is read with its merges.txt");
  }
  reader.object([&](const std::string& key, std::size_t position) {
    if (key == "type") {
      const std::string type = reader.take_word("null") ? "BPE" : reader.json_string();
      model.has_word_pieces = type == "WordPiece";
      if (type != "BPE" && !model.has_word_pieces) {
        reader.fail_at(position,
                       "model: expected the type \"BPE\" or \"WordPiece\", found " + shown(type));
      }
    } else if (key == "continuing_subword_prefix") {
      prefix = reader.take_word("null") ? "" : reader.json_string();
      prefix_at = position;
    } else if (key == "max_input_chars_per_word") {
      model.word_pieces.most_characters = static_cast<std::size_t>(reader.whole_number());
    } else if (key == "end_of_word_suffix") {
      if (!reader.take_word("null") && !reader.json_string().empty()) {
        reader.fail_at(position, "model: " + key + " is not read, only models without");
      }
    } else if (key == "dropout") {
      const std::string_view value = reader.skip_value();
      if (value != "null" && value != "0" && value != "0.0") {
        reader.fail_at(position, "model: dropout is not read, only models without");
      }
    } else if (key == "unk_token") {
      if (!reader.take_word("null")) model.unknown = reader.json_string();
    } else if (key == "ignore_merges") {
      model.ignore_merges = read_flag(reader);
    } else if (key == "byte_fallback") {
      model.byte_fallback = read_flag(reader);
    } else if (key == "fuse_unk") {
      model.fuses_unknown = read_flag(reader);
    } else if ((key == "vocab" || key == "merges") && reader.take_word("null")) {
      return;
    } else if (key == "vocab") {
      if (reader.peek() != '{') {
        reader.fail_at(position,
                       "model: vocab must be an object from tokens to ids, as BPE has it");
      }
      model.vocabulary = detail::read_vocabulary(reader);
    } else if (key == "merges") {
      model.merges = read_merges(reader);
    } else {
      reader.skip_value();
    }
  });
  if (prefix && model.has_word_pieces) {
    model.word_pieces.continuing = *prefix;
  } else if (prefix && !prefix->empty()) {
    reader.fail_at(prefix_at, "model: continuing_subword_prefix is not read, only models without");
  }
  return model;
}

// Sets the tokens of bytes that are not in the vocabulary, if there are any.
void set_unknown_bytes(const Model& model, TokenizerParts& parts) {
  parts.lacks_bytes = detail::lacks_bytes(parts);
  if (!parts.lacks_bytes) return;
  const auto found =
      std::ranges::find(*model.vocabulary, model.unknown, &detail::VocabularyEntry::name);
  if (found == model.vocabulary->end()) return;
  parts.unknown = {static_cast<TokenId>(found->id), model.fuses_unknown};
}

// The token for words that do not consist of tokens.
TokenId unknown_word(const std::vector<detail::VocabularyEntry>& vocabulary,
                     const std::string& name) {
  const auto found = std::ranges::find(vocabulary, name, &detail::VocabularyEntry::name);
  if (found == vocabulary.end()) {
    fail(kCall, "file", "\"unk_token\" " + shown(name) + " is not in the vocabulary");
  }
  return static_cast<TokenId>(found->id);
}

}  // namespace

Tokenizer parse_tokenizer_json(std::string_view file) {
  JsonReader reader(kCall, file, 0);
  TokenizerParts parts;
  std::optional<Model> model;
  detail::TokenizerSteps steps;
  bool has_pre_tokenizer = false;
  reader.object([&](const std::string& key, std::size_t) {
    const auto read = [&] { return reader.value(); };
    if (key == "added_tokens") {
      read_added_tokens(reader, parts.added);
    } else if (key == "model") {
      model = read_model(reader);
    } else if (key == "normalizer") {
      steps.normalizer = read();
    } else if (key == "pre_tokenizer") {
      steps.pre_tokenizer = read();
      has_pre_tokenizer = true;
    } else if (key == "post_processor") {
      steps.post_processor = read();
    } else if (key == "decoder") {
      steps.decoder = read();
    } else {
      reader.skip_value();
    }
  });
  if (!reader.at_end()) reader.fail("something follows the object");
  if (model && model->has_word_pieces && model->vocabulary) {
    parts.word_pieces = model->word_pieces;
    detail::set_word_piece_steps(reader, steps, parts);
    detail::set_vocabulary(reader, *model->vocabulary, reader, {}, detail::TokenNames::pieces,
                           parts);
    parts.unknown.id = unknown_word(*model->vocabulary, model->unknown);
    return detail::create_tokenizer(std::move(parts), kCall, "file");
  }
  if (!model || !model->vocabulary || !model->merges) {
    fail(kCall, "file",
         std::string("is no tokenizer of byte-pair encoding: \"model\"") +
             (!model               ? ""
              : !model->vocabulary ? " without \"vocab\""
                                   : " without \"merges\"") +
             (model ? "" : " is missing"));
  }
  if (!has_pre_tokenizer && !model->byte_fallback)
    fail(kCall, "file", "\"pre_tokenizer\" is missing");
  const bool is_by_characters = steps.is_by_characters();
  if (is_by_characters && !model->byte_fallback) {
    reader.fail_at(steps.pre_tokenizer.position,
                   std::string("pre_tokenizer: expected ByteLevel, alone or at the end of a "
                               "Sequence, found ") +
                       (steps.splits_at_spaces() ? "Split at \" \""
                        : steps.has_metaspace()  ? "Metaspace"
                                                 : "null") +
                       ", which is read of models with byte_fallback");
  }
  detail::set_steps(reader, steps, parts);
  parts.ignore_merges = model->ignore_merges;
  detail::set_vocabulary(
      reader, *model->vocabulary, reader, *model->merges,
      is_by_characters ? detail::TokenNames::characters : detail::TokenNames::bytes, parts);
  if (is_by_characters && parts.byte_fallback.empty()) {
    fail(kCall, "file", "has byte_fallback, but no token of a byte, such as \"<0x0A>\"");
  }
  if (!is_by_characters) set_unknown_bytes(*model, parts);
  return detail::create_tokenizer(std::move(parts), kCall, "file");
}

}  // namespace tril
