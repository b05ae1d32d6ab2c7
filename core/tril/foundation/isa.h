// Which instruction set runs. Kernel files (*_kernels.cc) are compiled once per instruction set,
// each copy in a namespace named after it, and picked at run time by what the processor can do.
//
// Elsewhere than on x86-64 (WebAssembly, Arm) there is one copy, `baseline`: what the compiler was
// told to target.
#pragma once

#include <string_view>
#include <vector>

// apply(name, ...) for each instruction set, the widest last.
#if defined(__x86_64__) && !defined(__EMSCRIPTEN__)
#define TRIL_EACH_ISA(apply, ...) \
  apply(baseline, __VA_ARGS__) apply(avx2, __VA_ARGS__) apply(avx512, __VA_ARGS__)
#else
#define TRIL_EACH_ISA(apply, ...) apply(baseline, __VA_ARGS__)
#endif

namespace tril {

// Of TRIL_EACH_ISA: the name alone.
#define TRIL_ENUMERATOR(name, ...) name,
// Named as their namespaces.
enum class Isa { TRIL_EACH_ISA(TRIL_ENUMERATOR, ) };
#undef TRIL_ENUMERATOR

// "baseline", "avx2", "avx512".
const char* isa_name(Isa isa) noexcept;

// All that this processor can run, the widest last.
const std::vector<Isa>& available_isas();

// The one that TRIL_FORCE_ISA=name asks for. Throws where there is none of that name, or where this
// processor cannot run it.
Isa forced_isa(std::string_view name);

// What runs where nobody asks for a set: the widest of available_isas(); natively, where the
// environment variable TRIL_FORCE_ISA is set and not empty, the one it names. It is read once.
Isa best_isa();

// For a thread that looks again and again for what another one writes, between two looks: leaves
// the core to its sibling, and the line of memory to the one that writes.
inline void pause_briefly() noexcept {
#if defined(__x86_64__) && !defined(__EMSCRIPTEN__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace tril

// Once per table of kernels, at namespace tril: a kernel file defines `const Type table` in
// namespace tril::TRIL_ISA, and TRIL_DEFINE_DISPATCH(Type, table, function) defines `const Type&
// function(Isa)`, which returns the copy asked for.
#define TRIL_DECLARE_TABLE(name, Type, table) \
  namespace name {                            \
  extern const Type table;                    \
  }
// Of TRIL_EACH_ISA: one set's table.
#define TRIL_RETURN_TABLE(name, table) \
  case Isa::name:                      \
    return name::table;
// The function that finds it.
#define TRIL_DEFINE_DISPATCH(Type, table, function)          \
  TRIL_EACH_ISA(TRIL_DECLARE_TABLE, Type, table)             \
  const Type& function(Isa isa) {                            \
    switch (isa) { TRIL_EACH_ISA(TRIL_RETURN_TABLE, table) } \
    return baseline::table;                                  \
  }
