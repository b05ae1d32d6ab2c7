// Greedy decoding of an encoder-decoder: the encoder runs once, and each token of the target runs
// through the decoder separately.
#include <tril/block/stack.h>
#include <tril/foundation/check.h>
#include <tril/foundation/ranges.h>
#include <tril/layers/linear.h>
#include <tril/model/encoder_decoder.h>

#include <algorithm>

namespace tril {
namespace {

constexpr const char* kCall = "EncoderDecoder::translate";

// The decoder over a memory, one position of all targets at a time.
class Decoder {
 public:
  Decoder(const TransformerDecoderWeights& weights, const DecoderBlockOptions& options,
          const TensorView<const float, 3>& memory, Index capacity)
      : stack_(detail::stack_of(memory, weights, options, {})) {
    const Index width = memory.size(2) / options.heads;
    for (std::size_t n = 0; n < weights.layers.size(); ++n) {
      const auto cache = [&](Index tokens) {
        return KeyValueCache({.batches = memory.size(0),
                              .heads = options.heads,
                              .capacity = tokens,
                              .width = width});
      };
      generated_.push_back(cache(capacity)), memory_.push_back(cache(memory.size(1)));
    }
  }

  // x [B, 1, C], which is replaced by the output.
  void run(const TensorView<float, 3>& x, const Context& context) {
    for (std::size_t n = 0; n < generated_.size(); ++n) {
      detail::Layer layer = stack_.layer(n);
      // The memory is projected for the first token; the cache keeps the projections.
      TensorView<const float, 3>& memory = layer.cross_attention.context;
      if (memory_[n].length() > 0) memory = {memory.data(), {memory.size(0), 0, memory.size(2)}};
      layer.self_attention.past = &generated_[n];
      layer.cross_attention.past = &memory_[n];
      layer.run(x, x, context);
    }
    if (!stack_.weights.norm) return;
    detail::norm(NormKind::layer_norm, x, *stack_.weights.norm, stack_.like.eps, x, context);
  }

 private:
  detail::Stack stack_;
  std::vector<KeyValueCache> generated_, memory_;  // of target and memory, one cache per layer
};

}  // namespace

// memory = encoder(source)
// for each position: x = decoder(embedding of the last tokens, memory)
//                    the next tokens are those with the largest logits
std::vector<std::vector<std::int32_t>> EncoderDecoder::translate(Tokens source,
                                                                 const TranslateOptions& options,
                                                                 const Context& context) {
  check_view(source, kCall, "source");
  const Index most = options.tokens == 0 ? config_.context : options.tokens;
  if (most < 1 || most > config_.context) {
    fail(kCall, "tokens", {"must be from 1 to the context, ", config_.context, ", is ", most});
  }
  const auto check_token = [&](const char* name, std::int32_t id) {
    if (id < config_.target_vocabulary) return;
    fail(kCall, name, {id, " is outside the vocabulary (0..", config_.target_vocabulary - 1, ")"});
  };
  if (options.begin < 0) fail(kCall, "begin", {"must be at least 0, is ", options.begin});
  check_token("begin", options.begin), check_token("end", options.end);
  const Index B = source.size(0), C = config_.width, V = config_.target_vocabulary;
  std::vector<std::int32_t> last(static_cast<std::size_t>(B), options.begin);
  const Tokens last_tokens(last.data(), {B, 1});
  check(source, last_tokens, kCall);

  Scratch::Frame frame(context.scratch);
  const auto take = [&](Index tokens) {
    return TensorView<float, 3>(frame.take<float>(B, tokens, C), {B, tokens, C});
  };
  const TensorView<float, 3> memory = take(source.size(1)), x = take(1);
  const MatrixView<float> logits(frame.take<float>(B, V), {B, V});
  {
    Scratch::Frame of_source(context.scratch);
    const TensorView<float, 3> embedded(of_source.take<float>(memory.count()), memory.shape());
    embed(source, weights_.source_embedding, 0, embedded, context);
    transformer_encoder(embedded, transformer_.encoder, detail::encoder_options(options_), memory,
                        context);
  }
  const DecoderBlockOptions decoder_options =
      detail::decoder_options(options_, transformer_.encoder.layers.size());
  Decoder decoder(transformer_.decoder, decoder_options, memory, most);
  std::vector<std::vector<std::int32_t>> outputs(static_cast<std::size_t>(B));
  std::vector<bool> ended(static_cast<std::size_t>(B));
  for (Index t = 0; t < most && std::ranges::find(ended, false) != ended.end(); ++t) {
    embed(last_tokens, weights_.target_embedding, t, x, context);
    decoder.run(x, context);
    linear(joined_rows(x), weights_.generator.weight, weights_.generator.bias, logits, context);
    for (std::size_t b = 0; b < outputs.size(); ++b) {
      if (ended[b]) continue;
      const float* const row = logits[static_cast<Index>(b)].data();
      const auto id = static_cast<std::int32_t>(std::max_element(row, row + V) - row);
      ended[b] = id == options.end;
      if (!ended[b]) outputs[b].push_back(id), last[b] = id;
    }
  }
  return outputs;
}

}  // namespace tril
