// Clipping by the global norm (Pascanu et al. 2013), the norm of all gradients of a model as one
// vector.
#pragma once

#include <tril/foundation/context.h>
#include <tril/foundation/tensor.h>

namespace tril {

// sqrt(sum of gradient[i]^2), summed in double over fixed pieces, so that it does not depend on the
// number of threads. NaN or infinite where an element is.
double gradient_norm(VectorView<const float> gradient, const Context& context = {});

// The scale that limits gradients of this norm to `largest`: min(1, largest / (norm + 1e-6)), as
// torch.nn.utils.clip_grad_norm_. Throws Error unless largest is finite and above 0, and norm
// finite and at least 0.
double clip_scale(double norm, double largest);

}  // namespace tril
