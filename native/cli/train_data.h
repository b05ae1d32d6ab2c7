// The texts of `tril train`: read, split into training and validation data, and encoded as tokens.
#pragma once

#include <tril/model/training_text.h>
#include <tril/text/train_tokenizer.h>

#include <string>
#include <vector>

namespace tril::cli {

struct TrainTexts {
  TrainingText text;
  std::string fingerprint;  // of all texts
};

// A file's text. Unless `any_bytes`, it must be UTF-8. Throws Failure, naming the file.
std::string read_text(const std::string& path, bool any_bytes);

// The files of each list, concatenated. Without `validation`, the last tenth of `train` is the
// validation data. Unless `any_bytes`, each must be UTF-8. Throws Failure, naming the file, where
// one cannot be read, and where the files of a list are empty.
TrainTexts read_texts(const std::vector<std::string>& train,
                      const std::vector<std::string>& validation, bool any_bytes);

// ", not 4096: ...", the reason why there are fewer tokens than asked for; else "".
std::string why_fewer(TokenizerKind kind, TokenId asked, TokenId tokens);

// The tokenizer saved by an earlier run. Throws Failure, naming the file.
Tokenizer load_tokenizer(const std::string& path);

// "text" on one line of a terminal: quotes and control characters are escaped, and invalid UTF-8
// bytes are question marks.
std::string one_line(const std::string& text);

}  // namespace tril::cli
