#include <tril/files/header_reader.h>
#include <tril/files/utf8.h>
#include <tril/foundation/check.h>
#include <tril/text/byte_alphabet.h>
#include <tril/text/tokenizer_file.h>

#include <unordered_set>

namespace tril {
namespace {

using detail::json_quoted;

constexpr const char* kCall = "tokenizer_json";
constexpr std::string_view kBlank = "\u2581";

std::string_view text_of(bool value) { return value ? "true" : "false"; }

std::string byte_level(bool use_regex) {
  return R"({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": )" +
         std::string(text_of(use_regex)) + "}";
}

std::string sequence(std::string_view list, const std::string& steps) {
  return R"({"type": "Sequence", ")" + std::string(list) + "\": [" + steps + "]}";
}

std::string replacement(std::string_view from, std::string_view to) {
  return R"({"type": "Replace", "pattern": {"String": )" + json_quoted(from) + R"(}, "content": )" +
         json_quoted(to) + "}";
}

std::string normalizer(const TokenizerParts& parts) {
  if (parts.nfc) return R"({"type": "NFC"})";
  if (parts.fallback.empty()) return "null";
  const std::string blanks = replacement(" ", kBlank);
  if (!parts.blank_before) return blanks;
  return sequence("normalizers",
                  R"({"type": "Prepend", "prepend": )" + json_quoted(kBlank) + "}, " + blanks);
}

std::string pre_tokenizer(const TokenizerParts& parts) {
  if (!parts.fallback.empty()) return "null";
  std::string steps;
  if (parts.digits_alone) steps += R"({"type": "Digits", "individual_digits": true}, )";
  const std::string_view expression = detail::expression_of(parts.pre_split);
  if (!expression.empty()) {
    steps += R"({"type": "Split", "pattern": {"Regex": )" + json_quoted(expression) +
             R"(}, "behavior": "Isolated", "invert": false}, )";
  }
  const std::string bytes = byte_level(parts.pre_split == PreSplit::gpt2);
  return steps.empty() ? bytes : sequence("pretokenizers", steps + bytes);
}

std::string decoder(const TokenizerParts& parts) {
  if (parts.fallback.empty()) return byte_level(true);
  std::string steps = replacement(kBlank, " ") + R"(, {"type": "ByteFallback"}, {"type": "Fuse"})";
  if (parts.blank_before) {
    steps += R"(, {"type": "Strip", "content": " ", "start": 1, "stop": 0})";
  }
  return sequence("decoders", steps);
}

// The tokens before a text and behind it, by their names.
std::string post_processor(const TokenizerParts& parts, const std::vector<std::string>& names) {
  if (parts.prefix.empty() && parts.suffix.empty()) return "null";
  std::string single, tokens;
  std::unordered_set<TokenId> listed;
  const auto append = [&](const std::vector<TokenId>& ids) {
    for (const TokenId id : ids) {
      const std::string name = json_quoted(names[static_cast<std::size_t>(id)]);
      if (!single.empty()) single += ", ";
      single += R"({"SpecialToken": {"id": )" + name + R"(, "type_id": 0}})";
      if (!listed.insert(id).second) continue;
      tokens += (tokens.empty() ? "" : ", ") + name + R"(: {"id": )" + name + R"(, "ids": [)" +
                std::to_string(id) + R"(], "tokens": [)" + name + "]}";
    }
  };
  append(parts.prefix);
  single +=
      (single.empty() ? "" : ", ") + std::string(R"({"Sequence": {"id": "A", "type_id": 0}})");
  append(parts.suffix);
  return R"({"type": "TemplateProcessing", "single": [)" + single +
         R"(], "pair": [{"Sequence": {"id": "A", "type_id": 0}}, )"
         R"({"Sequence": {"id": "B", "type_id": 1}}], "special_tokens": {)" +
         tokens + "}}";
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
    const auto flag = [&](const char* name, bool value) {
      list += std::string(", \"") + name + "\": ";
      list += text_of(value);
    };
    flag("single_word", each.single_word);
    flag("lstrip", each.lstrip);
    flag("rstrip", each.rstrip);
    flag("normalized", each.normalized);
    flag("special", each.special);
    list += '}';
  }
  return "[" + list + (list.empty() ? "]" : "\n  ]");
}

// A token of characters, which must be UTF-8.
std::string name_of_characters(const std::string& bytes) {
  if (!detail::is_utf8(bytes)) {
    fail(kCall, "tokenizer", "token " + detail::shown(bytes) + " is not UTF-8, which JSON must be");
  }
  std::string name;
  for (const char each : bytes) {
    if (each == ' ') {
      name += kBlank;
    } else {
      name += each;
    }
  }
  return name;
}

// The name of every token: added ones as they are, others in the byte alphabet or as characters.
std::vector<std::string> names_of(const TokenizerParts& parts) {
  std::vector<std::string> names(parts.tokens.size());
  for (const AddedToken& each : parts.added) names[static_cast<std::size_t>(each.id)] = each.text;
  for (std::size_t byte = 0; byte < parts.fallback.size(); ++byte) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    names[static_cast<std::size_t>(parts.fallback[byte])] =
        std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">";
  }
  std::unordered_set<std::string_view> taken;
  for (std::size_t id = 0; id < names.size(); ++id) {
    if (names[id].empty()) {
      names[id] = parts.fallback.empty() ? detail::to_byte_alphabet(parts.tokens[id])
                                         : name_of_characters(parts.tokens[id]);
    }
    if (!taken.insert(names[id]).second) {
      fail(kCall, "tokenizer", "two tokens would be called " + detail::shown(names[id]));
    }
  }
  return names;
}

// The name of a token, or null.
std::string quoted_or_null(TokenId id, const std::vector<std::string>& names) {
  return id == detail::kNoToken ? "null" : json_quoted(names[static_cast<std::size_t>(id)]);
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
  "normalizer": )" +
         normalizer(parts) + R"(,
  "pre_tokenizer": )" +
         pre_tokenizer(parts) + R"(,
  "post_processor": )" +
         post_processor(parts, names) + R"(,
  "decoder": )" +
         decoder(parts) + R"(,
  "model": {
    "type": "BPE",
    "dropout": null,
    "unk_token": )" +
         quoted_or_null(parts.unknown.id, names) + R"(,
    "continuing_subword_prefix": null,
    "end_of_word_suffix": null,
    "fuse_unk": )" +
         std::string(text_of(parts.unknown.fused)) + R"(,
    "byte_fallback": )" +
         std::string(text_of(!parts.fallback.empty())) + R"(,
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
