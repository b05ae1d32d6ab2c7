# cmake --install: the floors as static libraries, their headers, and what find_package(Tril) reads.
# A user of tril::core gets include paths, C++20 and the system's threads, and no flag of ours.
include(CMakePackageConfigHelpers)
set(tril_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Tril)

install(TARGETS ${floors} tril_core EXPORT TrilTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# Of the headers: the public ones, what they include, and what a kernel of one's own needs.
set(tril_left tril/tril.h tril/foundation/simd.h tril/foundation/exp.h)
set(tril_headers "")
while(tril_left)
  list(POP_FRONT tril_left header)
  if(header IN_LIST tril_headers)
    continue()
  endif()
  list(APPEND tril_headers ${header})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
  # A header that includes another from now on is read anew.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(STRINGS ${header} includes REGEX "^#include <tril/")
  list(TRANSFORM includes REPLACE "^#include <([^>]+)>.*" "\\1")
  list(APPEND tril_left ${includes})
endwhile()
install(EXPORT TrilTargets NAMESPACE tril:: DESTINATION ${tril_package_folder})

configure_package_config_file(TrilConfig.cmake.in TrilConfig.cmake
  INSTALL_DESTINATION ${tril_package_folder})
# Before 1.0 a new minor version may change what is there.
write_basic_package_version_file(TrilConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/TrilConfig.cmake kernels.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/TrilConfigVersion.cmake DESTINATION ${tril_package_folder})

# For all others: pkg-config --cflags --libs tril. Archives are searched once, so the highest floor comes first.
set(tril_libraries ${floors})
list(REVERSE tril_libraries)
list(TRANSFORM tril_libraries PREPEND -l)
list(JOIN tril_libraries " " tril_libraries)
file(RELATIVE_PATH tril_up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(tril.pc.in tril.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tril.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/docs/THIRD-PARTY-NOTICES.txt
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
