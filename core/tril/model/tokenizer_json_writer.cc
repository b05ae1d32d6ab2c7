#include <tril/files/header_reader.h>
#include <tril/files/utf8.h>
#include <tril/foundation/check.h>
#include <tril/model/byte_alphabet.h>
#include <tril/model/tokenizer_file.h>

#include <unordered_set>

namespace tril {
namespace {

using detail::json_quoted;

constexpr const char* kCall = "tokenizer_json";

std::string_view text_of(bool value) { return value ? "true" : "false"; }

std::string byte_level(bool use_regex) {
  return R"({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": )" +
         std::string(text_of(use_regex)) + "}";
}

std::string pre_tokenizer(const TokenizerParts& parts) {
  std::string steps;
  if (parts.digits_alone) steps += R"({"type": "Digits", "individual_digits": true}, )";
  if (parts.pre_split == PreSplit::characters) {
    steps +=
        R"({"type": "Split", "pattern": {"Regex": "[\\s\\S]"}, "behavior": "Isolated", "invert": false}, )";
  }
  const std::string bytes = byte_level(parts.pre_split == PreSplit::gpt2);
  if (steps.empty()) return bytes;
  return R"({"type": "Sequence", "pretokenizers": [)" + steps + bytes + "]}";
}

std::string added_tokens(const TokenizerParts& parts) {
  std::string list;
  for (const AddedToken& each : parts.added) {
    if (!detail::is_utf8(each.text)) {
      fail(kCall, "tokenizer",
           "added token " + detail::shown(each.text) + " is not UTF-8, which JSON must be");
    }
    if (!list.empty()) list += ',';
    list += "\n    {\"id\": " + std::to_string(each.id) + ", \"content\": ";
    list += json_quoted(each.text);
    list += R"(, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, )";
    list += R"("special": )";
    list += text_of(each.special);
    list += '}';
  }
  return "[" + list + (list.empty() ? "]" : "\n  ]");
}

// The name of every token: added ones as they are, others in the byte alphabet.
std::vector<std::string> names_of(const TokenizerParts& parts) {
  std::vector<std::string> names(parts.tokens.size());
  for (const AddedToken& each : parts.added) names[static_cast<std::size_t>(each.id)] = each.text;
  std::unordered_set<std::string_view> taken;
  for (std::size_t id = 0; id < names.size(); ++id) {
    if (names[id].empty()) names[id] = detail::to_byte_alphabet(parts.tokens[id]);
    if (!taken.insert(names[id]).second) {
      fail(kCall, "tokenizer", "two tokens would be called " + detail::shown(names[id]));
    }
  }
  return names;
}

}  // namespace

std::string tokenizer_json(const Tokenizer& tokenizer) {
  const TokenizerParts& parts = tokenizer.parts();
  const std::vector<std::string> names = names_of(parts);
  std::string vocabulary, merges;
  for (std::size_t id = 0; id < names.size(); ++id) {
    vocabulary += id > 0 ? ",\n      " : "\n      ";
    vocabulary += json_quoted(names[id]) + ": " + std::to_string(id);
  }
  for (const TokenMerge& each : parts.merges) {
    merges += merges.empty() ? "\n      " : ",\n      ";
    merges += json_quoted(names[static_cast<std::size_t>(each.left)] + " " +
                          names[static_cast<std::size_t>(each.right)]);
  }
  return R"({
  "version": "1.0",
  "truncation": null,
  "padding": null,
  "added_tokens": )" +
         added_tokens(parts) + R"(,
  "normalizer": null,
  "pre_tokenizer": )" +
         pre_tokenizer(parts) + R"(,
  "post_processor": null,
  "decoder": )" +
         byte_level(true) + R"(,
  "model": {
    "type": "BPE",
    "dropout": null,
    "unk_token": null,
    "continuing_subword_prefix": null,
    "end_of_word_suffix": null,
    "fuse_unk": false,
    "byte_fallback": false,
    "ignore_merges": )" +
         std::string(text_of(parts.whole_pieces)) + R"(,
    "vocab": {)" +
         vocabulary + R"(
    },
    "merges": [)" +
         merges + (merges.empty() ? "" : "\n    ") + R"(]
  }
}
)";
}

}  // namespace tril
