# Toolchain: the distribution's clang, whatever its number.
find_program(CLANG NAMES clang-14 clang REQUIRED)
find_program(CLANGXX NAMES clang++-14 clang++ REQUIRED)
set(CMAKE_C_COMPILER ${CLANG})
set(CMAKE_CXX_COMPILER ${CLANGXX})
