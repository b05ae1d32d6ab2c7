#include <tril/layers/dropout_kernels.h>
#include <tril/layers/lanes.h>

namespace tril::TRIL_ISA {
namespace {

using Bits = std::uint32_t __attribute__((vector_size(kLanes * sizeof(std::uint32_t))));

// Two rounds of multiply and shift (constants: "lowbias32", Wellons 2018), a key before each.
Bits hash(Bits x, std::uint32_t key1, std::uint32_t key2) noexcept {
  x = x * 0x9e3779b1u + key1;
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x ^= key2;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

void row(const float* x, float* out, Index first, Index count, std::uint32_t key1,
         std::uint32_t key2, std::uint32_t threshold, float factor) noexcept {
  const Register scale = broadcast(factor);
  Bits lane{};
  for (int i = 0; i < kLanes; ++i) lane[i] = static_cast<std::uint32_t>(first + i);
  for_each_register(count, [&](Index c, auto lanes) {
    const Bits drawn = hash(lane + static_cast<std::uint32_t>(c), key1, key2);
    const auto kept = (IntRegister)(drawn >= threshold);
    lanes.put(out + c, select(kept, scale * lanes.get(x + c), Register{}));
  });
}

}  // namespace

extern const DropoutKernels kDropoutKernels;
const DropoutKernels kDropoutKernels{row};

}  // namespace tril::TRIL_ISA
