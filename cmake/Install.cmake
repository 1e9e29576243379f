# Installs the command, the library, its headers, and what find_package(fovea) and pkg-config read. The library
# is shared and its dependencies are private: a consumer needs the installed files and nothing else.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fovea)

install(TARGETS fovea EXPORT fovea_targets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
if(TARGET fovea_command)
  install(TARGETS fovea_command)
endif()

install(EXPORT fovea_targets NAMESPACE fovea:: FILE fovea-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/fovea-config.cmake.in
  ${PROJECT_BINARY_DIR}/fovea-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fovea-config-version.cmake
  COMPATIBILITY SameMinorVersion)  # before 1.0 a minor version may break callers
install(FILES ${PROJECT_BINARY_DIR}/fovea-config.cmake ${PROJECT_BINARY_DIR}/fovea-config-version.cmake
        DESTINATION ${package_dir})

# The .pc file finds the prefix from its own place, so that the installed tree can be moved.
file(RELATIVE_PATH prefix_from_pc /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
configure_file(${PROJECT_SOURCE_DIR}/cmake/fovea.pc.in ${PROJECT_BINARY_DIR}/fovea.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/fovea.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
