// The loss of a classifier and its gradient in one pass: the negative logarithm, in nats, of the
// probability that the softmax of the logits gives to the right class.
//
//   loss_n = log(sum_v e^x[n, v]) - (1 - s) x[n, target_n] - s / V sum_v x[n, v]
//   d_x[n, v] = softmax(x[n, :])_v - (1 - s) [v = target_n] - s / V,   times what the reduction
//   says
//
// with label smoothing s (Szegedy et al. 2016), as torch.nn.functional.cross_entropy.
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/named.h>
#include <tril/foundation/tensor.h>

#include <cstdint>

namespace tril {

// The ways of combining the losses of single targets.
enum class Reduction {
  mean,  // the mean of the losses
  sum,   // the sum of the losses
};

// Their names.
inline constexpr Named<Reduction> kReductions[] = {{"mean", Reduction::mean},
                                                   {"sum", Reduction::sum}};

// Options of cross_entropy().
struct CrossEntropyOptions {
  Reduction reduction = Reduction::mean;  // of the losses of single targets
  std::int32_t ignore = -100;             // a target of this value does not count
  double label_smoothing = 0;             // s, from 0 to 1
  // Multiplies the gradient, after the reduction: 1 / steps where gradients of several batches are
  // accumulated.
  double gradient_scale = 1;
};

// The result of cross_entropy().
struct CrossEntropyResult {
  double loss;    // the reduced loss; 0 where no target counts
  Index counted;  // number of targets that count
  Index correct;  // number of these whose logit is the largest, the first of equal ones
};

// logits [N, V], targets [N] in [0, V) or `ignore`; d_logits [N, V], or a null view, is
// overwritten. It may be logits itself, which saves other memory of size [N, V]. Rows may have any
// stride. A logit of -infinity has the probability 0, and its gradient is that of the smoothing
// alone; NaN makes the loss NaN. The result does not depend on the number of threads. Throws Error
// where shapes do not fit, for the first target that is not a class, and for options out of range,
// before anything is written.
CrossEntropyResult cross_entropy(MatrixView<const float> logits,
                                 VectorView<const std::int32_t> targets,
                                 const CrossEntropyOptions& options, MatrixView<float> d_logits,
                                 const Context& context = {});

}  // namespace tril
