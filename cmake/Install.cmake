# Installs the command, the libraries, their headers, and what find_package(fovea) and pkg-config read. The
# libraries are shared and their dependencies are private: a consumer needs the installed files and nothing else.
# Each part is a component: cmake --install build --component fovea-attention installs that part alone.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fovea)
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The .pc files find the prefix from their own place, so that the installed tree can be moved.
file(RELATIVE_PATH prefix_from_pc /prefix/${pkgconfig_dir} /prefix)
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
function(install_pc_file pc_name pc_description pc_requires pc_libs component)
  set(file ${PROJECT_BINARY_DIR}/${pc_name}.pc)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/fovea.pc.in ${file} @ONLY)
  install(FILES ${file} DESTINATION ${pkgconfig_dir} COMPONENT ${component})
endfunction()

set(attention_description "Attention in C++: exact and fast")
set(models_description "Models, tokenizers, files, measures and explanations of attention")
set(plot_description "Pictures of attention")
set(distributed_description "Attention of one sequence over many processes")

# room_headers_<room>: the public headers of a room.
set(header_table ${PROJECT_SOURCE_DIR}/cmake/public_headers.txt)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header_table})
file(STRINGS ${header_table} lines REGEX "^[a-z]+:")
foreach(line IN LISTS lines)
  string(REGEX MATCH "^([a-z]+): +(.*)$" _ "${line}")
  set(room ${CMAKE_MATCH_1})
  string(REPLACE " " ";" names "${CMAKE_MATCH_2}")
  list(TRANSFORM names REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/include/fovea/\\1.h")
  list(APPEND room_headers_${room} ${names})
endforeach()

set(below "")
foreach(part IN LISTS FOVEA_PARTS)
  set(component fovea-${part})
  if(part STREQUAL "distributed")
    set(below fovea-attention)
  endif()
  install(TARGETS fovea_${part} EXPORT fovea_${part}_targets
          RUNTIME COMPONENT ${component} LIBRARY COMPONENT ${component})
  install(EXPORT fovea_${part}_targets NAMESPACE fovea:: FILE fovea-${part}-targets.cmake DESTINATION ${package_dir}
          COMPONENT ${component})
  foreach(room IN LISTS ${part}_rooms)
    if(room_headers_${room})
      install(FILES ${room_headers_${room}} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fovea COMPONENT ${component})
    endif()
  endforeach()
  install_pc_file(fovea-${part} ${${part}_description} "${below}" "-L\${libdir} -lfovea-${part}" ${component})
  set(below fovea-${part})
endforeach()
if(TARGET fovea_mpi)
  install(TARGETS fovea_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT fovea-distributed)
endif()
list(TRANSFORM FOVEA_PARTS PREPEND fovea- OUTPUT_VARIABLE pc_parts)
list(JOIN pc_parts " " pc_parts)
install_pc_file(fovea ${PROJECT_DESCRIPTION} "${pc_parts}" "" ${component})

install(FILES ${PROJECT_SOURCE_DIR}/include/fovea/fovea.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fovea
        COMPONENT fovea-attention)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/fovea-config.cmake.in
  ${PROJECT_BINARY_DIR}/fovea-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fovea-config-version.cmake
  COMPATIBILITY SameMinorVersion)  # before 1.0 a minor version may break callers
install(FILES ${PROJECT_BINARY_DIR}/fovea-config.cmake ${PROJECT_BINARY_DIR}/fovea-config-version.cmake
        DESTINATION ${package_dir} COMPONENT fovea-attention)

if(TARGET fovea_command)
  install(TARGETS fovea_command COMPONENT fovea-command)
  install(TARGETS fovea_benchmark LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT fovea-command)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/fovea/models
          COMPONENT fovea-command)
endif()
