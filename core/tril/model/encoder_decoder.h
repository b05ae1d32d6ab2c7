// The sequence-to-sequence encoder-decoder of "Attention is all you need" (Vaswani et al. 2017),
// for training: nn.Transformer between token embeddings and a head.
//
//   x = dropout(sqrt(C) E_source[source] + positions)      [B, S, C], positions sines and cosines,
//                                                          or queries and keys turned instead
//   y = dropout(sqrt(C) E_target[target] + positions)      [B, T, C]
//   logits = transformer(x, y) W^T + b            [B T, V], a target seeing none after it
//
//   EncoderDecoder model(config, seed);
//   Trainer trainer(model, TrainerOptions::for_sequences());  // trainer.h
//
// All sequences of a batch have one length; a label that does not count is kIgnoredTarget. In
// training, dropout is also applied where nn.Transformer has it (block/transformer.h).
#pragma once

#include <tril/block/transformer.h>
#include <tril/foundation/buffer.h>
#include <tril/model/trainable.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tril {

// The encoding of positions: sines and cosines that are added to the embeddings, or rotations of
// queries and keys of self-attention (layers/rotary_positions.h).
enum class SequencePositions : std::uint8_t { sinusoidal, rotary };
// Their names.
inline constexpr Named<SequencePositions> kSequencePositions[] = {
    {"sinusoidal", SequencePositions::sinusoidal}, {"rotary", SequencePositions::rotary}};

// The settings of nn.Transformer, with its defaults, and of the embeddings and the head.
struct EncoderDecoderConfig {
  Index source_vocabulary = 0;               // number of source tokens
  Index target_vocabulary = 0;               // V, number of target tokens
  Index context = 64;                        // maximum length of a source or a target
  Index encoder_layers = 6;                  // number of layers of the encoder
  Index decoder_layers = 6;                  // number of layers of the decoder
  Index heads = 8;                           // H, which divides width
  Index width = 512;                         // C, even
  Index hidden = 2048;                       // F of the feed-forward
  NormOrder norm = NormOrder::post;          // the order of norms and sublayers
  Activation activation = Activation::relu;  // of the feed-forward
  SequencePositions positions = SequencePositions::sinusoidal;  // the encoding of positions
  bool gated = false;  // whether the feed-forward is activation(gate) * up
  double eps = 1e-5;   // of the norms
  // The probability, in training, of dropping embeddings, attention weights, activations and
  // sublayer outputs. nn.Transformer's default is 0.1.
  double dropout = 0;

  friend bool operator==(const EncoderDecoderConfig&, const EncoderDecoderConfig&) = default;
};

// Throws Error in the name of `call`, naming the setting, for sizes below 1, heads that do not
// divide the width, an odd width, an odd width of rotated heads, and numbers out of range.
void check_encoder_decoder_config(const EncoderDecoderConfig& config, const char* call);

// The parameters, with the names of PyTorch's tutorial "Language Translation with nn.Transformer".
template <typename T>
struct BasicEncoderDecoderWeights {
  MatrixView<T> source_embedding = {};          // [source_vocabulary, C]
  MatrixView<T> target_embedding = {};          // [target_vocabulary, C]
  BasicTransformerWeights<T> transformer = {};  // with a norm at the end of each stack
  BasicLinearWeights<T> generator = {};         // [V, C] and [V]

  // For foundation/parameters.h.
  template <typename Visit, typename... Structs>
  static void for_each_member(const Visit& visit, Structs&... each) {
    visit("src_tok_emb.embedding.weight", each.source_embedding...);
    visit("tgt_tok_emb.embedding.weight", each.target_embedding...);
    visit("transformer", each.transformer...);
    visit("generator", each.generator...);
  }
};

// Every given parameter by name, in the order of for_each_parameter; queries, keys and values are
// stacked.
std::vector<StoredParameter> stored_parameters(const BasicEncoderDecoderWeights<float>& weights);

// Options of greedy decoding.
struct TranslateOptions {
  std::int32_t begin = 0;  // the token that begins a target
  std::int32_t end = -1;   // the token that ends a target; below 0: none
  Index tokens = 0;        // maximum number of tokens, up to the context; 0: the context
};

// Owns the model's memory. Results do not depend on the number of threads. After the first call
// with the largest batch, no floats are allocated.
class EncoderDecoder final : public Trainable {
 public:
  // Token ids without gaps, one sequence per row.
  using Tokens = MatrixView<const std::int32_t>;

  // Initialises as nn.Transformer and that tutorial do: matrices uniform in +-sqrt(6 / (in + out))
  // (Glorot and Bengio 2010), biases of attention 0, those of other linear layers uniform in +-1 /
  // sqrt(in), norms 1. Throws Error as check_encoder_decoder_config does, OutOfMemory where there
  // is not enough memory.
  EncoderDecoder(const EncoderDecoderConfig& config, std::uint64_t seed);

  // The given settings.
  const EncoderDecoderConfig& config() const noexcept { return config_; }
  // The parameters.
  const BasicEncoderDecoderWeights<float>& weights() const noexcept { return weights_; }
  // The gradients of the parameters, in a struct of the same form.
  const BasicEncoderDecoderWeights<float>& gradients() const noexcept { return gradients_; }
  // All parameters, and all their gradients, each contiguous; gaps between parameters are 0.
  VectorView<float> values() noexcept override { return values_; }
  VectorView<const float> values() const noexcept override { return values_; }
  VectorView<float> gradient() noexcept override { return gradient_; }
  VectorView<const float> gradient() const noexcept { return gradient_; }
  Index decayed() const noexcept override { return decayed_; }

  // The logits [B T, V] after each token of targets [B, T], given sources [B, S]; valid until the
  // next call. Throws Error where batches differ, S or T exceeds the context, or an id is not a
  // token, before anything is written.
  MatrixView<const float> logits(Tokens source, Tokens target, const Context& context = {});
  // The loss of labels [B, T], which are ids or kIgnoredTarget. Throws as logits() does.
  ModelLoss loss(Tokens source, Tokens target, Tokens labels, const Context& context = {});
  // The same with dropout; adds the gradient of scale * sum to gradient(). Throws Error also for a
  // scale that is not finite and a first sequence below 0.
  ModelLoss accumulate(Tokens source, Tokens target, Tokens labels,
                       const ModelGradientOptions& options, const Context& context = {});
  ModelLoss accumulate(const TrainingBatch& batch, const ModelGradientOptions& options,
                       const Context& context) override {
    return accumulate(batch.source, batch.target, batch.labels, options, context);
  }
  ModelLoss loss(const TrainingBatch& batch, const Context& context) override {
    return loss(batch.source, batch.target, batch.labels, context);
  }
  // Decodes sources [B, S] greedily: each next token is the most likely one after the tokens before
  // it. Returns the tokens of each row, without `begin` and `end`. The encoder runs once; keys and
  // values of the memory and of the target are cached. Throws Error as logits() does, and for
  // options out of range.
  std::vector<std::vector<std::int32_t>> translate(Tokens source, const TranslateOptions& options,
                                                   const Context& context = {});
  // Throws, in the name of `call`, the error that loss() would throw for these arguments; does
  // nothing else.
  void check(const Tokens& source, const Tokens& target, const Tokens& labels,
             const char* call) const;
  void check(const TrainingBatch& batch, const char* call) const override {
    check(batch.source, batch.target, batch.labels, call);
  }

  // Sets all gradients to 0.
  void clear_gradients() noexcept override;
  using Trainable::parameters;
  std::vector<StoredParameter> parameters() const override { return stored_parameters(weights_); }

  // The functions for its trainer.
  const char* trainer_name() const noexcept override { return "EncoderDecoderTrainer"; }
  void check(const TrainerOptions& options, const char* call) const override;
  Index window() const noexcept override { return 0; }
  Metadata settings(const TrainerOptions& options) const override;
  TrainerState read_state(const Safetensors& file) const override;
  // Names the last gradient that is not finite: the backward pass begins at the end.
  std::string not_finite(double loss) const override;

  // The bytes that it owns: values, gradients, and the memory of its largest pass.
  std::size_t bytes() const noexcept;

 private:
  // Results of the last pass, laid out in saved_memory_.
  struct Saved {
    TensorView<float, 3> source = {}, target = {}, out = {};  // embeddings; output of the decoder
    TransformerTrace trace = {};
    MatrixView<float> logits = {};
  };

  void check(const Tokens& source, const Tokens& target, const char* call) const;
  Saved laid_out(Index batches, Index source, Index target, SavedMemory& memory) const;
  void place(Index batches, Index source, Index target);
  // Dropout of the pass; none outside training.
  using Places = std::optional<DropoutPlaces>;
  TransformerOptions transformer_options(const Places& dropout) const;
  // Embeds tokens from position `first` on.
  void embed(const Tokens& ids, const MatrixView<const float>& table, Index first,
             const TensorView<float, 3>& embedded, const Context& context) const;
  void forward(const Tokens& source, const Tokens& target, const Places& dropout,
               const Context& context);
  void backward(const Tokens& source, const Tokens& target, const Places& dropout,
                const Context& context);

  EncoderDecoderConfig config_;
  TransformerOptions options_;
  Buffer<float, 1> values_, gradient_, saved_memory_;
  Buffer<float, 2> positions_;  // [context, C]
  BasicEncoderDecoderWeights<float> weights_, gradients_;
  TransformerWeights transformer_;  // a read-only view of weights_
  Index decayed_ = 0;
  Shape<3> placed_{};  // B, S and T for which saved_ is laid out
  Saved saved_;
};

}  // namespace tril
