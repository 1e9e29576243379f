# Everything fovea stands on; ARCHITECTURE.md says why. Packages: scripts/packages.txt.
find_package(OpenMP REQUIRED)
find_package(hwy REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
