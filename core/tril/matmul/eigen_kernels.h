// Eigen's product, one copy per instruction set.
#pragma once

#include <tril/foundation/isa.h>
#include <tril/matmul/product.h>

namespace tril {

struct EigenKernels {
  void (*multiply)(const detail::Product& product);
};

const EigenKernels& eigen_kernels(Isa isa = best_isa());

}  // namespace tril
