# The libraries that the layers may link: PkgConfig::JANSSON (tests), ::UV,
# ::MHD, ::NGHTTP2, ::ZLIB and ::OPENSSL (server), ::CHECK (tests).
#
# libmicrohttpd before 1.0.10 can be made to smuggle requests, and Debian 12 and
# 13 have nothing newer: deploy/install-deps.sh builds a static one into .deps/.
# Only that one is taken, for the build renames system calls in the archive
# (server/mhd). A cross build takes all from its sysroot.
find_package(PkgConfig REQUIRED)

if(CMAKE_SYSROOT)
    set(deps ${CMAKE_SYSROOT}/usr)
    set(install_deps "deploy/install-deps.sh --cross arm64")
    set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
    set(ENV{PKG_CONFIG_LIBDIR}
        "${deps}/lib/pkgconfig:${deps}/lib/${CMAKE_LIBRARY_ARCHITECTURE}/pkgconfig")
else()
    set(deps ${PROJECT_SOURCE_DIR}/.deps)
    set(install_deps deploy/install-deps.sh)
    set(ENV{PKG_CONFIG_PATH} "${deps}/lib/pkgconfig:$ENV{PKG_CONFIG_PATH}")
endif()

option(STATIC_DEPS "Link archives of the daemon's libraries, as the wheel does" OFF)
set(static)
if(STATIC_DEPS)
    set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
    set(static -static)
endif()

function(flipd_need variable module)
    pkg_check_modules(${variable} IMPORTED_TARGET GLOBAL "${module}")
    if(NOT ${variable}_FOUND)
        message(FATAL_ERROR
            "${module} was not found: run ${install_deps}")
    endif()
endfunction()

flipd_need(UV libuv${static}>=1.44)
flipd_need(ZLIB zlib>=1.2.11)
flipd_need(OPENSSL openssl>=3.0)
flipd_need(NGHTTP2 libnghttp2>=1.52)
flipd_need(MHD libmicrohttpd>=1.0.10)
set(MHD_ARCHIVE ${deps}/lib/libmicrohttpd.a)
# deploy/install-deps.sh --fuzz has built it with clang's instrumentation, by
# which the fuzzer finds its way in it too.
if(FUZZ AND EXISTS ${deps}/fuzz/lib/libmicrohttpd.a)
    set(MHD_ARCHIVE ${deps}/fuzz/lib/libmicrohttpd.a)
endif()
if(NOT EXISTS ${MHD_ARCHIVE})
    message(FATAL_ERROR "there is no ${MHD_ARCHIVE}: run ${install_deps}")
endif()
find_package(Threads REQUIRED)
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter) # for cmake/embed.py
if(TESTS)
    flipd_need(CHECK check>=0.15)
    flipd_need(JANSSON jansson>=2.14)
endif()
