// The common entries of vocab.json, merges.txt and tokenizer.json: tokens and merges, written in
// the byte alphabet, or as characters, with U+2581 for a space and <0x0A> for a byte.
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
  std::size_t position;  // offset in the file
};

// The two tokens of a merge.
struct MergeEntry {
  std::string left, right;
  std::size_t position;
};

// The forms of token names: in the byte alphabet, as characters, or as their plain bytes (pieces).
enum class TokenNames { bytes, characters, pieces };

// Reads an object from names to ids.
std::vector<VocabularyEntry> read_vocabulary(JsonReader& reader);

// "left right"
MergeEntry merge_entry(const JsonReader& reader, std::string_view text, std::size_t position,
                       std::size_t number);

// Fills the tokens, merges and byte_fallback of `parts`, whose added tokens are already set. Added
// tokens are in the vocabulary literally, or not in it. Errors name the byte of the entry in its
// file.
void set_vocabulary(const JsonReader& vocabulary_file,
                    const std::vector<VocabularyEntry>& vocabulary, const JsonReader& merges_file,
                    const std::vector<MergeEntry>& merges, TokenNames names, TokenizerParts& parts);

// Whether any of the 256 bytes is not a token.
bool lacks_bytes(const TokenizerParts& parts);

// Creates the tokenizer, or throws its Error in the name of this call and argument.
Tokenizer create_tokenizer(TokenizerParts parts, const char* call, const char* argument);

}  // namespace tril::detail
