// Sentence embeddings: an encoder reads a text, and the vectors of its tokens are pooled into one
// (Reimers and Gurevych 2019). The settings are in a folder of sentence-transformers or a GGUF
// file.
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

// The ways to pool the vectors of a sentence's tokens: their mean, the vector of the first token,
// or the maximum of each element. All tokens count, [CLS] and [SEP], too.
enum class Pooling : std::uint8_t { mean, cls, max };
// Their names.
inline constexpr Named<Pooling> kPoolings[] = {
    {"mean", Pooling::mean}, {"cls", Pooling::cls}, {"max", Pooling::max}};

// The settings of sentence embeddings.
struct SentenceSettings {
  Pooling pooling = Pooling::mean;  // the pooling of the tokens' vectors
  bool normalised = false;          // whether vectors are normalised to length 1
  Index max_tokens = 0;             // longer texts are truncated; 0: the context
  bool lower_case = false;          // before the tokenizer, whatever its own steps

  // Whether all settings are equal.
  bool operator==(const SentenceSettings&) const = default;
};

// The texts of the files with the settings; empty for a missing file.
struct SentenceFiles {
  std::string_view modules;        // modules.json: the modules and their folders
  std::string_view pooling;        // config.json in the folder of pooling
  std::string_view sentence_bert;  // sentence_bert_config.json
};

// The folder of pooling in a modules.json, "1_Pooling" where that file is missing. Throws Error
// where it is not a list of a Transformer in the folder itself, Pooling and perhaps Normalize.
std::string pooling_folder(std::string_view modules);

// The settings of an encoder of these sizes. Defaults are those of sentence-transformers: the mean,
// not normalised, of at most the context. Throws Error, naming the file and the entry, for another
// pooling, several poolings, another width, and a file that cannot be read.
SentenceSettings parse_sentence_settings(const SentenceFiles& files, const ModelConfig& config);

// The settings in a GGUF file. `pooling_type` is mean or cls; mean where it is missing or none.
// Such files do not specify normalisation and the length of texts: vectors are normalised, as by
// other programs, and texts may be as long as the context. Throws Error, naming the key, for
// another pooling.
SentenceSettings parse_sentence_settings(const Gguf& file);

// An encoder with its tokenizer.
struct SentenceEncoder {
  PretrainedModel model;      // always with a tokenizer
  SentenceSettings settings;  // the settings of its vectors

  // C, the width of the vectors of tokens and of sentences.
  Index width() const noexcept { return model.parameters.config().width; }
};

// Reads a GGUF file, or a folder, as read_pretrained does, with the files above where they exist.
// Throws Error as read_pretrained does, and where the model is not an encoder or has no tokenizer.
SentenceEncoder read_sentence_encoder(const std::filesystem::path& path,
                                      const PretrainedOptions& options = {});

// Throws Error in the name of `call` unless the settings are those of an encoder.
void check_encoder(const ModelConfig& config, const char* call);

// The tokens of a text. A text with too many is truncated before the tokens that follow every text.
// Throws Error where there are none, or where the tokenizer adds more tokens to each text than the
// maximum.
std::vector<std::int32_t> sentence_tokens(const Tokenizer& tokenizer,
                                          const SentenceSettings& settings,
                                          const ModelConfig& config, std::string_view text);

// Fills `hidden` [T, C] with the vectors of T tokens after an encoder's last layer. Texts are run
// one by one, without padding. Throws Error for no tokens, more than the context, a token outside
// the vocabulary, and another model or shape.
void encode_tokens(const ModelParameters& parameters, std::span<const std::int32_t> tokens,
                   const MatrixView<float>& hidden, const Context& context = {});

// Pools the vectors [T, C] of tokens into the vector [C] of a sentence. Throws Error where shapes
// do not fit.
void pool_tokens(const SentenceSettings& settings, const MatrixView<const float>& hidden,
                 const VectorView<float>& out);

// Fills `out` [N, C] with the vectors of N texts. Throws Error as sentence_tokens does, and for
// another shape.
void encode_sentences(const SentenceEncoder& encoder, std::span<const std::string> texts,
                      const MatrixView<float>& out, const Context& context = {});

// out[n][m] = cosine of the angle between row n of `a` [N, C] and row m of `b` [M, C]; 0 where one
// of them is 0. Throws Error where shapes do not fit.
void cosine_similarity(const MatrixView<const float>& a, const MatrixView<const float>& b,
                       const MatrixView<float>& out);

}  // namespace tril
