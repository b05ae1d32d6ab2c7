// The way back through what the other calls compute: gradients of their inputs from the gradient of
// their output, and losses, where gradients begin.
#pragma once

#include <string>

#include "attention.h"
#include "norms.h"
#include "softmax.h"

namespace tril::js {

// { dQuery, dKey, dValue } of the shapes of query, key and value, and, if asked for, dMask [B, H,
// T, S]. output and log_sum_exp are what attention gave; options as it had them.
NamedTensors attention_backward(Engine& engine, const Tensor& d_out, const Tensor& query,
                                const Tensor& key, const Tensor& value, const Tensor& output,
                                const Tensor& log_sum_exp, const AttentionOptions& options,
                                bool mask_gradient);

// From the gradient of softmax's or log-softmax's output and that output itself.
TensorHandle softmax_backward(Engine& engine, const Tensor& d_out, const Tensor& output,
                              const SoftmaxOptions& options, Tensor* out);
TensorHandle log_softmax_backward(Engine& engine, const Tensor& d_out, const Tensor& output,
                                  const SoftmaxOptions& options, Tensor* out);

// { dX, dWeight, dBias }
NamedTensors linear_backward(Engine& engine, const Tensor& d_out, const Tensor& x,
                             const Tensor& weight);

// Of layer_norm, whose numbers are centred, { dX, dWeight, dBias }, or of rms_norm, { dX, dWeight
// }; weight may be null.
NamedTensors norm_backward(Engine& engine, bool centred, const Tensor& d_out, const Tensor& x,
                           const Tensor* weight, const NormOptions& options);

// Of "relu", "gelu", "gelu_tanh" or "silu", in the name of `call`.
TensorHandle activate_backward(Engine& engine, const std::string& call, const Tensor& d_out,
                               const Tensor& x, const std::string& activation, Tensor* out);

// Of the table, [rows, C].
TensorHandle embedding_backward(Engine& engine, const Tensor& d_out, const Integers& ids,
                                const Numbers& ids_shape, int rows);

EMSCRIPTEN_DECLARE_VAL_TYPE(Loss)  // as bindings.cc declares it

struct CrossEntropyOptions {
  int ignore;
  double label_smoothing;
  std::string reduction;  // "mean" or "sum"
  bool gradient;
};

// { loss, counted, correct } of logits [..., V] and a target for each row, and, if asked for,
// { gradient } of the logits, unless `out` was written, which may be the logits themselves.
Loss cross_entropy(Engine& engine, const Tensor& logits, const Integers& targets,
                   const CrossEntropyOptions& options, Tensor* out);

// { loss }, and, if asked for, { gradient } of x.
Loss mean_squared_error(Engine& engine, const Tensor& x, const Tensor& y,
                        const std::string& reduction, bool gradient);

}  // namespace tril::js
