// The loss of a classifier, with its gradient in the same pass: how many nats the softmax of the
// logits is surprised by the right class.
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

// What becomes of the losses of single targets.
enum class Reduction {
  mean,  // their mean
  sum,   // their sum
};

// Their names.
inline constexpr Named<Reduction> kReductions[] = {{"mean", Reduction::mean},
                                                   {"sum", Reduction::sum}};

// Which targets count, and how.
struct CrossEntropyOptions {
  Reduction reduction = Reduction::mean;  // what loss and gradient are of
  std::int32_t ignore = -100;             // a target of this value counts for nothing
  double label_smoothing = 0;             // s, from 0 to 1
  // What the gradient is multiplied by, besides what the reduction does: 1 / steps where gradients
  // of several batches are added up.
  double gradient_scale = 1;
};

// What cross_entropy says about a batch.
struct CrossEntropyResult {
  double loss;    // by the reduction; 0 where no target counts
  Index counted;  // how many targets count
  Index correct;  // for how many of them the target has the largest logit, the first of equal ones
};

// logits [N, V], targets [N] in [0, V) or `ignore`; d_logits [N, V] or none is overwritten, and may
// be logits itself: the gradient then takes the logits' place, and nothing of the size [N, V] is
// held besides. Rows may have any stride. A logit of -infinity has no share, and its gradient is
// that of the smoothing alone; NaN makes the loss NaN. The result does not depend on the number of
// threads. Throws Error where shapes do not fit, naming the first target that is no class, and for
// options out of range, before anything is written.
CrossEntropyResult cross_entropy(MatrixView<const float> logits,
                                 VectorView<const std::int32_t> targets,
                                 const CrossEntropyOptions& options, MatrixView<float> d_logits,
                                 const Context& context = {});

}  // namespace tril
