#include <tril/files/json_writer.h>
#include <tril/foundation/check.h>
#include <tril/text/tokenizer.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace tril {
namespace {

constexpr const char* kCall = "Tokenizer";
constexpr std::size_t kBytes = 256;

// "token 5" and its bytes, for a message.
std::string named(TokenId id, std::string_view bytes) {
  return "token " + std::to_string(id) + ", " + detail::shown(bytes);
}

}  // namespace

Tokenizer::Tokenizer(TokenizerParts parts)
    : parts_(std::move(parts)), pairs_(parts_.merges.size()) {
  if (parts_.tokens.size() > static_cast<std::size_t>(std::numeric_limits<TokenId>::max())) {
    fail(kCall, "tokens", "there are more than a 32-bit id can number");
  }
  read_tokens();
  read_merges();
  read_added();
  read_affixes();
  if (parts_.word_pieces) {
    read_word_pieces();
  } else {
    find_whole_pieces();
  }
}

void Tokenizer::read_word_pieces() {
  const std::string& mark = parts_.word_pieces->continuing;
  const char* const name = "word_pieces";
  if (mark.empty()) fail(kCall, name, "must have a mark of tokens that go on with a word");
  if (!parts_.merges.empty() || !parts_.byte_fallback.empty() || parts_.nfc) {
    fail(kCall, name, "go without merges, byte_fallback and nfc");
  }
  if (parts_.unknown.id == detail::kNoToken) fail(kCall, name, "need a token of what is unknown");
  whole_ = detail::TokenTable(parts_.tokens.size());
  for (TokenId id = 0; id < size(); ++id) {
    whole_.insert(id, parts_.tokens);
    const std::string& token = parts_.tokens[static_cast<std::size_t>(id)];
    longest_ = std::max(longest_, token.size());
    const bool goes_on = token.starts_with(mark) && token.size() > mark.size();
    texts_.push_back(goes_on ? token.substr(mark.size()) : ' ' + token);
  }
}

// Whether each token is one of `byte_fallback`.
std::vector<bool> Tokenizer::read_fallback() const {
  std::vector<bool> is_byte(parts_.tokens.size());
  if (parts_.byte_fallback.empty()) return is_byte;
  if (parts_.byte_fallback.size() != kBytes) {
    fail(kCall, "byte_fallback", "must be 256 tokens, one for each byte, or none");
  }
  for (std::size_t byte = 0; byte < kBytes; ++byte) {
    const TokenId id = parts_.byte_fallback[byte];
    const std::string expected(1, static_cast<char>(byte));
    if (id == detail::kNoToken) {
      fail(kCall, "byte_fallback", "there is no token of byte " + std::to_string(byte));
    }
    if (id < 0 || id >= size() || parts_.tokens[static_cast<std::size_t>(id)] != expected) {
      fail(kCall, "byte_fallback",
           "token " + std::to_string(id) + " is not byte " + std::to_string(byte));
    }
    is_byte[static_cast<std::size_t>(id)] = true;
  }
  return is_byte;
}

void Tokenizer::read_tokens() {
  const std::vector<bool> is_fallback = read_fallback();
  detail::TokenTable all(parts_.tokens.size());
  for (TokenId id = 0; id < size(); ++id) {
    if (is_fallback[static_cast<std::size_t>(id)]) continue;
    const std::string& bytes = parts_.tokens[static_cast<std::size_t>(id)];
    if (bytes.empty()) fail(kCall, "tokens", "token " + std::to_string(id) + " is empty");
    if (!all.insert(id, parts_.tokens)) {
      fail(kCall, "tokens",
           named(id, bytes) + ", is token " + std::to_string(all.find(bytes, parts_.tokens)) +
               " already");
    }
  }
  first_ = detail::FirstTokens(parts_.tokens, parts_.byte_fallback, parts_.unknown);
  if (parts_.word_pieces) return;
  for (std::size_t byte = 0; byte < kBytes; ++byte) {
    const bool is_printable = byte >= ' ' && byte <= '~';
    if (first_.has(static_cast<char>(byte)) || (parts_.lacks_bytes && !is_printable)) continue;
    fail(kCall, "tokens",
         "byte " + std::to_string(byte) + " is not a token; each " +
             (parts_.lacks_bytes ? "printable ASCII character" : "of the 256 bytes") +
             " must be one");
  }
}

void Tokenizer::read_merges() {
  for (std::size_t rank = 0; rank < parts_.merges.size(); ++rank) {
    const TokenMerge& merge = parts_.merges[rank];
    const std::string name = "merge " + std::to_string(rank);
    for (const TokenId id : {merge.left, merge.right, merge.id}) {
      if (id >= 0 && id < size()) continue;
      fail(kCall, "merges",
           name + ": there is no token " + std::to_string(id) + ", only 0 to " +
               std::to_string(size() - 1));
    }
    const auto bytes = [&](TokenId id) { return parts_.tokens[static_cast<std::size_t>(id)]; };
    const std::string both = bytes(merge.left) + bytes(merge.right);
    if (bytes(merge.id) != both) {
      fail(kCall, "merges",
           name + ": of " + detail::shown(both) + ", but " + named(merge.id, bytes(merge.id)));
    }
    if (!pairs_.insert(merge.left, merge.right, {static_cast<std::uint32_t>(rank), merge.id})) {
      fail(kCall, "merges",
           name + ": the pair " + detail::shown(bytes(merge.left)) + ", " +
               detail::shown(bytes(merge.right)) + " is merged already");
    }
  }
}

void Tokenizer::read_added() {
  for (const AddedToken& each : parts_.added) {
    if (each.id < 0 || each.id >= size() ||
        parts_.tokens[static_cast<std::size_t>(each.id)] != each.text) {
      fail(kCall, "added",
           detail::shown(each.text) + " is not token " + std::to_string(each.id) +
               " of the vocabulary");
    }
  }
  std::vector<AddedToken> first, normalized_ones;
  for (const AddedToken& each : parts_.added) {
    if (!each.normalized) {
      first.push_back(each);
      continue;
    }
    normalized_ones.push_back(each);
    normalized_ones.back().text = normalized(each.text, false).text();
    if (normalized_ones.back().text.empty()) normalized_ones.pop_back();
    if (parts_.word_pieces) continue;
    if (parts_.prefix_space == PrefixSpace::each)
      after_space_[each.id] = normalized_ones.back().text;
  }
  added_ = detail::AddedTokens(std::move(first));
  normalized_added_ = detail::AddedTokens(std::move(normalized_ones));
}

void Tokenizer::read_affixes() const {
  if (parts_.prefix_space == PrefixSpace::each && parts_.byte_fallback.empty()) {
    fail(kCall, "prefix_space", "each goes with byte_fallback");
  }
  const auto check = [&](const std::vector<TokenId>& ids, const char* which) {
    for (const TokenId id : ids) {
      if (id >= 0 && id < size()) continue;
      fail(kCall, which,
           "there is no token " + std::to_string(id) + ", only 0 to " + std::to_string(size() - 1));
    }
  };
  check(parts_.prefix, "prefix");
  check(parts_.suffix, "suffix");
  if (parts_.unknown.id != detail::kNoToken) check({parts_.unknown.id}, "unknown");
}

// Most pieces of a text are one token. The pieces that merges turn into one token are found here
// once, so that they need not be merged again and again.
void Tokenizer::find_whole_pieces() {
  std::vector<bool> may_be_whole(parts_.tokens.size(), parts_.ignore_merges);
  for (const AddedToken& each : parts_.added)
    may_be_whole[static_cast<std::size_t>(each.id)] = false;
  for (const TokenId id : parts_.byte_fallback) may_be_whole[static_cast<std::size_t>(id)] = false;
  whole_ = detail::TokenTable(parts_.tokens.size());
  detail::Merger merger(pairs_, first_, parts_.tokens);
  std::vector<TokenId> ids;
  for (TokenId id = 0; id < size(); ++id) {
    const auto index = static_cast<std::size_t>(id);
    ids.clear();
    merger.merge(parts_.tokens[index], ids);
    const bool is_merged = ids.size() == 1 && ids[0] == id;
    if (is_merged || may_be_whole[index]) whole_.insert(id, parts_.tokens);
  }
  const auto is_of_one_word = [&](const TokenMerge& merge) {
    const std::string& bytes = parts_.tokens[static_cast<std::size_t>(merge.id)];
    return detail::before_space(bytes) == bytes.size();
  };
  cuts_at_spaces_ = !parts_.byte_fallback.empty() && !parts_.ignore_merges &&
                    parts_.pre_tokenizer == PreTokenizer::whole &&
                    std::ranges::all_of(parts_.merges, is_of_one_word);
}

const std::string& Tokenizer::checked(TokenId id, const char* call) const {
  if (id < 0 || id >= size()) {
    fail(call, "ids",
         "there is no token " + std::to_string(id) + ", only 0 to " + std::to_string(size() - 1));
  }
  return parts_.tokens[static_cast<std::size_t>(id)];
}

std::string_view Tokenizer::token(TokenId id) const { return checked(id, "Tokenizer::token"); }

std::string_view Tokenizer::text_of(TokenId id, const char* call) const {
  const std::string& bytes = checked(id, call);
  if (!texts_.empty()) return texts_[static_cast<std::size_t>(id)];
  if (after_space_.empty()) return bytes;
  const auto found = after_space_.find(id);
  return found == after_space_.end() ? bytes : found->second;
}

bool Tokenizer::is_special(TokenId id) const {
  checked(id, "Tokenizer::is_special");
  return std::ranges::any_of(parts_.added,
                             [&](const AddedToken& each) { return each.id == id && each.special; });
}

std::string Tokenizer::decode(std::span<const TokenId> ids) const {
  std::string text;
  for (const TokenId id : ids) text += text_of(id, "Tokenizer::decode");
  if (loses_first_space() && text.starts_with(' ')) text.erase(0, 1);
  return text;
}

std::vector<TokenSpan> Tokenizer::offsets(std::span<const TokenId> ids) const {
  std::vector<TokenSpan> spans;
  std::size_t begin = 0;
  for (const TokenId id : ids) {
    const std::string_view bytes = text_of(id, "Tokenizer::offsets");
    const bool loses_space = spans.empty() && loses_first_space() && bytes.starts_with(' ');
    const std::size_t end = begin + bytes.size() - loses_space;
    spans.push_back({begin, end});
    begin = end;
  }
  return spans;
}

}  // namespace tril
