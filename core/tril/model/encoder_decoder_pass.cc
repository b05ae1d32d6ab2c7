// The passes of an encoder-decoder over whole targets, forward and backward.
#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/foundation/stopwatch.h>
#include <tril/layers/elementwise.h>
#include <tril/layers/embedding.h>
#include <tril/layers/linear.h>
#include <tril/model/encoder_decoder.h>

#include <cmath>

namespace tril {
namespace {

using Tokens = EncoderDecoder::Tokens;

// The dropout places before those of the Transformer, which follow them.
enum Place : Index { kSource, kTarget, kPlaces };

// Dropout of a source or a target, forward and backward.
void drop(const TensorView<float, 3>& x, const std::optional<DropoutPlaces>& dropout, Place place,
          const Context& context) {
  if (!dropout) return;
  tril::dropout(joined_rows(x), dropout->at(place, x.size(1)), joined_rows(x), context);
}

// d_table += gradient of the embedding, from d, which is overwritten.
void embed_backward(const TensorView<float, 3>& d, const Tokens& ids,
                    const MatrixView<float>& d_table, const Context& context) {
  multiply(d, std::sqrt(static_cast<float>(d.size(2))), d, context);
  embedding_backward(joined_rows(d), joined_rows(ids), d_table, context);
}

}  // namespace

EncoderDecoder::Saved EncoderDecoder::laid_out(Index batches, Index source, Index target,
                                               SavedMemory& memory) const {
  const Index C = config_.width;
  Saved saved;
  saved.source = memory.take(batches, source, C);
  saved.target = memory.take(batches, target, C);
  saved.out = memory.take(batches, target, C);
  saved.trace =
      transformer_saved({batches, source, C}, {batches, target, C}, transformer_, options_, memory);
  saved.logits = memory.take(batches * target, config_.target_vocabulary);
  return saved;
}

// Lays out the results of a pass over this shape, unless the last pass had it; reuses the memory if
// it is large enough.
void EncoderDecoder::place(Index batches, Index source, Index target) {
  const Shape<3> wanted = {batches, source, target};
  if (placed_ == wanted) return;
  placed_ = {};
  saved_ = saved_in(saved_memory_,
                    [&](SavedMemory& memory) { return laid_out(batches, source, target, memory); });
  placed_ = wanted;
}

TransformerOptions EncoderDecoder::transformer_options(const Places& dropout) const {
  TransformerOptions options = options_;
  if (dropout) options.dropout = dropout->after(kPlaces);
  return options;
}

// embedded = sqrt(C) table[ids] + positions, where these are added
void EncoderDecoder::embed(const Tokens& ids, const MatrixView<const float>& table, Index first,
                           const TensorView<float, 3>& embedded, const Context& context) const {
  const Index width = table.size(1);
  embedding(joined_rows(ids), table, joined_rows(embedded));
  multiply(embedded, std::sqrt(static_cast<float>(width)), embedded, context);
  if (config_.positions == SequencePositions::rotary) return;
  const MatrixView<const float> positions(positions_.view()[first].data(), {ids.size(1), width});
  add(embedded, positions, embedded, context);
}

void EncoderDecoder::forward(const Tokens& source, const Tokens& target, const Places& dropout,
                             const Context& context) {
  place(source.size(0), source.size(1), target.size(1));
  embed(source, weights_.source_embedding, 0, saved_.source, context);
  embed(target, weights_.target_embedding, 0, saved_.target, context);
  drop(saved_.source, dropout, kSource, context);
  drop(saved_.target, dropout, kTarget, context);
  transformer(saved_.source, saved_.target, transformer_, transformer_options(dropout), saved_.out,
              context, saved_.trace);
  linear(joined_rows(saved_.out), weights_.generator.weight, weights_.generator.bias, saved_.logits,
         context);
}

// saved_.logits has their gradient now.
void EncoderDecoder::backward(const Tokens& source, const Tokens& target, const Places& dropout,
                              const Context& context) {
  Scratch::Frame frame(context.scratch);
  const auto like = [&](const TensorView<float, 3>& x) {
    return TensorView<float, 3>(frame.take<float>(x.count()), x.shape());
  };
  const TensorView<float, 3> d_out = like(saved_.out), d_source = like(saved_.source);
  const TensorView<float, 3> d_target = like(saved_.target);
  linear_backward(saved_.logits, joined_rows(saved_.out), weights_.generator.weight,
                  {joined_rows(d_out), gradients_.generator.weight, gradients_.generator.bias},
                  context);
  transformer_backward(d_out, saved_.source, saved_.target, transformer_,
                       transformer_options(dropout), saved_.trace,
                       {d_source, d_target, gradients_.transformer}, context);
  drop(d_source, dropout, kSource, context);
  drop(d_target, dropout, kTarget, context);
  embed_backward(d_source, source, gradients_.source_embedding, context);
  embed_backward(d_target, target, gradients_.target_embedding, context);
}

MatrixView<const float> EncoderDecoder::logits(Tokens source, Tokens target,
                                               const Context& context) {
  check(source, target, "EncoderDecoder::logits");
  forward(source, target, {}, context);
  return saved_.logits;
}

ModelLoss EncoderDecoder::loss(Tokens source, Tokens target, Tokens labels,
                               const Context& context) {
  check(source, target, labels, "EncoderDecoder::loss");
  forward(source, target, {}, context);
  return detail::loss_of(saved_.logits, labels, context);
}

ModelLoss EncoderDecoder::accumulate(Tokens source, Tokens target, Tokens labels,
                                     const ModelGradientOptions& options, const Context& context) {
  constexpr const char* kCall = "EncoderDecoder::accumulate";
  check(source, target, labels, kCall);
  detail::check_gradient_options(kCall, options);
  Places dropout;
  if (options.dropout_seed && config_.dropout > 0) {
    dropout = {config_.dropout, *options.dropout_seed, options.first_sequence};
  }
  const detail::Stopwatch watch;
  forward(source, target, dropout, context);
  ModelLoss loss = detail::loss_and_gradient(saved_.logits, labels, options.scale, context);
  loss.forward_seconds = watch.seconds();
  backward(source, target, dropout, context);
  return loss;
}

}  // namespace tril
