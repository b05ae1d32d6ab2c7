#include <tril/files/json_writer.h>
#include <tril/text/tokenizer_steps.h>

#include <algorithm>
#include <limits>
#include <span>
#include <unordered_map>

namespace tril::detail {
namespace {

constexpr std::string_view kSpace = "\u2581";

// The description of a step in a message: its type, and its pattern.
std::string named(const JsonValue& step) {
  if (step.kind == JsonValue::Kind::null) return "null";
  const JsonValue& pattern = step["pattern"];
  const std::string_view at =
      pattern["Regex"].text().empty() ? pattern["String"].text() : pattern["Regex"].text();
  std::string name(step["type"].text());
  if (name.empty()) name = "no type";
  return at.empty() ? name : name + " at " + shown(at);
}

// The steps of a Sequence, whose list is named `list`; of another step, the step itself; of null,
// none.
std::span<const JsonValue> steps_of(const JsonValue& step, std::string_view list) {
  if (step.kind == JsonValue::Kind::null) return {};
  if (step["type"].text() == "Sequence") return step[list].items;
  return {&step, 1};
}

bool is_replacement(const JsonValue& step, std::string_view from, std::string_view to) {
  return step["type"].text() == "Replace" && step["pattern"]["String"].text() == from &&
         step["content"].text() == to;
}

class StepReader {
 public:
  StepReader(const JsonReader& reader, TokenizerParts& parts) : reader_(reader), parts_(parts) {}

  void read_bytes(const TokenizerSteps& steps) {
    for (const JsonValue& step : steps_of(steps.normalizer, "normalizers")) {
      if (step["type"].text() != "NFC") {
        refuse(step, "normalizer: expected null or NFC, found " + named(step));
      }
      parts_.nfc = true;
    }
    read_pre_tokenizer(steps.pre_tokenizer);
    if (steps.decoder.kind != JsonValue::Kind::null &&
        steps.decoder["type"].text() != "ByteLevel") {
      refuse(steps.decoder, "decoder: expected null or ByteLevel, found " + named(steps.decoder));
    }
  }

  void read_characters(const TokenizerSteps& steps) {
    std::span<const JsonValue> found = steps_of(steps.normalizer, "normalizers");
    if (steps.has_metaspace()) {
      if (!found.empty()) {
        refuse(found[0], "normalizer: before Metaspace expected null, found " + named(found[0]));
      }
      read_metaspace(steps.pre_tokenizer);
      return read_character_decoder(steps.decoder);
    }
    if (!found.empty() && found[0]["type"].text() == "Prepend" &&
        found[0]["prepend"].text() == kSpace) {
      parts_.prefix_space = PrefixSpace::each;
      found = found.subspan(1);
    }
    if (found.size() != 1 || !is_replacement(found[0], " ", kSpace)) {
      const JsonValue& step = found.empty() ? steps.normalizer : found[0];
      refuse(step,
             "normalizer: without a pre_tokenizer expected, perhaps after Prepend of "
             "U+2581, Replace of \" \" by U+2581, found " +
                 named(step));
    }
    read_character_decoder(steps.decoder);
  }

  void read_words(const TokenizerSteps& steps) {
    WordPieces& pieces = *parts_.word_pieces;
    const JsonValue& normalizer = steps.normalizer;
    if (normalizer["type"].text() == "BertNormalizer") {
      pieces.clean_text = normalizer["clean_text"].flag(true);
      pieces.chinese_apart = normalizer["handle_chinese_chars"].flag(true);
      pieces.lower_case = normalizer["lowercase"].flag(true);
      pieces.strip_accents = normalizer["strip_accents"].flag(pieces.lower_case);
    } else if (normalizer.kind == JsonValue::Kind::null) {
      pieces.clean_text = pieces.chinese_apart = pieces.strip_accents = pieces.lower_case = false;
    } else {
      refuse(normalizer, "normalizer: of WordPiece expected null or BertNormalizer, found " +
                             named(normalizer));
    }
    if (steps.pre_tokenizer["type"].text() != "BertPreTokenizer") {
      refuse(steps.pre_tokenizer, "pre_tokenizer: of WordPiece expected BertPreTokenizer, found " +
                                      named(steps.pre_tokenizer));
    }
    if (steps.decoder.kind != JsonValue::Kind::null &&
        steps.decoder["type"].text() != "WordPiece") {
      refuse(steps.decoder,
             "decoder: of WordPiece expected null or WordPiece, found " + named(steps.decoder));
    }
  }

  void read_post_processor(const JsonValue& node) {
    for (const JsonValue& step : steps_of(node, "processors")) {
      if (step["type"].text() == "TemplateProcessing") {
        read_template(step);
      } else if (step["type"].text() == "BertProcessing" && parts_.word_pieces) {
        append_id(step["cls"], parts_.prefix);
        append_id(step["sep"], parts_.suffix);
      } else if (step["type"].text() != "ByteLevel") {  // ByteLevel changes offsets only
        refuse(step,
               "post_processor: expected null, ByteLevel, TemplateProcessing or a Sequence "
               "of them, found " +
                   named(step));
      }
    }
  }

 private:
  // Older files have add_prefix_space (default true) instead.
  void read_metaspace(const JsonValue& node) {
    constexpr std::pair<std::string_view, PrefixSpace> kSchemes[] = {
        {"always", PrefixSpace::missing},
        {"first", PrefixSpace::first},
        {"never", PrefixSpace::none}};
    const std::string_view otherwise = node["add_prefix_space"].flag(true) ? "always" : "never";
    const std::string_view said = node["prepend_scheme"].text();
    const auto scheme = std::ranges::find(kSchemes, said.empty() ? otherwise : said,
                                          &std::pair<std::string_view, PrefixSpace>::first);
    const bool is_read = node["replacement"].text() == kSpace && !node["split"].flag(true);
    if (!is_read || scheme == std::end(kSchemes)) {
      refuse(
          node,
          "pre_tokenizer: of Metaspace is read only what replaces by U+2581, does not split, and "
          "prepends always, first or never");
    }
    parts_.prefix_space = scheme->second;
  }

  [[noreturn]] void refuse(const JsonValue& at, const std::string& problem) const {
    reader_.fail_at(at.position, problem);
  }

  void read_pre_tokenizer(const JsonValue& node) {
    const std::span<const JsonValue> steps = steps_of(node, "pretokenizers");
    if (steps.empty() || steps.back()["type"].text() != "ByteLevel") {
      const JsonValue& last = steps.empty() ? node : steps.back();
      refuse(last, "pre_tokenizer: expected ByteLevel, alone or at the end of a Sequence, found " +
                       named(last));
    }
    const JsonValue& bytes = steps.back();
    if (bytes["add_prefix_space"].flag(false)) parts_.prefix_space = PrefixSpace::missing;
    const bool uses_regex = bytes["use_regex"].flag(true);
    parts_.pre_tokenizer = uses_regex ? PreTokenizer::gpt2 : PreTokenizer::whole;
    for (const JsonValue& step : steps.first(steps.size() - 1)) {
      const bool is_digits =
          step["type"].text() == "Digits" && step["individual_digits"].flag(false);
      if (is_digits &&
          parts_.pre_tokenizer == (uses_regex ? PreTokenizer::gpt2 : PreTokenizer::whole)) {
        parts_.digits_alone = true;
      } else if (uses_regex || parts_.pre_tokenizer != PreTokenizer::whole || !read_split(step)) {
        refuse(step, "pre_tokenizer: " + named(step) +
                         " is not read; ByteLevel is, after Digits with individual_digits, or, "
                         "without use_regex, after Split at [\\s\\S] or at the expressions of "
                         "Llama 3, Qwen2, GPT-4o and Tekken, Isolated");
      }
    }
  }

  // Reads a Split; returns whether it is supported.
  bool read_split(const JsonValue& step) {
    // These expressions match all of a text, so that nothing is left between their matches.
    const bool is_inverted = step["invert"].flag(false);
    if (step["type"].text() != "Split" ||
        step["behavior"].text() != (is_inverted ? "Removed" : "Isolated")) {
      return false;
    }
    const std::string_view pattern = step["pattern"]["Regex"].text();
    for (const PreTokenizer split :
         {PreTokenizer::characters, PreTokenizer::words, PreTokenizer::llama3, PreTokenizer::qwen2,
          PreTokenizer::gpt4o, PreTokenizer::tekken}) {
      if (pattern != expression_of(split)) continue;
      parts_.pre_tokenizer = split;
      return true;
    }
    return false;
  }

  // Replace, ByteFallback, Fuse, and Strip of the space added by Prepend.
  void read_character_decoder(const JsonValue& node) const {
    const std::span<const JsonValue> steps = steps_of(node, "decoders");
    const bool has_space = parts_.prefix_space != PrefixSpace::none;
    const std::size_t count = has_space ? 4 : 3;
    bool fits = steps.size() == count && is_replacement(steps[0], kSpace, " ") &&
                steps[1]["type"].text() == "ByteFallback" && steps[2]["type"].text() == "Fuse";
    if (fits && has_space) {
      const JsonValue& strip = steps[3];
      fits = strip["type"].text() == "Strip" && strip["content"].text() == " " &&
             strip["start"].integer(-1) == 1 && strip["stop"].integer(-1) == 0;
    }
    if (fits) return;
    std::string found;
    for (const JsonValue& step : steps) found += (found.empty() ? "" : ", ") + named(step);
    refuse(node, std::string("decoder: expected a Sequence of Replace of U+2581 by \" \", "
                             "ByteFallback, Fuse") +
                     (has_space ? ", Strip of 1 \" \" at the start" : "") + ", found " +
                     (found.empty() ? "null" : found));
  }

  // The tokens before and after sequence A.
  void read_template(const JsonValue& step) {
    bool is_behind = false;
    std::unordered_map<std::string_view, const JsonValue*> named_tokens;
    const JsonValue& special = step["special_tokens"];
    for (std::size_t n = 0; n < special.names.size(); ++n) {
      named_tokens.try_emplace(special.names[n], &special.items[n]);
    }
    for (const JsonValue& part : step["single"].items) {
      const JsonValue &token = part["SpecialToken"], &sequence = part["Sequence"];
      if (sequence["id"].text() == "A" && !is_behind) {
        is_behind = true;
      } else if (token.kind == JsonValue::Kind::object) {
        append_special(named_tokens, token, is_behind ? parts_.suffix : parts_.prefix);
      } else {
        refuse(part,
               "post_processor: TemplateProcessing: expected special tokens and sequence A, "
               "once");
      }
    }
    if (!is_behind) {
      refuse(step, "post_processor: TemplateProcessing: \"single\" has no sequence A");
    }
  }

  void append_special(const std::unordered_map<std::string_view, const JsonValue*>& tokens,
                      const JsonValue& token, std::vector<TokenId>& ids) const {
    constexpr std::size_t kMost = 1 << 16;  // a few names could stand for any number of tokens
    const std::string_view name = token["id"].text();
    const auto entry = tokens.find(name);
    const std::vector<JsonValue> none;
    const std::vector<JsonValue>& found =
        entry == tokens.end() ? none : (*entry->second)["ids"].items;
    if (ids.size() + found.size() > kMost) {
      refuse(token, "post_processor: TemplateProcessing: more than 65536 special tokens");
    }
    if (found.empty()) {
      refuse(token, "post_processor: TemplateProcessing: special token " + shown(name) +
                        " has no ids in \"special_tokens\"");
    }
    for (const JsonValue& each : found) append_id(each, "TemplateProcessing", ids);
  }

  void append_id(const JsonValue& number, const char* step, std::vector<TokenId>& ids) const {
    const Index id = number.integer(-1);
    if (id < 0 || id > std::numeric_limits<TokenId>::max()) {
      refuse(number, std::string("post_processor: ") + step + ": no number of a token");
    }
    ids.push_back(static_cast<TokenId>(id));
  }
  // Appends the id in a pair of name and number.
  void append_id(const JsonValue& pair, std::vector<TokenId>& ids) const {
    if (pair.items.size() != 2) refuse(pair, "post_processor: BertProcessing: expected a pair");
    append_id(pair.items[1], "BertProcessing", ids);
  }

  const JsonReader& reader_;
  TokenizerParts& parts_;
};

}  // namespace

void set_steps(const JsonReader& reader, const TokenizerSteps& steps, TokenizerParts& parts) {
  StepReader read(reader, parts);
  if (steps.is_by_characters()) {
    parts.pre_tokenizer = PreTokenizer::whole;
    read.read_characters(steps);
  } else {
    read.read_bytes(steps);
  }
  read.read_post_processor(steps.post_processor);
}

void set_word_piece_steps(const JsonReader& reader, const TokenizerSteps& steps,
                          TokenizerParts& parts) {
  StepReader read(reader, parts);
  read.read_words(steps);
  read.read_post_processor(steps.post_processor);
}

}  // namespace tril::detail
