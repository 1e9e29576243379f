# For 64-bit Arm with Debian's cross compiler; programs run under qemu-user. scripts/arm_root has put the libraries for
# it into build/arm-root.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

cmake_path(SET FOVEA_ARM_ROOT NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../../build/arm-root)
set(CMAKE_FIND_ROOT_PATH ${FOVEA_ARM_ROOT} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# "max" has every feature that this qemu knows, SVE too, for a compiler that can (vectors of 32 bytes). pauth-impdef:
# pointer authentication by a cipher that is cheap to emulate.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -cpu max,pauth-impdef=on,sve-default-vector-length=32
    -L /usr/aarch64-linux-gnu)
