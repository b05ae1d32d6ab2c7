#include <tril/files/file.h>
#include <tril/foundation/check.h>
#include <tril/text/tokenizer_file.h>
#include <tril/text/vocabulary_entries.h>

#include <algorithm>
#include <utility>

namespace tril {
namespace {

constexpr const char* kCall = "parse_vocabulary_and_merges";
constexpr const char* kRead = "read_tokenizer";

std::string text_at(const std::filesystem::path& path) {
  try {
    const std::vector<std::byte> bytes = read_file(path);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  } catch (const Error& error) {
    fail(kRead, path.string().c_str(), error.problem());
  }
}

std::vector<detail::MergeEntry> read_lines(const detail::JsonReader& reader,
                                           std::string_view text) {
  std::vector<detail::MergeEntry> merges;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool is_version = begin == 0 && line.starts_with("#version");
    if (!is_version && !line.empty()) {
      merges.push_back(detail::merge_entry(reader, line, begin, merges.size()));
    }
    begin = end + 1;
  }
  return merges;
}

}  // namespace

Tokenizer parse_vocabulary_and_merges(std::string_view vocabulary, std::string_view merges,
                                      const std::vector<std::string>& special) {
  detail::JsonReader vocabulary_reader(kCall, vocabulary, 0, "vocabulary");
  const detail::JsonReader merges_reader(kCall, merges, 0, "merges");
  const std::vector<detail::VocabularyEntry> entries = detail::read_vocabulary(vocabulary_reader);
  if (!vocabulary_reader.at_end()) vocabulary_reader.fail("something follows the object");
  TokenizerParts parts;
  for (const detail::VocabularyEntry& entry : entries) {
    const bool fits = entry.id < static_cast<Index>(entries.size());
    if (!fits || std::ranges::find(special, entry.name) == special.end()) continue;
    parts.added.push_back({entry.name, static_cast<TokenId>(entry.id), true});
  }
  detail::set_vocabulary(vocabulary_reader, entries, merges_reader,
                         read_lines(merges_reader, merges), detail::TokenNames::bytes, parts);
  return detail::made(std::move(parts), kCall, "vocabulary");
}

Tokenizer read_tokenizer(const std::filesystem::path& path) {
  const std::string text = text_at(path);
  try {
    return parse_tokenizer_json(text);
  } catch (const Error& error) {
    fail(kRead, path.string().c_str(), error.problem());
  }
}

Tokenizer read_tokenizer(const std::filesystem::path& vocabulary,
                         const std::filesystem::path& merges,
                         const std::vector<std::string>& special) {
  const std::string tokens = text_at(vocabulary), pairs = text_at(merges);
  try {
    return parse_vocabulary_and_merges(tokens, pairs, special);
  } catch (const Error& error) {
    const bool in_merges = error.argument() == "merges";
    fail(kRead, (in_merges ? merges : vocabulary).string().c_str(), error.problem());
  }
}

}  // namespace tril
