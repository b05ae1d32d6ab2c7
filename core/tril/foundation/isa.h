// The choice of an instruction set. Kernel files (*_kernels.cc) are compiled once per instruction
// set, each copy in a namespace of that name. A copy that the processor can run is chosen at run
// time.
//
// Outside x86-64 (WebAssembly, Arm) there is one copy, `baseline`, for the compiler's target.
#pragma once

#include <string_view>
#include <vector>

// Calls apply(name, ...) for each instruction set, the widest last.
#if defined(__x86_64__) && !defined(__EMSCRIPTEN__)
#define TRIL_EACH_ISA(apply, ...) \
  apply(baseline, __VA_ARGS__) apply(avx2, __VA_ARGS__) apply(avx512, __VA_ARGS__)
#else
#define TRIL_EACH_ISA(apply, ...) apply(baseline, __VA_ARGS__)
#endif

namespace tril {

// Applied by TRIL_EACH_ISA: the name alone.
#define TRIL_ENUMERATOR(name, ...) name,
// The instruction sets, named as their namespaces.
enum class Isa { TRIL_EACH_ISA(TRIL_ENUMERATOR, ) };
#undef TRIL_ENUMERATOR

// "baseline", "avx2", "avx512".
const char* isa_name(Isa isa) noexcept;

// The sets that this processor can run, the widest last.
const std::vector<Isa>& available_isas();

// The set that TRIL_FORCE_ISA=name asks for. Throws Error where no set has that name or this
// processor cannot run it.
Isa forced_isa(std::string_view name);

// The default: the widest of available_isas(). In native builds the environment variable
// TRIL_FORCE_ISA, read once, overrides it where it is not empty.
Isa best_isa();

// For a thread that polls memory written by another one: pauses between two reads, which leaves the
// core to its sibling and the cache line to the writer.
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
// function(Isa)`, which returns the requested copy.
#define TRIL_DECLARE_TABLE(name, Type, table) \
  namespace name {                            \
  extern const Type table;                    \
  }
// Applied by TRIL_EACH_ISA: the table of one set.
#define TRIL_RETURN_TABLE(name, table) \
  case Isa::name:                      \
    return name::table;
// Defines the function that returns the table of a set.
#define TRIL_DEFINE_DISPATCH(Type, table, function)          \
  TRIL_EACH_ISA(TRIL_DECLARE_TABLE, Type, table)             \
  const Type& function(Isa isa) {                            \
    switch (isa) { TRIL_EACH_ISA(TRIL_RETURN_TABLE, table) } \
    return baseline::table;                                  \
  }
