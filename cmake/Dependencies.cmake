# Everything fovea stands on; ARCHITECTURE.md says why. Packages: scripts/packages.txt. Looked for only where a part
# needs it.
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(hwy REQUIRED)
find_package(fmt REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
if(FOVEA_MODELS)
  find_package(nlohmann_json REQUIRED)
  find_package(ZLIB REQUIRED)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
endif()
if(FOVEA_CAIRO)
  pkg_check_modules(PANGOCAIRO REQUIRED IMPORTED_TARGET pangocairo cairo)
endif()
if(FOVEA_BUILD_APPS)
  find_package(CLI11 REQUIRED)
  pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)
endif()

# Debian has three variants side by side, and one is active. The results are right with each of them, but only the
# OpenMP variant obeys omp_set_num_threads and shares its threads with ours.
if(OPENBLAS_LIBRARY_DIRS MATCHES "openblas-(pthread|serial)")
  message(WARNING "The active OpenBLAS is the ${CMAKE_MATCH_1} variant: correct, but its threads come on top of "
          "those of OpenMP. Activate the OpenMP variant with\n"
          "  update-alternatives --config libopenblas.so.0-${CMAKE_LIBRARY_ARCHITECTURE}\n"
          "  update-alternatives --config openblas.pc-${CMAKE_LIBRARY_ARCHITECTURE}")
endif()
