#include <tril/files/json_writer.h>
#include <tril/foundation/check.h>
#include <tril/foundation/heap_sort.h>
#include <tril/text/pair_counts.h>
#include <tril/text/train_tokenizer.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

namespace tril {
namespace {

constexpr const char* kCall = "train_tokenizer";
constexpr TokenId kBytes = 256;

using Counted = std::pair<std::string_view, std::int64_t>;

PreTokenizer split_for(TokenizerKind kind) {
  return kind == TokenizerKind::bytes        ? PreTokenizer::whole
         : kind == TokenizerKind::characters ? PreTokenizer::characters
         : kind == TokenizerKind::words      ? PreTokenizer::words
                                             : PreTokenizer::gpt2;
}

// Pieces of two bytes or more, the most frequent first.
std::vector<Counted> count_pieces(std::span<const std::string_view> texts,
                                  const detail::AddedTokens& added, PreTokenizer split) {
  std::unordered_map<std::string_view, std::int64_t> counts;
  const auto count = [&](std::string_view piece) {
    if (piece.size() > 1) ++counts[piece];
  };
  for (const std::string_view text : texts) {
    added.split(text, true, [&](std::string_view part, const AddedToken*, std::string_view) {
      detail::for_each_piece(part, split, false, count);
    });
  }
  std::vector<Counted> pieces(counts.begin(), counts.end());
  detail::heap_sort(pieces, [](const Counted& a, const Counted& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return pieces;
}

void check_options(const TokenizerOptions& options) {
  if (name_of(kTokenizerKinds, options.kind).empty()) fail(kCall, "kind", "there is no such kind");
  for (auto each = options.special.begin(); each != options.special.end(); ++each) {
    if (each->size() < 2) {
      fail(kCall, "special",
           detail::shown(*each) + " must have 2 bytes or more: single bytes are tokens already");
    }
    if (std::find(options.special.begin(), each, *each) != each) {
      fail(kCall, "special", detail::shown(*each) + " is duplicated");
    }
  }
  const std::size_t least = static_cast<std::size_t>(kBytes) + options.special.size();
  if (options.vocabulary < 0 ||
      (options.vocabulary > 0 && static_cast<std::size_t>(options.vocabulary) < least)) {
    fail(kCall, "vocabulary",
         "must be 0 (no limit) or at least " + std::to_string(least) + ", 256 bytes and " +
             std::to_string(options.special.size()) + " special tokens; is " +
             std::to_string(options.vocabulary));
  }
}

// Appends merges, and the tokens they make, up to `most` tokens. None of them is a special token:
// no word contains the text of one.
void learn_merges(std::span<const Counted> words, std::size_t most, TokenizerParts& parts) {
  constexpr std::int64_t kLeast = 2;
  detail::PairCounts counts(words);
  std::unordered_map<std::string, TokenId> ids;
  for (TokenId byte = 0; byte < kBytes; ++byte) {
    ids[parts.tokens[static_cast<std::size_t>(byte)]] = byte;
  }
  while (parts.tokens.size() < most) {
    const auto pair = counts.take_most_frequent(kLeast);
    if (!pair) break;
    const std::string both = parts.tokens[static_cast<std::size_t>(pair->left)] +
                             parts.tokens[static_cast<std::size_t>(pair->right)];
    // Two ways to make the same bytes give one token.
    const auto [place, is_new] = ids.try_emplace(both, static_cast<TokenId>(parts.tokens.size()));
    if (is_new) parts.tokens.push_back(both);
    parts.merges.push_back({pair->left, pair->right, place->second});
    counts.merge(*pair, place->second);
  }
}

}  // namespace

Tokenizer train_tokenizer(std::span<const std::string_view> texts,
                          const TokenizerOptions& options) {
  check_options(options);
  TokenizerParts parts;
  parts.pre_tokenizer = split_for(options.kind);
  parts.ignore_merges =
      options.kind == TokenizerKind::characters || options.kind == TokenizerKind::words;
  for (TokenId byte = 0; byte < kBytes; ++byte) {
    parts.tokens.emplace_back(1, static_cast<char>(byte));
  }
  for (const std::string& each : options.special) parts.added.push_back({each, 0, true});

  const auto limit = static_cast<std::size_t>(
      options.vocabulary > 0 ? options.vocabulary : std::numeric_limits<TokenId>::max());
  const std::size_t most = limit - options.special.size();
  if (options.kind != TokenizerKind::bytes) {
    const std::vector<Counted> pieces =
        count_pieces(texts, detail::AddedTokens(parts.added), parts.pre_tokenizer);
    if (options.kind == TokenizerKind::bpe) {
      learn_merges(pieces, most, parts);
    } else {
      for (const Counted& piece : pieces) {
        if (parts.tokens.size() < most) parts.tokens.emplace_back(piece.first);
      }
    }
  }
  for (AddedToken& each : parts.added) {
    each.id = static_cast<TokenId>(parts.tokens.size());
    parts.tokens.push_back(each.text);
  }
  return Tokenizer(std::move(parts));
}

}  // namespace tril
