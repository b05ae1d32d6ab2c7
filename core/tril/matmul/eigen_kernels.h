// Eigen's product; one copy per instruction set.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/matmul/product.h>

namespace tril {

struct EigenKernels {
  // Null where the library was built without Eigen.
  void (*multiply)(const detail::Product& product);
};

const EigenKernels& eigen_kernels(Isa isa = best_isa());

}  // namespace tril
