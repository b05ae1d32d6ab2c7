#include <tril/files/file.h>
#include <tril/files/json_value.h>
#include <tril/files/utf8.h>
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

// Calls read(line, its first byte) for each line, without the byte order mark and the carriage
// returns of Windows.
template <typename Read>
void for_each_line(std::string_view text, const Read& read) {
  for (std::size_t begin = detail::byte_order_mark(text); begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    read(line, begin);
    begin = end + 1;
  }
}

std::vector<detail::MergeEntry> read_lines(const detail::JsonReader& reader,
                                           std::string_view text) {
  std::vector<detail::MergeEntry> merges;
  bool first = true;
  for_each_line(text, [&](std::string_view line, std::size_t begin) {
    const bool is_version = std::exchange(first, false) && line.starts_with("#version");
    if (is_version || line.empty()) return;
    merges.push_back(detail::merge_entry(reader, line, begin, merges.size()));
  });
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
  return detail::create_tokenizer(std::move(parts), kCall, "vocabulary");
}

Tokenizer parse_word_pieces(std::string_view vocabulary, std::string_view config) {
  constexpr const char* kWords = "parse_word_pieces";
  const detail::JsonReader reader(kWords, vocabulary, 0, "vocabulary");
  const detail::JsonObject settings(kWords, "config", config.empty() ? "{}" : config);
  TokenizerParts parts;
  WordPieces& pieces = parts.word_pieces.emplace();
  pieces.lower_case = settings.boolean("do_lower_case", true);
  pieces.strip_accents = settings.boolean("strip_accents", pieces.lower_case);
  pieces.chinese_apart = settings.boolean("tokenize_chinese_chars", true);
  std::vector<detail::VocabularyEntry> entries;
  for_each_line(vocabulary, [&](std::string_view line, std::size_t begin) {
    entries.push_back({std::string(line), static_cast<Index>(entries.size()), begin});
  });
  const auto special = [&](const char* name, bool may_miss) {
    const auto found = std::ranges::find(entries, name, &detail::VocabularyEntry::name);
    if (found != entries.end()) {
      const auto id = static_cast<TokenId>(found->id);
      parts.added.push_back({name, id, true});
      return id;
    }
    if (!may_miss) fail(kWords, "vocabulary", {"has no line ", name});
    return detail::kNoToken;
  };
  parts.unknown.id = special("[UNK]", false);
  parts.prefix = {special("[CLS]", false)};
  parts.suffix = {special("[SEP]", false)};
  special("[PAD]", true), special("[MASK]", true);
  detail::set_vocabulary(reader, entries, reader, {}, detail::TokenNames::pieces, parts);
  return detail::create_tokenizer(std::move(parts), kWords, "vocabulary");
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

Tokenizer read_word_pieces(const std::filesystem::path& vocabulary,
                           const std::filesystem::path& config) {
  const std::string tokens = text_at(vocabulary), settings = config.empty() ? "" : text_at(config);
  try {
    return parse_word_pieces(tokens, settings);
  } catch (const Error& error) {
    const bool in_tokens = error.argument() == "vocabulary";
    fail(kRead, (in_tokens ? vocabulary : config).string().c_str(), error.problem());
  }
}

}  // namespace tril
