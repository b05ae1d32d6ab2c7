// The pass of a decoding session over new tokens.
#include <tril/layers/elementwise.h>
#include <tril/layers/linear.h>
#include <tril/model/decoding_session.h>

#include <algorithm>

namespace tril {
namespace {

// Maximum number of tokens run at once: more would not make the products faster, and need more
// memory.
constexpr Index kPiece = 256;

}  // namespace

// out = the embedding's rows of the tokens, + the rows of their positions where these are learned,
// + the row of the first type; normalised
void DecodingSession::embed(std::span<const std::int32_t> tokens, Index first,
                            const MatrixView<float>& rows, const MatrixView<float>& out,
                            const Context& context) const {
  const Index T = out.size(0), C = out.size(1);
  for (Index n = 0; n < T; ++n) {
    weights_.embedding.widen(tokens[static_cast<std::size_t>(n)], 0, C, out[n].data());
  }
  detail::scale_embedding(config_, out, context);
  if (weights_.positions) {
    for (Index n = 0; n < T; ++n) weights_.positions.widen(first + n, 0, C, rows[n].data());
    add(out, rows, out, context);
  }
  if (weights_.token_types) {
    weights_.token_types.widen(0, 0, C, rows[0].data());
    add(out, rows[0], out, context);
  }
  if (!config_.embedding_norm) return;
  const Shape<3> shape = {1, T, C};
  detail::norm(config_.norm, TensorView<const float, 3>(out.data(), shape),
               parameters_as<NormWeights>(weights_.embedding_norm), config_.eps,
               TensorView<float, 3>(out.data(), shape), context);
}

bool DecodingSession::is_left_out(std::size_t layer) const noexcept {
  return std::ranges::find(changes_.without_layers, static_cast<Index>(layer)) !=
         changes_.without_layers.end();
}

// Runs the tokens in pieces, or all at once for a trace and where tokens see later ones. Gives the
// logits of all tokens, or of the last.
void DecodingSession::run(std::span<const std::int32_t> tokens, const MatrixView<float>& logits,
                          const ModelTrace& trace, const Context& context) {
  const Index before = length_, count = static_cast<Index>(tokens.size());
  const bool at_once = !config_.causal || !trace.is_empty();
  const Index most = at_once ? count : kPiece;
  turn_for(before + count, context);
  try {
    for (Index first = 0; first < count; first += most) {
      const Index piece = std::min(most, count - first);
      MatrixView<float> wanted;
      if (logits.size(0) == count) {
        wanted = {logits[first].data(), {piece, logits.size(1)}, logits.strides()};
      } else if (first + piece == count) {
        wanted = logits;
      }
      run_piece(tokens.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(piece)),
                wanted, trace, context);
    }
  } catch (...) {  // out of memory
    rewind(before);
    throw;
  }
}

// Runs all tokens again where the positions of a text of `length` tokens are rotated differently.
void DecodingSession::turn_for(Index length, const Context& context) {
  const bool is_alike = turned_for_ >= 0 && &rotary_.of(turned_for_) == &rotary_.of(length);
  if (is_alike) return;
  const std::vector<std::int32_t> tokens = tokens_;
  const auto count = std::ssize(tokens);
  turned_for_ = length;
  try {
    rewind(0);
    for (Index first = 0; first < count; first += kPiece) {
      const Index piece = std::min<Index>(kPiece, count - first);
      run_piece(std::span(tokens).subspan(static_cast<std::size_t>(first),
                                          static_cast<std::size_t>(piece)),
                {}, {}, context);
    }
  } catch (...) {  // out of memory: all tokens will run again
    length_ = count, tokens_ = tokens, turned_for_ = -1;
    throw;
  }
}

// out = final_norm(x), both [T, C] without gaps
void DecodingSession::run_final_norm(const MatrixView<const float>& x, const MatrixView<float>& out,
                                     const Context& context) const {
  if (config_.norms_sums()) {
    add(x, 0, out, context);
    return;
  }
  const Shape<3> shape = {1, x.size(0), x.size(1)};
  detail::norm(config_.norm, {x.data(), shape}, parameters_as<NormWeights>(weights_.final_norm),
               config_.eps, {out.data(), shape}, context);
}

// x = embedding + positions;  each layer: x = layer(x);  logits = final_norm(x) E^T of the last
// rows
void DecodingSession::run_piece(std::span<const std::int32_t> tokens,
                                const MatrixView<float>& logits, const ModelTrace& trace,
                                const Context& context) {
  const Index T = static_cast<Index>(tokens.size()), C = config_.width, first = length_;
  const detail::ModelPass pass{config_,  rotary_.of(turned_for_), 1, T, {}, 0, context, caches_,
                               &changes_};
  Scratch::Frame frame(context.scratch);
  const auto given_or_taken = [&](const MatrixView<float>& view) {
    return view ? view : MatrixView<float>(frame.take<float>(T, C), {T, C});
  };
  const MatrixView<float> normed = given_or_taken({});
  MatrixView<float> x = given_or_taken(trace.embedded);
  embed(tokens, first, normed, x, context);
  detail::change_residual(changes_, 0, first, x);
  for (std::size_t n = 0; n < weights_.layers.size(); ++n) {
    const ModelLayerTrace wanted = trace.layers.empty() ? ModelLayerTrace() : trace.layers[n];
    // The trace of the previous layer must not be overwritten.
    const MatrixView<float> out = wanted.resid_post               ? wanted.resid_post
                                  : n > 0 && trace.layers.empty() ? x
                                                                  : given_or_taken({});
    if (is_left_out(n)) {
      for (const MatrixView<float>& view : {wanted.resid_mid, out}) {
        if (view && view.data() != x.data()) add(x, 0, view, context);
      }
    } else {
      const auto batched = [&](const MatrixView<float>& rows) { return pass.batched(rows); };
      detail::LayerTrace traced;
      traced.self_attn = wanted.attention;
      traced.sublayers[0].branch = batched(wanted.attn_out);
      traced.sublayers[1].branch = batched(wanted.mlp_out);
      if (config_.norms_sums()) {  // each part gets the residual stream itself
        traced.sublayers[0].normed = batched(wanted.resid_mid ? wanted.resid_mid : wanted.ln2);
        if (wanted.ln1) add(x, 0, wanted.ln1, context);
      } else {
        traced.sublayers[0].residual = batched(wanted.resid_mid);
        traced.sublayers[0].normed = batched(wanted.ln1);
        traced.sublayers[1].normed = batched(wanted.ln2);
      }
      traced.feed_forward = {batched(wanted.feed_forward.hidden),
                             batched(wanted.feed_forward.activated)};
      pass.layer(static_cast<Index>(n), detail::layer_weights(weights_.layers[n]), traced)
          .run(batched(x), batched(out), context);
      if (config_.norms_sums() && wanted.resid_mid && wanted.ln2) {
        add(wanted.resid_mid, 0, wanted.ln2, context);
      }
    }
    x = out;
    detail::change_residual(changes_, static_cast<Index>(n) + 1, first, x);
  }
  length_ += T;
  if (rotary_.longer) tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  if (!config_.has_head && trace.ln_final) run_final_norm(x, trace.ln_final, context);
  if (!logits) return;
  const Index rows = logits.size(0);
  // All rows are normalised if ln_final is traced.
  const Index normed_rows = trace.ln_final ? T : rows;
  const Shape<2> shape = {normed_rows, C};
  const MatrixView<float> last_normed =
      trace.ln_final ? trace.ln_final : MatrixView<float>(normed.data(), shape);
  run_final_norm({x[T - normed_rows].data(), shape, x.strides()}, last_normed, context);
  linear({last_normed[normed_rows - rows].data(), {rows, C}}, head(), {}, logits, context);
  detail::cap_logits(config_, logits, context);
}

}  // namespace tril
