# Toolchain file of the wasm-* presets: finds emcc, then includes Emscripten's own file. The emcc that set-up put beside
# this file (emscripten/) has priority over the one on PATH.

set(_private "${CMAKE_CURRENT_LIST_DIR}/emscripten")
if(EXISTS "${_private}/bin/emcc")
  set(_emscripten_root "${_private}/root/usr/share/emscripten")
else()
  find_program(TRIL_EM_CONFIG em-config NO_CMAKE_FIND_ROOT_PATH)
  if(NOT TRIL_EM_CONFIG)
    message(FATAL_ERROR "No Emscripten: run `npm run setup`, or put emcc 3.1.60 or newer on PATH.")
  endif()
  execute_process(COMMAND "${TRIL_EM_CONFIG}" EMSCRIPTEN_ROOT
    OUTPUT_VARIABLE _emscripten_root OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()

# The program that runs built programs, among them tests. Node 20 runs relaxed SIMD only with a flag, Node 22 without:
# ask this Node to validate a module of one f32x4.relaxed_madd.
if(NOT DEFINED CACHE{CMAKE_CROSSCOMPILING_EMULATOR})
  find_program(TRIL_NODE NAMES node nodejs REQUIRED NO_CMAKE_FIND_ROOT_PATH)
  set(_bytes "0,97,115,109,1,0,0,0,1,5,1,96,0,1,123,3,2,1,0,10,15,1,13,0,65,1,253,15,65,2,253,15,253,128,2,11")
  set(_validate "WebAssembly.validate(new Uint8Array([${_bytes}]))")
  set(_flag --experimental-wasm-relaxed-simd)
  set(_emulator "${TRIL_NODE}")
  execute_process(COMMAND "${TRIL_NODE}" -p "${_validate}"
    OUTPUT_VARIABLE _plain OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT _plain STREQUAL "true")
    execute_process(COMMAND "${TRIL_NODE}" ${_flag} -p "${_validate}"
      OUTPUT_VARIABLE _flagged OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(_flagged STREQUAL "true")
      list(APPEND _emulator ${_flag})
    endif()
  endif()
  set(CMAKE_CROSSCOMPILING_EMULATOR "${_emulator}" CACHE STRING "What runs a WebAssembly program")
endif()

include("${_emscripten_root}/cmake/Modules/Platform/Emscripten.cmake")
