# cmake --install: the floors as static libraries, their headers, and what find_package(Tril) reads.
# A user of tril::core gets include paths, C++20 and the system's threads, and no flag of ours.
include(CMakePackageConfigHelpers)
set(tril_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Tril)

install(TARGETS ${floors} tril_core EXPORT TrilTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY tril DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
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
