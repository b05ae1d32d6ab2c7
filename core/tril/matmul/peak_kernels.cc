#include <tril/foundation/simd.h>
#include <tril/matmul/peak.h>

namespace tril::TRIL_ISA {
namespace {

// A multiplication and the addition that waits for it take 6 to 8 cycles, and two of each begin in
// a cycle: 12 chains keep both busy, and with factor and addend need 14 of the 16 registers there
// are.
constexpr int kChains = 12;

float multiply_add(Index rounds, float factor, float addend) noexcept {
  const Register f = broadcast(factor), a = broadcast(addend);
  Register chain[kChains] = {};
  for (Index round = 0; round < rounds; ++round) {
    for (Register& one : chain) one = madd(one, f, a);
  }
  Register sum{};
  for (const Register& one : chain) sum += one;
  return reduce_add(sum);
}

}  // namespace

extern const PeakKernels kPeakKernels;
const PeakKernels kPeakKernels{2 * kChains * kLanes, multiply_add};

}  // namespace tril::TRIL_ISA
