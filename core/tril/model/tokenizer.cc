#include <tril/files/header_reader.h>
#include <tril/foundation/check.h>
#include <tril/model/tokenizer.h>

#include <limits>
#include <utility>

namespace tril {
namespace {

constexpr const char* kCall = "Tokenizer";

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
  find_whole_pieces();
}

void Tokenizer::read_tokens() {
  bytes_.fill(detail::kNoToken);
  detail::TokenTable all(parts_.tokens.size());
  for (TokenId id = 0; id < size(); ++id) {
    const std::string& bytes = parts_.tokens[static_cast<std::size_t>(id)];
    if (bytes.empty()) fail(kCall, "tokens", "token " + std::to_string(id) + " is empty");
    if (!all.insert(id, parts_.tokens)) {
      fail(kCall, "tokens",
           named(id, bytes) + ", is token " + std::to_string(all.find(bytes, parts_.tokens)) +
               " already");
    }
    if (bytes.size() == 1) bytes_[static_cast<unsigned char>(bytes[0])] = id;
  }
  for (std::size_t byte = 0; byte < bytes_.size(); ++byte) {
    if (bytes_[byte] != detail::kNoToken) continue;
    fail(kCall, "tokens",
         "byte " + std::to_string(byte) + " is no token; each of the 256 bytes must be one");
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
  added_ = detail::AddedTokens(parts_.added);
}

// Most pieces of a text are one token. Which pieces the merges turn into one is found here once, so
// that it need not be found for each of them again.
void Tokenizer::find_whole_pieces() {
  std::vector<bool> is_added(parts_.tokens.size());
  for (const AddedToken& each : parts_.added) is_added[static_cast<std::size_t>(each.id)] = true;
  whole_ = detail::TokenTable(parts_.tokens.size());
  detail::Merger merger(pairs_, bytes_);
  std::vector<TokenId> ids;
  for (TokenId id = 0; id < size(); ++id) {
    const auto index = static_cast<std::size_t>(id);
    ids.clear();
    merger.merge(parts_.tokens[index], ids);
    if (ids.size() == 1 || (parts_.whole_pieces && !is_added[index])) {
      whole_.insert(id, parts_.tokens);
    }
  }
}

const std::string& Tokenizer::checked(TokenId id, const char* call) const {
  if (id < 0 || id >= size()) {
    fail(call, "ids",
         "there is no token " + std::to_string(id) + ", only 0 to " + std::to_string(size() - 1));
  }
  return parts_.tokens[static_cast<std::size_t>(id)];
}

std::string_view Tokenizer::token(TokenId id) const { return checked(id, "Tokenizer::token"); }

std::vector<TokenId> Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  std::vector<TokenId> ids;
  detail::Merger merger(pairs_, bytes_);
  const auto encode_piece = [&](std::string_view piece) {
    const TokenId whole = whole_.find(piece, parts_.tokens);
    if (whole != detail::kNoToken) {
      ids.push_back(whole);
    } else {
      merger.merge(piece, ids);
    }
  };
  added_.split(text, options.special_tokens, [&](std::string_view part, const AddedToken* added) {
    detail::for_each_piece(part, parts_.pre_split, parts_.digits_alone, encode_piece);
    if (added) ids.push_back(added->id);
  });
  return ids;
}

std::string Tokenizer::decode(std::span<const TokenId> ids) const {
  std::string text;
  for (const TokenId id : ids) text += checked(id, "Tokenizer::decode");
  return text;
}

std::vector<TokenSpan> Tokenizer::offsets(std::span<const TokenId> ids) const {
  std::vector<TokenSpan> spans;
  std::size_t begin = 0;
  for (const TokenId id : ids) {
    const std::size_t end = begin + checked(id, "Tokenizer::offsets").size();
    spans.push_back({begin, end});
    begin = end;
  }
  return spans;
}

}  // namespace tril
