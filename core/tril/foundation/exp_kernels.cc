#include <tril/foundation/exp.h>
#include <tril/foundation/exp_kernels.h>

namespace tril::TRIL_ISA {
namespace {

template <Register (*function)(Register)>
void map(const float* x, float* out, Index count) noexcept {
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) store(out + i, function(load(x + i)));
  if (i < count) store_part(out + i, function(load_part(x + i, count - i, 0.0f)), count - i);
}

}  // namespace

extern const ExpKernels kExpKernels;
const ExpKernels kExpKernels{map<exp>, map<exp_nonpositive>};

}  // namespace tril::TRIL_ISA
