#include <tril/matmul/weight.h>

namespace tril {

const WeightFormat& float16_format(Isa isa);
const WeightFormat& bfloat16_format(Isa isa);
const WeightFormat& q8_0_format(Isa isa);

TRIL_DEFINE_DISPATCH(WeightFormat, kFloat16, float16_format)
TRIL_DEFINE_DISPATCH(WeightFormat, kBfloat16, bfloat16_format)
TRIL_DEFINE_DISPATCH(WeightFormat, kQ8_0, q8_0_format)

const WeightFormat& weight_format(WeightKind kind, Isa isa) {
  if (kind == WeightKind::float16) return float16_format(isa);
  if (kind == WeightKind::bfloat16) return bfloat16_format(isa);
  return q8_0_format(isa);
}

}  // namespace tril
