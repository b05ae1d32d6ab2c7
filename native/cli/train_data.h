// The texts that `tril train` learns from: read, cut into what is trained on and what is measured
// on, and made into tokens.
#pragma once

#include <tril/model/training_text.h>
#include <tril/text/train_tokenizer.h>

#include <string>
#include <vector>

namespace tril::cli {

struct TrainTexts {
  TrainingText text;
  std::string fingerprint;  // of all of it
};

// A file's text. Unless `any_bytes`, it must be UTF-8. Throws Failure, naming the file.
std::string read_text(const std::string& path, bool any_bytes);

// The files of each list, one after the other. Without `validation`, the last tenth of `train` is
// for that. Unless `any_bytes`, each must be UTF-8. Throws Failure, naming the file, where one
// cannot be read, and where there is nothing in the files of a list.
TrainTexts read_texts(const std::vector<std::string>& train,
                      const std::vector<std::string>& validation, bool any_bytes);

// ", not 4096: ..." where so many tokens were asked for and there are fewer, and why; else nothing.
std::string why_fewer(TokenizerKind kind, TokenId asked, TokenId tokens);

// The tokenizer that an earlier run left. Throws Failure, naming the file.
Tokenizer load_tokenizer(const std::string& path);

// "text" for one line on a terminal: quotes and control characters are escaped, and bytes that are
// no UTF-8 are question marks.
std::string one_line(const std::string& text);

}  // namespace tril::cli
