// The tokenizer in a GGUF file.
#pragma once

#include <tril/files/gguf.h>
#include <tril/text/tokenizer.h>

#include <optional>

namespace tril {

// The tokenizer that a file's keys "tokenizer.ggml. ..." describe; none where they describe none.
// Of its `model`s two are read:
//
//   gpt2    pieces are bytes, merged by `merges`; `pre` says how texts are cut: as by GPT-2 (also
//           where it is missing), Llama 3, Qwen2 or SmolLM
//   llama   pieces are characters (SentencePiece); two tokens are merged where a third is both of
//           them, the one of the highest of `scores` first
//
// Tokens that `token_type` calls control, unknown or user-defined are added tokens. Throws Error,
// naming the key or the byte of the file, for everything else.
std::optional<Tokenizer> parse_gguf_tokenizer(const Gguf& file);

}  // namespace tril
