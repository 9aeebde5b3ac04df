# The libraries that the layers may link: PkgConfig::JANSSON (api), ::UV,
# ::MHD, ::ZLIB and ::OPENSSL (server), ::CHECK (tests).
#
# libmicrohttpd before 1.0.10 can be made to smuggle requests, and Debian 12 and
# 13 have nothing newer: deploy/install-deps.sh builds one into .deps/, which
# is therefore looked at first.
find_package(PkgConfig REQUIRED)

set(ENV{PKG_CONFIG_PATH}
    "${PROJECT_SOURCE_DIR}/.deps/lib/pkgconfig:$ENV{PKG_CONFIG_PATH}")

function(flipd_need variable module)
    pkg_check_modules(${variable} IMPORTED_TARGET GLOBAL "${module}")
    if(NOT ${variable}_FOUND)
        message(FATAL_ERROR
            "${module} was not found: run deploy/install-deps.sh")
    endif()
endfunction()

flipd_need(JANSSON jansson>=2.14)
flipd_need(UV libuv>=1.44)
flipd_need(ZLIB zlib>=1.2.11)
flipd_need(OPENSSL openssl>=3.0)
flipd_need(MHD libmicrohttpd>=1.0.10)
if(TESTS)
    flipd_need(CHECK check>=0.15)
endif()
