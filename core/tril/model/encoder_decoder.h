// The encoder-decoder from sequence to sequence of "Attention is all you need" (Vaswani et al.
// 2017): nn.Transformer with token embeddings before it and a head after it, to be trained.
//
//   x = dropout(sqrt(C) E_source[source] + positions)      [B, S, C], positions sines and cosines,
//                                                          or queries and keys turned instead
//   y = dropout(sqrt(C) E_target[target] + positions)      [B, T, C]
//   logits = transformer(x, y) W^T + b            [B T, V], a target seeing none after it
//
//   EncoderDecoder model(config, seed);
//   EncoderDecoderTrainer trainer(model, options);  // encoder_decoder_trainer.h
//
// All sequences of a batch are of one length; a target that is not to count is kIgnoredTarget.
// In training, dropout also stands where nn.Transformer has it (block/transformer.h).
#pragma once

#include <tril/block/transformer.h>
#include <tril/foundation/buffer.h>
#include <tril/model/trainable.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tril {

// How a token knows its place: sines and cosines added to what is embedded, or queries and keys of
// self-attention turned (layers/rotary_positions.h).
enum class SequencePositions : std::uint8_t { sinusoidal, rotary };
// Their names.
inline constexpr Named<SequencePositions> kSequencePositions[] = {
    {"sinusoidal", SequencePositions::sinusoidal}, {"rotary", SequencePositions::rotary}};

// nn.Transformer's settings, with its defaults, and what is around it.
struct EncoderDecoderConfig {
  Index source_vocabulary = 0;               // tokens there are on one side
  Index target_vocabulary = 0;               // V, on the other
  Index context = 64;                        // the most tokens of a source or a target
  Index encoder_layers = 6;                  // of the source
  Index decoder_layers = 6;                  // of the target
  Index heads = 8;                           // H, which divides width
  Index width = 512;                         // C, even
  Index hidden = 2048;                       // F of the feed-forwards
  NormOrder norm = NormOrder::post;          // where the norms are
  Activation activation = Activation::relu;  // of the feed-forwards
  SequencePositions positions = SequencePositions::sinusoidal;  // how a token knows its place
  bool gated = false;  // the feed-forwards: activation(gate) up
  double eps = 1e-5;   // in the norms
  // In training: of what is embedded, attention's weights, what activations give, and what
  // sublayers add. nn.Transformer's default is 0.1.
  double dropout = 0;

  friend bool operator==(const EncoderDecoderConfig&, const EncoderDecoderConfig&) = default;
};

// Throws Error in the name of `call`, naming the setting, for sizes below 1, heads that do not
// divide the width, an odd width, an odd width of heads to be turned, and numbers out of range.
void check_encoder_decoder_config(const EncoderDecoderConfig& config, const char* call);

// The parameters, named as in PyTorch's tutorial "Language Translation with nn.Transformer".
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

// Each by its name, without those that are not given: queries, keys and values are stacked. In the
// order of for_each_parameter.
std::vector<StoredParameter> stored_parameters(const BasicEncoderDecoderWeights<float>& weights);

// How a target is said.
struct TranslateOptions {
  std::int32_t begin = 0;  // the token that it begins with
  std::int32_t end = -1;   // the token that it ends with; below 0: there is none
  Index tokens = 0;        // the most that are said, up to the context; 0: the context
};

// Owns the model's memory. Results do not depend on the number of threads. After the first call for
// the largest batch no floats are allocated but by `scratch`, and by that no more either.
class EncoderDecoder final : public Trainable {
 public:
  // Numbers of tokens, a sequence a row, without gaps.
  using Tokens = MatrixView<const std::int32_t>;

  // Initialised as nn.Transformer and that tutorial do: all matrices even in +-sqrt(6 / (in + out))
  // (Glorot and Bengio 2010), biases of attention 0, those of other linear layers even in
  // +-1 / sqrt(in), norms 1. Throws Error as check_encoder_decoder_config does, OutOfMemory
  // where there is less memory.
  EncoderDecoder(const EncoderDecoderConfig& config, std::uint64_t seed);

  // As it was given.
  const EncoderDecoderConfig& config() const noexcept { return config_; }
  // The parameters.
  const BasicEncoderDecoderWeights<float>& weights() const noexcept { return weights_; }
  // Their gradients, in structs of the same form.
  const BasicEncoderDecoderWeights<float>& gradients() const noexcept { return gradients_; }
  // All parameters, and all their gradients, side by side; what lies between parameters is 0.
  VectorView<float> values() noexcept override { return values_; }
  VectorView<const float> values() const noexcept { return values_; }
  VectorView<float> gradient() noexcept override { return gradient_; }
  VectorView<const float> gradient() const noexcept { return gradient_; }
  Index decayed() const noexcept override { return decayed_; }

  // The logits [B T, V] after each token of the targets [B, T] of sources [B, S]; good until the
  // next call. Throws Error where batches differ, S or T is beyond the context, or an id is no
  // token, before anything is written.
  MatrixView<const float> logits(Tokens source, Tokens target, const Context& context = {});
  // The losses of labels [B, T], ids or kIgnoredTarget. Throws as logits() does.
  ModelLoss loss(Tokens source, Tokens target, Tokens labels, const Context& context = {});
  // The same with dropout, and the gradient of scale * sum is added to gradient(). Throws Error for
  // a scale that is not finite or a first sequence below 0, too.
  ModelLoss accumulate(Tokens source, Tokens target, Tokens labels,
                       const ModelGradientOptions& options, const Context& context = {});
  ModelLoss accumulate(const TrainingBatch& batch, const ModelGradientOptions& options,
                       const Context& context) override {
    return accumulate(batch.source, batch.target, batch.labels, options, context);
  }
  // What the model says of sources [B, S], row by row, without `begin` and `end`: token after token
  // the one that it holds most likely after all before it. The encoder runs once, and keys and
  // values of the memory and of what is said are kept while it goes on. Throws Error as logits()
  // does, and for options out of range.
  std::vector<std::vector<std::int32_t>> translate(Tokens source, const TranslateOptions& options,
                                                   const Context& context = {});
  // Throws in the name of `call` what those would for what they are given, and does nothing else.
  void check(const Tokens& source, const Tokens& target, const Tokens& labels,
             const char* call) const;

  // Sets them to 0.
  void clear_gradients() noexcept;
  std::vector<StoredParameter> parameters() const override { return stored_parameters(weights_); }
  std::vector<StoredParameter> parameters(const VectorView<const float>& memory) const override;
  // All that it owns: values, gradients, and what its largest pass has left.
  std::size_t bytes() const noexcept;

 private:
  // Of the pass that was last, laid out in saved_memory_.
  struct Saved {
    TensorView<float, 3> source = {}, target = {}, out = {};  // embedded; the decoder's output
    TransformerTrace trace = {};
    MatrixView<float> logits = {};
  };

  void check(const Tokens& source, const Tokens& target, const char* call) const;
  Saved laid_out(Index batches, Index source, Index target, SavedMemory& memory) const;
  void place(Index batches, Index source, Index target);
  // Where dropout is: nowhere outside training.
  using Places = std::optional<DropoutPlaces>;
  TransformerOptions transformer_options(const Places& dropout) const;
  // Of tokens that stand from the position `first` on.
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
  TransformerWeights transformer_;  // those of weights_, to be read
  Index decayed_ = 0;
  Shape<3> placed_{};  // B, S and T that saved_ is laid out for
  Saved saved_;
};

}  // namespace tril
