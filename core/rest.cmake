# Relaxed SIMD changes nothing but kernels: with TRIL_REST_OF these alone are compiled, and everything else, tests included,
# is taken from the build folder of that preset.

# tril_built_there(NAME PRESET TARGET): the target NAME builds TARGET of that preset.
function(tril_built_there name preset target)
  add_custom_target(${name}
    COMMAND ${CMAKE_COMMAND} --preset ${preset} -DTRIL_TESTS=${TRIL_TESTS}
    COMMAND ${CMAKE_COMMAND} -E env --unset=MAKEFLAGS
      ${CMAKE_COMMAND} --build --preset ${preset} --target ${target}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
endfunction()

# tril_objects(OUT PRESET TARGET FILE...): in OUT the files, or with a preset the objects that TARGET there has compiled
# them to.
function(tril_objects out preset target)
  set(objects ${ARGN})
  if(preset)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    set(there ${PROJECT_SOURCE_DIR}/build/${preset}/${folder}/CMakeFiles/${target}.dir)
    list(TRANSFORM objects REPLACE "^(.+)$" "${there}/\\1.o")
    set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  endif()
  set(${out} ${objects} PARENT_SCOPE)
endfunction()

if(TRIL_REST_OF)
  tril_built_there(tril_rest ${TRIL_REST_OF} tril_rest)
else()
  add_custom_target(tril_rest)
endif()

# tril_part_of_rest(TARGET): TARGET is one of those that others take, or takes what is there.
function(tril_part_of_rest target)
  if(TRIL_REST_OF)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
    add_dependencies(${target} tril_rest)
  else()
    add_dependencies(tril_rest ${target})
  endif()
endfunction()
