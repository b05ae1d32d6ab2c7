// Runs a language model token by token: the session caches the keys and values of all tokens so far
// (attention/key_value_cache.h), and computes only the new tokens.
//
//   DecodingSession session(parameters);
//   VectorView<const float> logits = session.append(prompt, context);
//   while (...) logits = session.append({&next, 1}, context);
//   session.set_length(5);  // rewinds
//
// For interpretability, intermediate results can be traced or changed (model_trace.h), and read_out
// gives the logits of any residual stream (the logit lens; nostalgebraist 2020).
#pragma once

#include <tril/model/model_parameters.h>
#include <tril/model/model_pass.h>

#include <cstdint>
#include <span>
#include <vector>

namespace tril {

// Owns keys and values, and borrows the weights. Logits equal those of LanguageModel::logits for
// all tokens at once, up to the order of addition, and do not depend on the number of threads.
// After the call with the most tokens nothing is allocated. With `longrope` scaling all tokens are
// run again if the text grows beyond `original` tokens or is rewound to fewer.
class DecodingSession {
 public:
  // Creates an empty session for up to `capacity` tokens; 0: the context. With `dynamic` scaling of
  // rotary positions the capacity may exceed the context; positions are then rotated as for a text
  // of `capacity` tokens from the first token on. Throws Error where settings are out of range,
  // weights do not fit them, the capacity is too large, or there is not enough memory for keys and
  // values; the error says how much memory they need.
  DecodingSession(const ModelConfig& config, const BasicModelWeights<float>& weights,
                  Index capacity = 0);

  // Creates a session for weights of any kind (matmul/weight.h).
  DecodingSession(const ModelConfig& config, const ModelWeights& weights, Index capacity = 0);

  // Creates a session for parameters of any kind, with their settings. The parameters may be moved,
  // but must outlive the session.
  explicit DecodingSession(const ModelParameters& parameters, Index capacity = 0)
      : DecodingSession(parameters.config(), parameters, capacity) {}
  // Creates a session with other settings that have the same shapes.
  DecodingSession(const ModelConfig& config, const ModelParameters& parameters, Index capacity = 0);

  // The settings given to the constructor.
  const ModelConfig& config() const noexcept { return config_; }
  // The number of tokens.
  Index length() const noexcept { return length_; }
  // The maximum number of tokens.
  Index capacity() const noexcept { return caches_.front().capacity(); }
  // Removes all tokens from `length` on. Throws Error for a length below 0 or above length().
  void set_length(Index length);
  // Applies these changes to the model from now on; borrows their values. Throws Error where they
  // do not fit the model, or if the session is not empty, since its keys and values are those of
  // the unchanged model.
  void set_changes(Interventions changes);
  // The memory of keys and values in bytes.
  std::size_t bytes() const noexcept;

  // Appends tokens, fills the trace, and returns the logits [V] after the last token, valid until
  // the next call; a null view for a model without a head. The trace of an ablated layer has only
  // resid_mid and resid_post, which equal the layer's input. Throws Error where there are no tokens
  // or more than the capacity allows, where an id is outside the vocabulary, where tokens follow
  // others in a model that is not causal (each of its tokens sees all), and where a traced view
  // does not have the shape of model_trace; nothing is appended then.
  VectorView<const float> append(std::span<const std::int32_t> tokens, const Context& context = {},
                                 const ModelTrace& trace = {});
  // Appends tokens and writes the logits after each token, [T, V]. Throws Error for a model without
  // a head.
  void append(std::span<const std::int32_t> tokens, MatrixView<float> logits,
              const Context& context = {}, const ModelTrace& trace = {});
  // Applies the final norm and the head to rows of any residual stream [N, C], which gives logits
  // [N, V]. Throws Error where shapes do not fit, and for a model without a head.
  void read_out(MatrixView<const float> residual, MatrixView<float> logits,
                const Context& context = {}) const;

 private:
  void check_head() const;
  // The embedding [T, C] of tokens from position `first` on; `rows` [T, C] is working memory.
  void embed(std::span<const std::int32_t> tokens, Index first, const MatrixView<float>& rows,
             const MatrixView<float>& out, const Context& context) const;
  void run_final_norm(const MatrixView<const float>& x, const MatrixView<float>& out,
                      const Context& context) const;
  void check(std::span<const std::int32_t> tokens) const;
  void run(std::span<const std::int32_t> tokens, const MatrixView<float>& logits,
           const ModelTrace& trace, const Context& context);
  void check(const ModelTrace& trace, Index tokens) const;
  void turn_for(Index length, const Context& context);
  void run_piece(std::span<const std::int32_t> tokens, const MatrixView<float>& logits,
                 const ModelTrace& trace, const Context& context);
  bool is_left_out(std::size_t layer) const noexcept;
  const Weight& head() const noexcept {
    return config_.tied_head ? weights_.embedding : weights_.head;
  }
  void rewind(Index length) noexcept;

  ModelConfig config_;
  ModelWeights weights_;
  detail::RotaryTables rotary_;
  std::vector<KeyValueCache> caches_;  // one per layer
  Buffer<float, 2> last_;              // logits [1, V]
  Index length_ = 0;
  // Used only if longer texts have another rotation: all tokens, and the text length for which
  // their keys are rotated; a negative length marks keys that are no longer valid.
  std::vector<std::int32_t> tokens_;
  Index turned_for_ = 0;
  Interventions changes_;
};

namespace detail {

// Throws Error in the name of `call` for the first token outside the vocabulary.
void check_tokens(const char* call, std::span<const std::int32_t> tokens, Index vocabulary);

}  // namespace detail
}  // namespace tril
