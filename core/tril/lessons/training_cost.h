// The cost of a training step, part by part (lessons/cost.h says what is counted).
#pragma once

#include <tril/lessons/cost.h>
#include <tril/model/language_model.h>
#include <tril/model/trainer_options.h>

namespace tril {

// The parts of a step.
struct TrainingCost {
  Cost forward;    // up to the loss; inference has only this part
  Cost backward;   // all gradients
  Cost optimizer;  // norm and clipping of gradients, and the update
};

// The cost for `batches` sequences of `tokens` tokens, without dropout. Flops are those of the
// formulas, not of what kernels recompute:
// - a linear layer backward twice its forward, for the gradients of its input and of its weights,
//   and an addition a bias and row;
// - attention backward, for each score that forward computes, 10 D + 6: it again, its exp, and the
//   products for the gradients of weights, queries, keys and values; 2 D a query and head besides;
//   with a cap 7 more: the capped score again, its slope, and the product with that;
// - layer norm backward 13 an element (12 without a bias) and 2 a row, RMS norm 9 and 1, forward 4
//   and 4; gelu_tanh backward 18, and gelu as that; a gate 1 more forward and 3 backward, SwiGLU's
//   4 and 11 in all; rotary positions 3 an element either way;
// - loss 4 a logit either way, 3 a row forward and 1 backward, a cap of logits 3 and 4 more each;
//   an addition for each element of a residual stream, of positions, and of the gradients of
//   embeddings and positions; a product for each of an embedding that is scaled, either way;
// - AdamW 17 a parameter, SGD 5 and with momentum 7, the norm and clipping counted in, and 1 more
//   where it decays.
//
// Bytes: forward reads the parameters and writes what backward needs, which reads both and writes
// the gradients; AdamW reads parameters, gradients and two moments, SGD one or none, and writes all
// but the gradients. Tokens and targets are numbers, too. Throws Error for a size below 1.
TrainingCost training_cost(const LanguageModel& model, const TrainerOptions& options, Index batches,
                           Index tokens);

}  // namespace tril
