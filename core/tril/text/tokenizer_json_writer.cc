#include <tril/files/json_writer.h>
#include <tril/files/utf8.h>
#include <tril/foundation/check.h>
#include <tril/text/byte_alphabet.h>
#include <tril/text/tokenizer_file.h>

#include <unordered_set>
#include <utility>

namespace tril {
namespace {

using detail::json_list, detail::json_object, detail::JsonText, detail::JsonWriter;

constexpr const char* kCall = "tokenizer_json";
constexpr std::string_view kSpace = "\u2581";

JsonText byte_level(bool use_regex, bool add_prefix_space = false) {
  return json_object({{"type", "ByteLevel"},
                      {"add_prefix_space", add_prefix_space},
                      {"trim_offsets", true},
                      {"use_regex", use_regex}});
}

JsonText sequence(const char* name, JsonWriter steps) {
  return json_object({{"type", "Sequence"}, {name, std::move(steps).end()}});
}

JsonText replacement(std::string_view from, std::string_view to) {
  return json_object(
      {{"type", "Replace"}, {"pattern", json_object({{"String", from}})}, {"content", to}});
}

// Whether the pre_tokenizer is the step that adds a space before a text.
bool has_metaspace(const TokenizerParts& parts) {
  const bool may_miss = parts.prefix_space != PrefixSpace::none &&  //
                        parts.prefix_space != PrefixSpace::each;
  return !parts.byte_fallback.empty() && may_miss;
}

JsonText normalizer(const TokenizerParts& parts) {
  if (const auto& words = parts.word_pieces) {
    return json_object({{"type", "BertNormalizer"},
                        {"clean_text", words->clean_text},
                        {"handle_chinese_chars", words->chinese_apart},
                        {"strip_accents", words->strip_accents},
                        {"lowercase", words->lower_case}});
  }
  if (parts.nfc) return json_object({{"type", "NFC"}});
  if (parts.byte_fallback.empty() || has_metaspace(parts)) return nullptr;
  const JsonText spaces = replacement(" ", kSpace);
  if (parts.prefix_space == PrefixSpace::none) return spaces;
  JsonWriter steps('[');
  steps.add(json_object({{"type", "Prepend"}, {"prepend", kSpace}}));
  steps.add(spaces);
  return sequence("normalizers", std::move(steps));
}

JsonText pre_tokenizer(const TokenizerParts& parts) {
  if (parts.word_pieces) return json_object({{"type", "BertPreTokenizer"}});
  if (has_metaspace(parts)) {
    return json_object(
        {{"type", "Metaspace"},
         {"replacement", kSpace},
         {"prepend_scheme", parts.prefix_space == PrefixSpace::first ? "first" : "always"},
         {"split", false}});
  }
  if (!parts.byte_fallback.empty()) return nullptr;
  const JsonText bytes = byte_level(parts.pre_tokenizer == PreTokenizer::gpt2,
                                    parts.prefix_space != PrefixSpace::none);
  const std::string_view expression = detail::expression_of(parts.pre_tokenizer);
  if (!parts.digits_alone && expression.empty()) return bytes;
  JsonWriter steps('[');
  if (parts.digits_alone) steps.add(json_object({{"type", "Digits"}, {"individual_digits", true}}));
  if (!expression.empty()) {
    steps.add(json_object({{"type", "Split"},
                           {"pattern", json_object({{"Regex", expression}})},
                           {"behavior", "Isolated"},
                           {"invert", false}}));
  }
  steps.add(bytes);
  return sequence("pretokenizers", std::move(steps));
}

JsonText decoder(const TokenizerParts& parts) {
  if (const auto& words = parts.word_pieces) {
    return json_object({{"type", "WordPiece"}, {"prefix", words->continuing}, {"cleanup", false}});
  }
  if (parts.byte_fallback.empty()) return byte_level(true);
  JsonWriter steps('[');
  steps.add(replacement(kSpace, " "));
  steps.add(json_object({{"type", "ByteFallback"}}));
  steps.add(json_object({{"type", "Fuse"}}));
  if (parts.prefix_space != PrefixSpace::none) {
    steps.add(json_object({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}));
  }
  return sequence("decoders", std::move(steps));
}

// The tokens before and after a text, by name.
JsonText post_processor(const TokenizerParts& parts, const std::vector<std::string>& names) {
  if (parts.prefix.empty() && parts.suffix.empty()) return nullptr;
  const auto part = [](const char* kind, std::string_view id, int type) {
    return json_object({{kind, json_object({{"id", id}, {"type_id", type}})}});
  };
  JsonWriter single('['), tokens('{');
  std::unordered_set<TokenId> listed;
  const auto append = [&](const std::vector<TokenId>& ids) {
    for (const TokenId id : ids) {
      const std::string& name = names[static_cast<std::size_t>(id)];
      single.add(part("SpecialToken", name, 0));
      if (!listed.insert(id).second) continue;
      tokens.add(
          name,
          json_object({{"id", name}, {"ids", json_list({id})}, {"tokens", json_list({name})}}));
    }
  };
  append(parts.prefix);
  single.add(part("Sequence", "A", 0));
  append(parts.suffix);
  return json_object({{"type", "TemplateProcessing"},
                      {"single", std::move(single).end()},
                      {"pair", json_list({part("Sequence", "A", 0), part("Sequence", "B", 1)})},
                      {"special_tokens", std::move(tokens).end()}});
}

JsonText added_tokens(const TokenizerParts& parts) {
  JsonWriter list('[', 4);
  for (const AddedToken& each : parts.added) {
    if (!detail::is_utf8(each.text)) {
      fail(kCall, "tokenizer",
           "added token " + detail::shown(each.text) + " is not UTF-8, which JSON must be");
    }
    list.add(json_object({{"id", each.id},
                          {"content", each.text},
                          {"single_word", each.single_word},
                          {"lstrip", each.lstrip},
                          {"rstrip", each.rstrip},
                          {"normalized", each.normalized},
                          {"special", each.special}}));
  }
  return std::move(list).end();
}

// The text of an ordinary token, which must be UTF-8.
const std::string& name_of_piece(const std::string& bytes) {
  if (detail::is_utf8(bytes)) return bytes;
  fail(kCall, "tokenizer", "token " + detail::shown(bytes) + " is not UTF-8, which JSON must be");
}

// The text of a token of characters, which must be UTF-8.
std::string name_of_characters(const std::string& bytes) {
  std::string name;
  for (const char each : name_of_piece(bytes)) {
    if (each == ' ') {
      name += kSpace;
    } else {
      name += each;
    }
  }
  return name;
}

// The name of every token: added ones literally, others in the byte alphabet or as characters.
std::vector<std::string> names_of(const TokenizerParts& parts) {
  std::vector<std::string> names(parts.tokens.size());
  for (const AddedToken& each : parts.added) names[static_cast<std::size_t>(each.id)] = each.text;
  for (std::size_t byte = 0; byte < parts.byte_fallback.size(); ++byte) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    names[static_cast<std::size_t>(parts.byte_fallback[byte])] =
        std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">";
  }
  std::unordered_set<std::string_view> taken;
  for (std::size_t id = 0; id < names.size(); ++id) {
    if (names[id].empty()) {
      names[id] = parts.word_pieces             ? name_of_piece(parts.tokens[id])
                  : parts.byte_fallback.empty() ? detail::to_byte_alphabet(parts.tokens[id])
                                                : name_of_characters(parts.tokens[id]);
    }
    if (!taken.insert(names[id]).second) {
      fail(kCall, "tokenizer", "two tokens would be called " + detail::shown(names[id]));
    }
  }
  return names;
}

// The model in the file.
JsonText model(const TokenizerParts& parts, const std::vector<std::string>& names) {
  const auto name = [&](TokenId id) -> const std::string& {
    return names[static_cast<std::size_t>(id)];
  };
  JsonWriter vocabulary('{', 6), merges('[', 6);
  for (TokenId id = 0; id < static_cast<TokenId>(names.size()); ++id) vocabulary.add(name(id), id);
  for (const TokenMerge& each : parts.merges) merges.add(name(each.left) + " " + name(each.right));
  const TokenId unknown = parts.unknown.id;
  if (const auto& words = parts.word_pieces) {
    return json_object({{"type", "WordPiece"},
                        {"unk_token", name(unknown)},
                        {"continuing_subword_prefix", words->continuing},
                        {"max_input_chars_per_word", words->most_characters},
                        {"vocab", std::move(vocabulary).end()}},
                       4);
  }
  return json_object(
      {{"type", "BPE"},
       {"dropout", nullptr},
       {"unk_token", unknown == detail::kNoToken ? nullptr : JsonText(name(unknown))},
       {"continuing_subword_prefix", nullptr},
       {"end_of_word_suffix", nullptr},
       {"fuse_unk", parts.unknown.fused},
       {"byte_fallback", !parts.byte_fallback.empty()},
       {"ignore_merges", parts.ignore_merges},
       {"vocab", std::move(vocabulary).end()},
       {"merges", std::move(merges).end()}},
      4);
}

}  // namespace

std::string tokenizer_json(const Tokenizer& tokenizer) {
  const TokenizerParts& parts = tokenizer.parts();
  const std::vector<std::string> names = names_of(parts);
  const JsonText json = json_object({{"version", "1.0"},
                                     {"truncation", nullptr},
                                     {"padding", nullptr},
                                     {"added_tokens", added_tokens(parts)},
                                     {"normalizer", normalizer(parts)},
                                     {"pre_tokenizer", pre_tokenizer(parts)},
                                     {"post_processor", post_processor(parts, names)},
                                     {"decoder", decoder(parts)},
                                     {"model", model(parts, names)}},
                                    2);
  return json.text + "\n";
}

}  // namespace tril
