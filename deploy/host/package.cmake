# The Debian packages, by CPack, one for each component of the installation: the daemon,
# the library, and what programs are built with. `shlibdeps` finds the libraries that they
# depend on; libmicrohttpd and gcc's libraries are inside the daemon, which `copyright`
# says.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME flipd)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "flipd maintainers <maintainers@flipd.example>"
    CACHE STRING "who maintains the package")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # the first line of each description is
set(CPACK_SET_DESTDIR ON) # /etc does not lie below /usr
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL flipd libflip0 libflip-dev)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(FLIPD_DEB_VERSION ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

set(CPACK_DEBIAN_FLIPD_PACKAGE_NAME flipd)
set(CPACK_DEBIAN_FLIPD_PACKAGE_SECTION net)
set(CPACK_DEBIAN_FLIPD_DESCRIPTION
"daemon that reverses tensors over HTTP
flipd answers requests of the Open Inference Protocol, version 2, with the
operators ReverseSequence of ONNX and OpenVINO, Reverse of OpenVINO, and
ReverseSequence of Graiphic with its gradient, bit for bit.
.
It runs as a systemd service with a user of its own. libmicrohttpd, of which
this release has none that is new enough, is linked statically.")
set(CPACK_DEBIAN_FLIPD_PACKAGE_DEPENDS
    "systemd | systemd-standalone-sysusers | systemd-sysusers")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/conffiles "/etc/flipd/flipd.env\n")
set(CPACK_DEBIAN_FLIPD_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/conffiles
    ${CMAKE_CURRENT_LIST_DIR}/postinst ${CMAKE_CURRENT_LIST_DIR}/prerm
    ${CMAKE_CURRENT_LIST_DIR}/postrm)

set(CPACK_DEBIAN_LIBFLIP0_PACKAGE_NAME libflip0)
set(CPACK_DEBIAN_LIBFLIP0_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBFLIP0_DESCRIPTION
"library that reverses tensors
libflip has the operators of flipd for programs that reverse tensors in their
own process: sequences of a padded batch up to their lengths, and whole axes.")
# What CPack would find out would come with scripts that call ldconfig.
set(CPACK_DEBIAN_LIBFLIP0_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_LIBFLIP0_PACKAGE_DEPENDS "libc6 (>= 2.34)")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/shlibs
    "libflip 0 libflip0 (>= ${PROJECT_VERSION})\n")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBFLIP0_PACKAGE_CONTROL_EXTRA
    ${CMAKE_CURRENT_BINARY_DIR}/shlibs ${CMAKE_CURRENT_BINARY_DIR}/triggers)

set(CPACK_DEBIAN_LIBFLIP-DEV_PACKAGE_NAME libflip-dev)
set(CPACK_DEBIAN_LIBFLIP-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBFLIP-DEV_PACKAGE_DEPENDS "libflip0 (= ${FLIPD_DEB_VERSION})")
set(CPACK_DEBIAN_LIBFLIP-DEV_DESCRIPTION
"library that reverses tensors (development files)
The header of libflip, the static library, and the files of pkg-config and
CMake.")

# What Debian alone asks for.
string(TIMESTAMP FLIPD_DEB_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(${CMAKE_CURRENT_LIST_DIR}/changelog.in changelog @ONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/debian.cmake.in debian.cmake @ONLY)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_BINARY_DIR}/debian.cmake)
include(CPack)
