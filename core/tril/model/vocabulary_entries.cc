#include <tril/foundation/check.h>
#include <tril/model/byte_alphabet.h>
#include <tril/model/vocabulary_entries.h>

#include <optional>
#include <unordered_map>
#include <utility>

namespace tril::detail {
namespace {

std::string ids_of(std::size_t count) {
  return "ids must be 0 to " + std::to_string(count - 1) + " without gaps";
}

}  // namespace

std::vector<VocabularyEntry> read_vocabulary(HeaderReader& reader) {
  std::vector<VocabularyEntry> entries;
  reader.list('{', '}', false, [&] {
    reader.peek();
    const std::size_t position = reader.position();
    std::string name = reader.json_string();
    reader.expect(':');
    entries.push_back({std::move(name), reader.whole_number(), position});
  });
  return entries;
}

MergeEntry merge_entry(const HeaderReader& reader, std::string_view text, std::size_t position,
                       std::size_t number) {
  const std::size_t blank = text.find(' ');
  if (blank == 0 || blank == text.npos || blank + 1 == text.size() ||
      text.find(' ', blank + 1) != text.npos) {
    reader.fail_at(position, "merge " + std::to_string(number) + ", " + shown(text) +
                                 ": expected two tokens with a blank between them");
  }
  return {std::string(text.substr(0, blank)), std::string(text.substr(blank + 1)), position};
}

void set_vocabulary(const HeaderReader& vocabulary_file,
                    const std::vector<VocabularyEntry>& vocabulary, const HeaderReader& merges_file,
                    const std::vector<MergeEntry>& merges, TokenizerParts& parts) {
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
    if (!ids.emplace(entry.name, static_cast<TokenId>(id)).second) refuse(" stands there twice");
    const std::optional<std::string> bytes = from_byte_alphabet(entry.name);
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

Tokenizer made(TokenizerParts parts, const char* call, const char* argument) {
  try {
    return Tokenizer(std::move(parts));
  } catch (const Error& error) {
    fail(call, argument, error.problem());
  }
}

}  // namespace tril::detail
