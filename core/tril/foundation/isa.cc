#include <tril/foundation/isa.h>

namespace tril {
namespace {

bool runs(Isa isa) noexcept {
#if defined(__x86_64__) && !defined(__EMSCRIPTEN__)
  if (isa == Isa::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (isa == Isa::avx512) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("fma");
  }
#endif
  return isa == Isa::baseline;
}

std::vector<Isa> detect() {
  std::vector<Isa> isas;
#define TRIL_ADD(name, ...) \
  if (runs(Isa::name)) isas.push_back(Isa::name);
  TRIL_EACH_ISA(TRIL_ADD, )
#undef TRIL_ADD
  return isas;
}

}  // namespace

const char* isa_name(Isa isa) noexcept {
  switch (isa) {
#define TRIL_NAME(name, ...) \
  case Isa::name:            \
    return #name;
    TRIL_EACH_ISA(TRIL_NAME, )
#undef TRIL_NAME
  }
  return "unknown";
}

const std::vector<Isa>& available_isas() {
  static const std::vector<Isa> isas = detect();
  return isas;
}

}  // namespace tril
