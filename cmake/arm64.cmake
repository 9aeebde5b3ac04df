# Toolchain: arm64 from another Debian machine, with its cross compiler and the
# libraries of `deploy/install-deps.sh --cross arm64`. Programs run in qemu.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
get_filename_component(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../.deps/arm64
    ABSOLUTE)
# A processor with all extensions: pointer authentication is checked too, with
# the hash that qemu computes quickly.
set(CMAKE_CROSSCOMPILING_EMULATOR
    qemu-aarch64 -cpu max,pauth-impdef=on -L ${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
