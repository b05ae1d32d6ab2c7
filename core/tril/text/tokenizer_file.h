// Tokenizers as files: reads and writes Hugging Face's tokenizer.json, and reads GPT-2's vocab.json
// with merges.txt and BERT's vocab.txt.
#pragma once

#include <tril/text/tokenizer.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

// The tokenizer in a tokenizer.json (github.com/huggingface/tokenizers). It reads the kinds that a
// Tokenizer supports: WordPiece, and two forms of byte-pair encoding, without a prefix or suffix of
// words and without dropout. Pieces begin as bytes, as in GPT-2, SmolLM2, Qwen2 and Llama 3:
//
//   normalizer      none or NFC; of Unicode's other forms, NFD, NFKC and NFKD, none is read
//   pre_tokenizer   ByteLevel; before it, in a Sequence, perhaps Digits, each alone, or Split,
//                   isolated, at every character or at the expression of Llama 3, Qwen2, GPT-4o
//                   (Phi-4-mini) or Tekken (Mistral)
//   decoder         none or ByteLevel
//
// or characters with byte_fallback, as in Llama 2, TinyLlama and Gemma:
//
//   normalizer      perhaps Prepend of U+2581, then Replace of spaces by it
//   pre_tokenizer   none, or Split at " ", merged with what is before, which there is no more; or
//                   Metaspace that does not split, and then no normalizer
//   decoder         Replace of U+2581 by spaces, ByteFallback, Fuse, and, where a space is put
//   before
//                   a text, Strip of one at the start
//
// or it is WordPiece, as in BERT, MiniLM and BGE:
//
//   normalizer      none or BertNormalizer
//   pre_tokenizer   BertPreTokenizer
//   decoder         none or WordPiece, whose `cleanup` is not done
//   post_processor  perhaps BertProcessing
//
// and in all of them
//
//   post_processor  none, ByteLevel, which changes offsets only, TemplateProcessing, of which
//                   "single" is read, or a Sequence of them
//   added_tokens    with all their flags
//
// and ids without gaps. A missing step is the same as null; merges are "left right" or pairs.
// `truncation` and `padding` are left to the caller. Throws Error, with the byte of the file, for
// everything else: a file is read exactly as it says, or not at all.
Tokenizer parse_tokenizer_json(std::string_view file);

// The tokenizer of GPT-2 and its relatives, from the bytes of vocab.json, an object from tokens to
// ids, and of merges.txt, with one merge per line, lowest rank first, perhaps after a line that
// begins with #version. Entries of `special` that are in the vocabulary are special tokens. Throws
// Error with the byte of the file.
Tokenizer parse_vocabulary_and_merges(std::string_view vocabulary, std::string_view merges,
                                      const std::vector<std::string>& special = {"<|endoftext|>"});

// The tokenizer of BERT and its relatives, from the bytes of vocab.txt, with one token per line,
// and of tokenizer_config.json, of which do_lower_case, strip_accents and tokenize_chinese_chars
// are read. Their defaults, also where the file is missing (empty), are BertTokenizer's: true, the
// value of do_lower_case, and true. [UNK], [CLS] and [SEP] are required; these, [PAD] and [MASK]
// are special tokens, and texts are put between [CLS] and [SEP]. Throws Error with the byte of the
// file.
Tokenizer parse_word_pieces(std::string_view vocabulary, std::string_view config = {});

// The text of a tokenizer.json for Hugging Face's libraries. Throws Error where two tokens would
// have the same name: an added token that is spelled like another one in the byte alphabet.
std::string tokenizer_json(const Tokenizer& tokenizer);

// Reads a tokenizer.json, or a vocab.json and a merges.txt. Throws Error with the path of the file
// where one cannot be read.
Tokenizer read_tokenizer(const std::filesystem::path& path);
Tokenizer read_tokenizer(const std::filesystem::path& vocabulary,
                         const std::filesystem::path& merges,
                         const std::vector<std::string>& special = {"<|endoftext|>"});

// Reads a vocab.txt and, where its path is not empty, a tokenizer_config.json.
Tokenizer read_word_pieces(const std::filesystem::path& vocabulary,
                           const std::filesystem::path& config = {});

}  // namespace tril
