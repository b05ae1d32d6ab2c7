# tril_add_kernels(TARGET FILE...): compiles each kernel file once per instruction set of foundation/isa.h, with
# TRIL_ISA naming it, and adds the copies to TARGET. Compilers would fuse a * b + c each in its own way, and Clang 21
# does it wrongly in relaxed WebAssembly: here madd of foundation/simd.h alone fuses.
# Installed, too: kernels of other projects are made by it (core/README.md).
set(tril_isas baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8 AND NOT EMSCRIPTEN)
  list(APPEND tril_isas avx2 avx512)
endif()
set(tril_isas ${tril_isas} CACHE INTERNAL "What kernels are compiled for; tril_add_kernels reads it in any folder")

function(tril_add_kernels target)
  set(flags_avx2 -mavx2 -mfma)
  set(flags_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512)
  get_target_property(kind ${target} TYPE)
  foreach(isa IN LISTS tril_isas)
    if(NOT ARGN)
      return()
    endif()
    add_library(${target}_${isa} OBJECT ${ARGN})
    target_compile_definitions(${target}_${isa} PRIVATE TRIL_ISA=${isa})
    target_compile_options(${target}_${isa} PRIVATE -ffp-contract=off ${flags_${isa}})
    if(TARGET tril_options)
      target_link_libraries(${target}_${isa} PRIVATE tril_options)
    endif()
    target_include_directories(${target}_${isa} PRIVATE
      $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    target_compile_features(${target}_${isa} PRIVATE cxx_std_20)
    if(kind MATCHES "SHARED|MODULE")
      set_target_properties(${target}_${isa} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endif()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_${isa}>)
  endforeach()
endfunction()
