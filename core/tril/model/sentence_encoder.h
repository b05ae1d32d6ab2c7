// Sentences as vectors: an encoder reads a text, and the vectors of its tokens become one (Reimers
// and Gurevych 2019). A folder as sentence-transformers writes it says how, or a GGUF file.
//
//   const SentenceEncoder encoder = read_sentence_encoder("all-MiniLM-L6-v2");
//   Buffer<float, 2> vectors({2, encoder.width()}), cosines({2, 2});
//   encode_sentences(encoder, {"A cat sat.", "A dog sat."}, vectors);
//   cosine_similarity(vectors, vectors, cosines);
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/named.h>
#include <tril/foundation/tensor.h>
#include <tril/model/pretrained.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tril {

struct Gguf;

// What a sentence's vector is made of: the mean of its tokens' vectors, that of its first token, or
// the largest of each element. All tokens count, [CLS] and [SEP], too.
enum class Pooling : std::uint8_t { mean, cls, max };
// Their names.
inline constexpr Named<Pooling> kPoolings[] = {
    {"mean", Pooling::mean}, {"cls", Pooling::cls}, {"max", Pooling::max}};

// How a sentence becomes its vector.
struct SentenceSettings {
  Pooling pooling = Pooling::mean;  // of the tokens' vectors
  bool normalised = false;          // to the length 1
  Index max_tokens = 0;             // longer texts lose their ends; 0: as many as the context
  bool lower_case = false;          // before texts become tokens, whatever the tokenizer does

  // The same.
  bool operator==(const SentenceSettings&) const = default;
};

// The texts of the files that say so; empty: missing.
struct SentenceFiles {
  std::string_view modules;        // modules.json: what follows what, and in which folder
  std::string_view pooling;        // config.json in the folder of pooling
  std::string_view sentence_bert;  // sentence_bert_config.json
};

// The folder of pooling by a modules.json, "1_Pooling" where it is missing. Throws Error where that
// is no list of a Transformer in the folder itself, Pooling and perhaps Normalize.
std::string pooling_folder(std::string_view modules);

// The settings of an encoder of these sizes. What is missing is as sentence-transformers has it:
// the mean, which is not normalised, of as many tokens as the context. Throws Error, naming the
// file and the entry, for another pooling, several of them, another width, and what cannot be read.
SentenceSettings parse_sentence_settings(const SentenceFiles& files, const ModelConfig& config);

// Those of a GGUF file: `pooling_type` is mean or cls; where it is missing, or none, it is the
// mean. Files do not say whether vectors are normalised, or how long a text may be: vectors are, as
// with other programs that read such files, and a text may be as long as the context. Throws Error,
// naming the key, for another pooling.
SentenceSettings parse_sentence_settings(const Gguf& file);

// An encoder with its tokenizer.
struct SentenceEncoder {
  PretrainedModel model;      // whose tokenizer there is
  SentenceSettings settings;  // how sentences become vectors

  // C, of the vectors of tokens and of sentences.
  Index width() const noexcept { return model.parameters.config().width; }
};

// Reads a folder: what read_pretrained does, and the files above, where they are; or a GGUF file.
// Throws Error as that, with the path of the file, and where the model is no encoder or has no
// tokenizer.
SentenceEncoder read_sentence_encoder(const std::filesystem::path& path,
                                      const PretrainedOptions& options = {});

// Throws Error in the name of `call` unless the settings are those of an encoder.
void check_encoder(const ModelConfig& config, const char* call);

// The tokens of a text; of one that has too many, the first, and those that stand after every
// text. Throws Error where there are none, or the tokenizer puts more around each text than there
// may be.
std::vector<std::int32_t> sentence_tokens(const Tokenizer& tokenizer,
                                          const SentenceSettings& settings,
                                          const ModelConfig& config, std::string_view text);

// Fills `hidden` [T, C] with the vectors of T tokens, as the last layer of an encoder gives them.
// Texts are run one by one, and so without padding. Throws Error where there are none, or more than
// the context has, or one is outside the vocabulary, and for another model or shape.
void encode_tokens(const ModelParameters& parameters, std::span<const std::int32_t> tokens,
                   const MatrixView<float>& hidden, const Context& context = {});

// The vector [C] of a sentence from those of its tokens [T, C]. Throws Error where shapes do not
// fit.
void pool_tokens(const SentenceSettings& settings, const MatrixView<const float>& hidden,
                 const VectorView<float>& out);

// Fills `out` [N, C] with the vectors of N texts. Throws Error as sentence_tokens, and for another
// shape.
void encode_sentences(const SentenceEncoder& encoder, std::span<const std::string> texts,
                      const MatrixView<float>& out, const Context& context = {});

// out[n][m] = cosine of the angle between rows n of `a` [N, C] and m of `b` [M, C]; 0 where one of
// them is 0. Throws Error where shapes do not fit.
void cosine_similarity(const MatrixView<const float>& a, const MatrixView<const float>& b,
                       const MatrixView<float>& out);

}  // namespace tril
