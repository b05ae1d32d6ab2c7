// The loss of a regression and its gradient in one pass, as torch.nn.functional.mse_loss:
//
//   loss = mean or sum of (x - y)^2,  d_x = 2 (x - y), divided by N C for the mean
#pragma once

#include <tril/layers/cross_entropy.h>

namespace tril {

// x, y and d_x are [N, C]; rows may have any stride. d_x is overwritten; it may be a null view, or
// x itself. Returns the loss, which does not depend on the number of threads. Throws Error where
// shapes do not fit, before anything is written.
double mean_squared_error(MatrixView<const float> x, MatrixView<const float> y, Reduction reduction,
                          MatrixView<float> d_x, const Context& context = {});

}  // namespace tril
