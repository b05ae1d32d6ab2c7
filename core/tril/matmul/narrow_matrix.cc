#include <tril/matmul/narrow_kernels.h>

namespace tril {

TRIL_DEFINE_DISPATCH(NarrowKernels, kNarrowKernels, narrow_kernels)

}  // namespace tril
