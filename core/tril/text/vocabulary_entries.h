// What vocab.json, merges.txt and tokenizer.json have in common: tokens and merges, written in the
// byte alphabet, or, by characters, as they are: with U+2581 for a space, and <0x0A> for a byte.
#pragma once

#include <tril/files/json_reader.h>
#include <tril/text/tokenizer.h>

#include <cstddef>
#include <string>
#include <vector>

namespace tril::detail {

// "name": id
struct VocabularyEntry {
  std::string name;
  Index id;
  std::size_t position;  // its byte in the file
};

// The two tokens of a merge.
struct MergeEntry {
  std::string left, right;
  std::size_t position;
};

// What the names of tokens are: pieces are their bytes as they stand.
enum class TokenNames { bytes, characters, pieces };

// An object from names to ids.
std::vector<VocabularyEntry> read_vocabulary(JsonReader& reader);

// "left right"
MergeEntry merge_entry(const JsonReader& reader, std::string_view text, std::size_t position,
                       std::size_t number);

// Fills the tokens, merges and byte_fallback of `parts`, whose added tokens are there; these stand
// in the vocabulary as they are, or not at all. Errors are at the entries' bytes, of the file of
// the one or the other.
void set_vocabulary(const JsonReader& vocabulary_file,
                    const std::vector<VocabularyEntry>& vocabulary, const JsonReader& merges_file,
                    const std::vector<MergeEntry>& merges, TokenNames names, TokenizerParts& parts);

// Whether any of the 256 bytes is no token.
bool lacks_bytes(const TokenizerParts& parts);

// The tokenizer, or an Error of this call and argument.
Tokenizer create_tokenizer(TokenizerParts parts, const char* call, const char* argument);

}  // namespace tril::detail
