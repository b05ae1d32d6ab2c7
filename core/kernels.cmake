# tril_add_kernels(TARGET FILE...): compiles each kernel file once per instruction set of foundation/isa.h, with
# TRIL_ISA naming it, and adds the copies to TARGET. Compilers would fuse a * b + c each in its own way, and Clang 21
# does it wrongly in relaxed WebAssembly: here madd of foundation/simd.h alone fuses.
set(tril_isas baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND NOT EMSCRIPTEN)
  list(APPEND tril_isas avx2 avx512)
endif()
set(tril_isa_flags_avx2 -mavx2 -mfma)
set(tril_isa_flags_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512)

function(tril_add_kernels target)
  foreach(isa IN LISTS tril_isas)
    if(NOT ARGN)
      return()
    endif()
    add_library(${target}_${isa} OBJECT ${ARGN})
    target_compile_definitions(${target}_${isa} PRIVATE TRIL_ISA=${isa})
    target_compile_options(${target}_${isa} PRIVATE -ffp-contract=off ${tril_isa_flags_${isa}})
    target_link_libraries(${target}_${isa} PRIVATE tril_options)
    target_include_directories(${target}_${isa} PRIVATE
      $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    target_compile_features(${target}_${isa} PRIVATE cxx_std_20)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_${isa}>)
  endforeach()
endfunction()
