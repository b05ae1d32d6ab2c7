#include <tril/matmul/eigen_kernels.h>

namespace tril {

TRIL_DEFINE_DISPATCH(EigenKernels, kEigenKernels, eigen_kernels)

}  // namespace tril
