# Warnings, hardening, sanitizers: the flags that all targets share. Nothing
# here depends on the machine that builds (no -march=native): an image must run
# on any CPU of its architecture.
include(CheckCCompilerFlag)
include(CheckPIESupported)

set(CMAKE_POSITION_INDEPENDENT_CODE ON)
check_pie_supported()
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

# The build types that optimise. None, which packaging tools choose, has no flags
# of its own: CMAKE_C_FLAGS decides.
set(optimised Release,RelWithDebInfo,MinSizeRel)
set(vectorised Release,RelWithDebInfo)
if(CMAKE_C_FLAGS MATCHES "-O[1-3s]")
    string(APPEND optimised ,None)
    string(APPEND vectorised ,None)
endif()
# gcc vectorises loops of unknown length from -O3 on. For COMPILE_OPTIONS of the
# source files whose loops gain from that.
set(FLIPD_VECTORISE $<$<CONFIG:${vectorised}>:-O3>)
# For source files with variables of 64 bytes: gcc's fake stack for
# use-after-return aligns to 32.
set(FLIPD_ALIGN_64)
if(SANITIZE MATCHES address AND CMAKE_C_COMPILER_ID STREQUAL GNU)
    set(FLIPD_ALIGN_64 --param=asan-use-after-return=0)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON) # clang-tidy reads it

add_compile_options(
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla -Walloca -Wundef
    -Wcast-qual -Wdouble-promotion -Wimplicit-fallthrough -Wformat=2
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
    $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
    $<$<BOOL:${WERROR}>:-Werror>)

# Control-flow protection exists on some architectures only.
add_compile_options(-fstack-protector-strong)
foreach(flag -fstack-clash-protection -fcf-protection
        -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "HAS${flag}" known)
    check_c_compiler_flag("-Werror ${flag}" ${known})
    if(${known})
        add_compile_options(${flag})
    endif()
endforeach()
add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack,--as-needed)

if(SANITIZE)
    add_compile_options(-fsanitize=${SANITIZE} -fno-sanitize-recover=all
                        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${SANITIZE})
elseif(NOT COVERAGE)
    # It needs optimisation, and hides from a sanitizer what that looks for. A
    # compiler or packaging tool may have set another level.
    set(fortify -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
    add_compile_options("$<$<CONFIG:${optimised}>:${fortify}>")
    # Unused functions are left out: of the static libstdc++ of gcc 14 alone
    # they are 1.8 MB, most of them time zones.
    add_compile_options(-ffunction-sections -fdata-sections)
    add_link_options(-Wl,--gc-sections)
endif()
if(COVERAGE)
    add_compile_options(--coverage -fprofile-update=atomic)
    add_link_options(--coverage)
endif()
if(FUZZ)
    if(NOT CMAKE_C_COMPILER_ID STREQUAL Clang)
        message(FATAL_ERROR "FUZZ needs clang: cmake --preset fuzz")
    endif()
    # Each comparison reported costs a third of the time of an execution; the
    # corpora and dictionaries know the words that are compared.
    add_compile_options(-fsanitize=fuzzer-no-link
                        -fno-sanitize-coverage=trace-cmp)
endif()
