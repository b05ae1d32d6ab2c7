// Reads the tokenizer of a GGUF file.
#pragma once

#include <tril/files/gguf.h>
#include <tril/text/tokenizer.h>

#include <optional>

namespace tril {

// The tokenizer that the keys "tokenizer.ggml. ..." of a file describe; nothing without them. Three
// values of `model` are supported:
//
//   gpt2    pieces are bytes, merged by `merges`; `pre` says how texts are cut: as by GPT-2 (also
//           where it is missing), Llama 3, Qwen2 or SmolLM
//   llama   pieces are characters (SentencePiece); two tokens are merged where a third is both of
//           them, the one of the highest of `scores` first
//   bert    pieces are words (WordPiece), whose names become those of BERT's vocab.txt again, with
//           ## before what goes on with a word, and each text stands between `cls` and `seperator`,
//           as the key is spelled; where such a key is missing, [CLS] and [SEP] are found by
//           their names, and [UNK]. `normalizer.lowercase` says whether capitals become small,
//           `normalizer.strip_accents` whether accents go, else both or none. Where the
//           file says neither, both happen, unless each capital from A to Z is a token
//
// Control, unknown and user-defined tokens (`token_type`) are added tokens. Throws Error, naming
// the key or the byte of the file, for everything else.
std::optional<Tokenizer> parse_gguf_tokenizer(const Gguf& file);

}  // namespace tril
