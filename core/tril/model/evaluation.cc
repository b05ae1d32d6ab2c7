#include <tril/foundation/check.h>
#include <tril/layers/cross_entropy.h>
#include <tril/model/decoding_session.h>
#include <tril/model/evaluation.h>

#include <algorithm>

namespace tril {
namespace {

constexpr const char* kCall = "evaluate";

// Maximum number of tokens whose logits are in memory at once.
constexpr Index kPiece = 64;

}  // namespace

// for each piece of what is left:
//   where the context is full, begin again with its second half
//   logits = append(piece);  loss of the token after each
ModelLoss evaluate_text(const ModelParameters& parameters, std::span<const std::int32_t> tokens,
                        VectorView<float> losses, const Context& context) {
  const ModelConfig& config = parameters.config();
  if (!config.causal) {
    fail(kCall, "config", "is not causal, so it predicts no token from those before it");
  }
  if (tokens.size() < 2) {
    fail(kCall, "tokens", {"must be at least 2, one to predict from another, are ", tokens.size()});
  }
  detail::check_tokens(kCall, tokens, config.vocabulary);
  const Index count = static_cast<Index>(tokens.size()) - 1, V = config.vocabulary;
  check_shape(losses, {count}, kCall, "losses", "one for each token but the first");

  DecodingSession session(parameters, std::min(count, config.context));
  const auto part = [&](Index first, Index size) {
    return tokens.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(size));
  };
  Scratch::Frame frame(context.scratch);
  const Index most = std::min(kPiece, session.capacity());
  const MatrixView<float> logits(frame.take<float>(most, V), {most, V});
  ModelLoss all;
  for (Index done = 0; done < count;) {
    if (session.length() == session.capacity()) {
      session.set_length(0);
      const Index kept = session.capacity() / 2;
      if (kept > 0) session.append(part(done - kept, kept), context);
    }
    const Index size = std::min({most, count - done, session.capacity() - session.length()});
    session.append(part(done, size), {logits.data(), {size, V}}, context);
    for (Index n = 0; n < size; ++n) {
      const CrossEntropyResult found = cross_entropy(
          {logits[n].data(), {1, V}}, {part(done + n + 1, 1).data(), {1}}, {}, {}, context);
      losses[done + n] = static_cast<float>(found.loss);
      all.sum += found.loss;
      all.correct += found.correct;
    }
    all.counted += size;
    done += size;
  }
  return all;
}

}  // namespace tril
