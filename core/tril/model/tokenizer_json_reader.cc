#include <tril/foundation/check.h>
#include <tril/model/tokenizer_file.h>
#include <tril/model/vocabulary_entries.h>

#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace tril {
namespace {

using detail::HeaderReader, detail::shown;

constexpr const char* kCall = "parse_tokenizer_json";

// A pre-tokenizer, normalizer, post-processor or decoder.
struct Component {
  std::string type;  // "null" where there is none
  std::map<std::string, bool, std::less<>> flags;
  std::string pattern, behavior;
  std::vector<Component> parts;  // of a Sequence
  std::size_t position = 0;

  bool flag(std::string_view name, bool otherwise) const {
    const auto found = flags.find(name);
    return found == flags.end() ? otherwise : found->second;
  }
};

// use(key, its position) for each "key": value; it reads the value.
template <typename Use>
void for_each_field(HeaderReader& reader, const Use& use) {
  reader.list('{', '}', false, [&] {
    reader.peek();
    const std::size_t position = reader.position();
    const std::string key = reader.json_string();
    reader.expect(':');
    use(key, position);
  });
}

// {"String": text} or {"Regex": text}; a plain string is no expression, so it is not `[\s\S]`
// either.
std::string read_pattern(HeaderReader& reader) {
  std::string pattern;
  for_each_field(reader, [&](const std::string& key, std::size_t) {
    pattern = (key == "Regex" ? "" : key + " ") + reader.json_string();
  });
  return pattern;
}

Component read_component(HeaderReader& reader, int depth = 0) {
  constexpr int kDeepest = 8;
  if (depth > kDeepest) reader.fail("a Sequence inside too many others");
  Component component;
  reader.peek();
  component.position = reader.position();
  if (reader.take_word("null")) {
    component.type = "null";
    return component;
  }
  for_each_field(reader, [&](const std::string& key, std::size_t) {
    const char next = reader.peek();
    if (key == "type") {
      component.type = reader.json_string();
    } else if (key == "behavior") {
      component.behavior = reader.json_string();
    } else if (key == "pattern" && next == '{') {
      component.pattern = read_pattern(reader);
    } else if (next == 't' || next == 'f') {
      component.flags[key] = reader.boolean();
    } else if (next == '[' && (key == "pretokenizers" || key == "processors" || key == "decoders" ||
                               key == "normalizers")) {
      reader.list('[', ']', false,
                  [&] { component.parts.push_back(read_component(reader, depth + 1)); });
    } else {
      reader.skip_value();
    }
  });
  return component;
}

// What a pre-tokenizer does, or an error.
void set_pre_split(const HeaderReader& reader, const Component& component, TokenizerParts& parts) {
  const auto refuse = [&](const Component& at, const std::string& problem) {
    reader.fail_at(at.position, "pre_tokenizer: " + problem);
  };
  const std::vector<Component> alone = {component};
  const std::vector<Component>& steps = component.type == "Sequence" ? component.parts : alone;
  if (steps.empty() || steps.back().type != "ByteLevel") {
    const Component& last = steps.empty() ? component : steps.back();
    refuse(last, "expected ByteLevel, alone or at the end of a Sequence, found " + last.type);
  }
  const Component& bytes = steps.back();
  if (bytes.flag("add_prefix_space", false)) {
    refuse(bytes, "ByteLevel with add_prefix_space changes the text; that is not read");
  }
  const bool uses_regex = bytes.flag("use_regex", true);
  parts.pre_split = uses_regex ? PreSplit::gpt2 : PreSplit::whole;
  for (const Component& step : std::span(steps).first(steps.size() - 1)) {
    if (step.type == "Digits" && step.flag("individual_digits", false)) {
      parts.digits_alone = true;
    } else if (step.type == "Split" && step.pattern == "[\\s\\S]" && step.behavior == "Isolated" &&
               !step.flag("invert", false) && !uses_regex) {
      parts.pre_split = PreSplit::characters;
    } else {
      refuse(step, step.type + (step.pattern.empty() ? "" : " at " + shown(step.pattern)) +
                       " is not read; ByteLevel is, after Digits with individual_digits, or, "
                       "without use_regex, after Split at [\\s\\S], Isolated");
    }
  }
}

void read_added_tokens(HeaderReader& reader, std::vector<AddedToken>& added) {
  reader.list('[', ']', false, [&] {
    reader.peek();
    const std::size_t begin = reader.position();
    AddedToken token{"", -1, false};
    for_each_field(reader, [&](const std::string& key, std::size_t position) {
      if (key == "content") {
        token.text = reader.json_string();
      } else if (key == "id") {
        const Index id = reader.whole_number();
        if (id > std::numeric_limits<TokenId>::max())
          reader.fail_at(position, "the number is too large");
        token.id = static_cast<TokenId>(id);
      } else if (key == "special") {
        token.special = reader.boolean();
      } else if (key == "lstrip" || key == "rstrip" || key == "single_word") {
        if (reader.boolean()) {
          reader.fail_at(position, "added token " + shown(token.text) + ": " + key +
                                       " is not read, only tokens that are matched as they are");
        }
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
  bool whole_pieces = false;
};

// "left right", or ["left", "right"] as newer files have it.
std::vector<detail::MergeEntry> read_merges(HeaderReader& reader) {
  std::vector<detail::MergeEntry> merges;
  reader.list('[', ']', false, [&] {
    const char next = reader.peek();
    const std::size_t position = reader.position(), number = merges.size();
    if (next == '"') {
      merges.push_back(detail::merge_entry(reader, reader.json_string(), position, number));
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

Model read_model(HeaderReader& reader) {
  Model model;
  if (reader.peek() != '{') {
    reader.fail("\"model\" must be an object; a vocab.json is read with its merges.txt");
  }
  for_each_field(reader, [&](const std::string& key, std::size_t position) {
    if (key == "type") {
      const std::string type = reader.json_string();
      if (type != "BPE") {
        reader.fail_at(position, "model: expected the type \"BPE\", found " + shown(type));
      }
    } else if (key == "continuing_subword_prefix" || key == "end_of_word_suffix") {
      if (!reader.take_word("null") && !reader.json_string().empty()) {
        reader.fail_at(position, "model: " + key + " is not read, only models without");
      }
    } else if (key == "dropout") {
      if (!reader.take_word("null") && !reader.take_word("0.0")) {
        reader.fail_at(position, "model: dropout is not read, only models without");
      }
    } else if (key == "ignore_merges") {
      model.whole_pieces = reader.boolean();
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
  return model;
}

}  // namespace

Tokenizer parse_tokenizer_json(std::string_view file) {
  HeaderReader reader(kCall, file, 0);
  TokenizerParts parts;
  std::optional<Model> model;
  std::map<std::string, Component, std::less<>> components;
  for_each_field(reader, [&](const std::string& key, std::size_t) {
    if (key == "added_tokens") {
      read_added_tokens(reader, parts.added);
    } else if (key == "model") {
      model = read_model(reader);
    } else if (key == "normalizer" || key == "pre_tokenizer" || key == "post_processor" ||
               key == "decoder") {
      components[key] = read_component(reader);
    } else {
      reader.skip_value();
    }
  });
  if (!reader.at_end()) reader.fail("something follows the object");
  for (const auto& [key, component] : components) {
    const bool may_be_bytes = key == "post_processor" || key == "decoder";
    if (key == "pre_tokenizer" || component.type == "null") continue;
    if (may_be_bytes && component.type == "ByteLevel") continue;
    reader.fail_at(component.position, key + ": expected " +
                                           (may_be_bytes ? "null or ByteLevel" : "null") +
                                           ", found " + shown(component.type));
  }
  if (!model || !model->vocabulary || !model->merges) {
    fail(kCall, "file",
         std::string("is no tokenizer of byte-pair encoding: \"model\"") +
             (!model               ? ""
              : !model->vocabulary ? " without \"vocab\""
                                   : " without \"merges\"") +
             (model ? "" : " is missing"));
  }
  if (!components.contains("pre_tokenizer")) fail(kCall, "file", "\"pre_tokenizer\" is missing");
  set_pre_split(reader, components.at("pre_tokenizer"), parts);
  parts.whole_pieces = model->whole_pieces;
  detail::set_vocabulary(reader, *model->vocabulary, reader, *model->merges, parts);
  return detail::made(std::move(parts), kCall, "file");
}

}  // namespace tril
