// Running a language model token by token: the keys and values of all tokens so far are kept
// (attention/key_value_cache.h), and each new token is computed alone.
//
//   DecodingSession session(parameters);
//   VectorView<const float> logits = session.append(prompt, context);
//   while (...) logits = session.append({&next, 1}, context);
//   session.set_length(5);  // rewinds
//
// And opened up: what is computed on the way is traced, or changed (model_trace.h), and read_out
// says what the model would say if it ended there (the logit lens; nostalgebraist 2020).
#pragma once

#include <tril/model/model_parameters.h>
#include <tril/model/model_pass.h>

#include <cstdint>
#include <span>
#include <vector>

namespace tril {

// Owns keys and values, and borrows the weights. Logits are those that LanguageModel::logits gives
// for all tokens at once, up to the order of addition. They do not depend on the number of threads.
// After the first call for the most tokens nothing is allocated. Where positions are scaled by
// `longrope`, all tokens run anew when the text grows beyond `original`, or is rewound below it.
class DecodingSession {
 public:
  // Empty, with room for `capacity` tokens; 0: as many as the context. More than the context can be
  // held where rotary positions are scaled `dynamic`: they are turned as for so many tokens from
  // the first on. Throws Error where the settings are out of range, the weights are not theirs, the
  // capacity is too large, or, saying how much keys and values take, memory is not enough.
  DecodingSession(const ModelConfig& config, const BasicModelWeights<float>& weights,
                  Index capacity = 0);

  // With weights of any kind (matmul/weight.h).
  DecodingSession(const ModelConfig& config, const ModelWeights& weights, Index capacity = 0);

  // With parameters as they are, of any kind, and their settings; they may be moved, and must not
  // be freed.
  explicit DecodingSession(const ModelParameters& parameters, Index capacity = 0)
      : DecodingSession(parameters.config(), parameters, capacity) {}
  // The same with other settings, for which they have the right shapes.
  DecodingSession(const ModelConfig& config, const ModelParameters& parameters, Index capacity = 0);

  // As it was given.
  const ModelConfig& config() const noexcept { return config_; }
  // How many tokens there are.
  Index length() const noexcept { return length_; }
  // How many there may be.
  Index capacity() const noexcept { return caches_.front().capacity(); }
  // Forgets all tokens from `length` on. Throws Error for more than there are, and below 0.
  void set_length(Index length);
  // From here on the model runs with these changes, whose values it borrows. Throws Error where
  // they do not fit it, and where there are tokens, whose keys and values are those of another
  // model.
  void set_changes(Interventions changes);
  // What keys and values take.
  std::size_t bytes() const noexcept;

  // Tokens that follow those there are; the logits [V] after the last of them, good until the next
  // call, of a model without a head none; and what is computed on the way. Throws Error where there
  // are none or more than there is room for, or an id is not a token, or tokens follow others in a
  // model that is not causal, each of whose tokens sees all: nothing is then appended. Of a layer
  // that is left out only resid_mid and resid_post are traced, which are what it is given. Throws
  // Error besides where a view has another shape than model_trace gives it.
  VectorView<const float> append(std::span<const std::int32_t> tokens, const Context& context = {},
                                 const ModelTrace& trace = {});
  // The same, and the logits after each, [T, V]. Throws Error for a model without a head.
  void append(std::span<const std::int32_t> tokens, MatrixView<float> logits,
              const Context& context = {}, const ModelTrace& trace = {});
  // Logits [N, V] of rows of the residual stream [N, C], wherever they are from: the final norm and
  // the head. Throws Error where shapes do not fit, and for a model without a head.
  void read_out(MatrixView<const float> residual, MatrixView<float> logits,
                const Context& context = {}) const;

 private:
  void check_head() const;
  // The first residual stream [T, C] of tokens from the position `first` on; `rows` [T, C] are
  // working memory.
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
  std::vector<KeyValueCache> caches_;  // one a layer
  Buffer<float, 2> last_;              // logits [1, V]
  Index length_ = 0;
  // Where longer texts are turned otherwise: the tokens that there are, and the length that their
  // keys are turned for; below 0 where these are no longer good.
  std::vector<std::int32_t> tokens_;
  Index turned_for_ = 0;
  Interventions changes_;
};

namespace detail {

// Throws Error in the name of `call` for the first of the tokens that is outside the vocabulary.
void check_tokens(const char* call, std::span<const std::int32_t> tokens, Index vocabulary);

}  // namespace detail
}  // namespace tril
