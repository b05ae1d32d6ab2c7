#include <tril/files/json_writer.h>
#include <tril/foundation/check.h>
#include <tril/text/byte_alphabet.h>
#include <tril/text/vocabulary_entries.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

namespace tril::detail {
namespace {

constexpr std::size_t kBytes = 256;

// The byte that <0x0A> stands for.
std::optional<std::size_t> byte_of(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  if (name.size() != 6 || !name.starts_with("<0x") || !name.ends_with('>')) return std::nullopt;
  const std::size_t high = kDigits.find(name[3]), low = kDigits.find(name[4]);
  if (high == kDigits.npos || low == kDigits.npos) return std::nullopt;
  return 16 * high + low;
}

// The bytes of a token of characters.
std::string with_spaces(std::string_view name) {
  constexpr std::string_view kSpace = "\u2581";
  std::string text;
  while (true) {
    const std::size_t before = name.find(kSpace);
    text += name.substr(0, before);
    if (before == name.npos) return text;
    text += ' ';
    name.remove_prefix(before + kSpace.size());
  }
}

std::string ids_of(std::size_t count) {
  return "ids must be 0 to " + std::to_string(count - 1) + " without gaps";
}

}  // namespace

std::vector<VocabularyEntry> read_vocabulary(JsonReader& reader) {
  std::vector<VocabularyEntry> entries;
  reader.object([&](std::string name, std::size_t position) {
    entries.push_back({std::move(name), reader.whole_number(), position});
  });
  return entries;
}

MergeEntry merge_entry(const JsonReader& reader, std::string_view text, std::size_t position,
                       std::size_t number) {
  const std::size_t space = text.find(' ');
  if (space == 0 || space == text.npos || space + 1 == text.size() ||
      text.find(' ', space + 1) != text.npos) {
    reader.fail_at(position, "merge " + std::to_string(number) + ", " + shown(text) +
                                 ": expected two tokens with a blank between them");
  }
  return {std::string(text.substr(0, space)), std::string(text.substr(space + 1)), position};
}

void set_vocabulary(const JsonReader& vocabulary_file,
                    const std::vector<VocabularyEntry>& vocabulary, const JsonReader& merges_file,
                    const std::vector<MergeEntry>& merges, TokenNames names,
                    TokenizerParts& parts) {
  // Added tokens by id; those that are not in the vocabulary make it larger.
  std::unordered_map<Index, const AddedToken*> added;
  for (const AddedToken& each : parts.added) {
    if (!added.emplace(each.id, &each).second) {
      vocabulary_file.fail("added token " + shown(each.text) + ": id " + std::to_string(each.id) +
                           " has another one already");
    }
  }
  std::size_t count = vocabulary.size() + added.size();
  for (const VocabularyEntry& entry : vocabulary) count -= added.contains(entry.id);
  for (const AddedToken& each : parts.added) {
    if (each.id >= 0 && static_cast<std::size_t>(each.id) < count) continue;
    vocabulary_file.fail("added token " + shown(each.text) + " has id " + std::to_string(each.id) +
                         ", but " + ids_of(count));
  }

  parts.tokens.assign(count, {});
  for (const AddedToken& each : parts.added) {
    parts.tokens[static_cast<std::size_t>(each.id)] = each.text;
  }
  std::vector<bool> is_there(count);
  std::unordered_map<std::string_view, TokenId> ids;
  for (const VocabularyEntry& entry : vocabulary) {
    const auto refuse = [&](const std::string& problem) {
      vocabulary_file.fail_at(entry.position, "token " + shown(entry.name) + problem);
    };
    if (entry.id < 0 || static_cast<std::size_t>(entry.id) >= count) {
      refuse(" has id " + std::to_string(entry.id) + ", but " + ids_of(count));
    }
    const auto id = static_cast<std::size_t>(entry.id);
    if (is_there[id]) refuse(": another one has id " + std::to_string(id) + " already");
    is_there[id] = true;
    if (!ids.emplace(entry.name, static_cast<TokenId>(id)).second) refuse(" is duplicated");
    const std::optional<std::size_t> byte =
        names == TokenNames::characters ? byte_of(entry.name) : std::nullopt;
    const std::optional<std::string> bytes = byte ? std::string(1, static_cast<char>(*byte))
                                             : names == TokenNames::pieces ? entry.name
                                             : names == TokenNames::characters
                                                 ? with_spaces(entry.name)
                                                 : from_byte_alphabet(entry.name);
    if (byte) {
      parts.byte_fallback.resize(kBytes, kNoToken);
      parts.byte_fallback[*byte] = static_cast<TokenId>(id);
    }
    if (const auto found = added.find(entry.id); found != added.end()) {
      const std::string& text = found->second->text;
      if (entry.name == text || bytes == text) continue;
      refuse(" has id " + std::to_string(id) + ", which is that of the added token " + shown(text));
    }
    if (!bytes) {
      refuse(" has a character that stands for no byte; a byte-level vocabulary is expected");
    }
    parts.tokens[id] = *bytes;
  }

  for (std::size_t number = 0; number < merges.size(); ++number) {
    const MergeEntry& merge = merges[number];
    const auto id_of = [&](const std::string& name) {
      const auto found = ids.find(name);
      if (found != ids.end()) return found->second;
      merges_file.fail_at(merge.position, "merge " + std::to_string(number) + ", " +
                                              shown(merge.left + " " + merge.right) + ": " +
                                              shown(name) + " is not in the vocabulary");
    };
    parts.merges.push_back(
        {id_of(merge.left), id_of(merge.right), id_of(merge.left + merge.right)});
  }
}

bool lacks_bytes(const TokenizerParts& parts) {
  std::array<bool, kBytes> is_token{};
  for (const std::string& bytes : parts.tokens) {
    if (bytes.size() == 1) is_token[static_cast<unsigned char>(bytes[0])] = true;
  }
  return std::ranges::find(is_token, false) != is_token.end();
}

Tokenizer create_tokenizer(TokenizerParts parts, const char* call, const char* argument) {
  try {
    return Tokenizer(std::move(parts));
  } catch (const Error& error) {
    fail(call, argument, error.problem());
  }
}

}  // namespace tril::detail
