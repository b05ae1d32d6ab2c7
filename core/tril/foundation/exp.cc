#include <tril/foundation/exp_kernels.h>

namespace tril {

TRIL_DEFINE_DISPATCH(ExpKernels, kExpKernels, exp_kernels)

}  // namespace tril
