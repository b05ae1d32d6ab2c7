#include <tril/foundation/check.h>
#include <tril/foundation/isa.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>

#if defined(__x86_64__) && !defined(__EMSCRIPTEN__)
#include <cpuid.h>
#endif

namespace tril {
namespace {

#define TRIL_VALUE(name, ...) Isa::name,
constexpr Isa kIsas[] = {TRIL_EACH_ISA(TRIL_VALUE, )};
#undef TRIL_VALUE

#if defined(__x86_64__) && !defined(__EMSCRIPTEN__)
// Clang's __builtin_cpu_supports does not know "f16c" before version 15.
bool has_f16c() noexcept {
  unsigned eax, ebx, ecx, edx;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_F16C);
}
#endif

bool runs(Isa isa) noexcept {
#if defined(__x86_64__) && !defined(__EMSCRIPTEN__)
  if (isa == Isa::avx2) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
  }
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
  std::ranges::copy_if(kIsas, std::back_inserter(isas), runs);
  return isas;
}

Isa choose() {
#if !defined(__EMSCRIPTEN__)
  const char* const forced = std::getenv("TRIL_FORCE_ISA");
  if (forced && *forced) return forced_isa(forced);
#endif
  return available_isas().back();
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

Isa forced_isa(std::string_view name) {
  std::string known;
  for (const Isa isa : kIsas) {
    if (name != isa_name(isa)) {
      known += (known.empty() ? "" : ", ") + std::string(isa_name(isa));
    } else if (!runs(isa)) {
      fail("TRIL_FORCE_ISA", std::string(name).c_str(), "this processor cannot run it");
    } else {
      return isa;
    }
  }
  fail("TRIL_FORCE_ISA", std::string(name).c_str(), {"no such instruction set; there are ", known});
}

Isa best_isa() {
  static const Isa isa = choose();
  return isa;
}

}  // namespace tril
