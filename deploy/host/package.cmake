# The Debian package, by CPack. `shlibdeps` finds the libraries that it depends on;
# libmicrohttpd and gcc's libraries are inside the program, which `copyright` says.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME flipd)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "flipd maintainers <maintainers@flipd.example>"
    CACHE STRING "who maintains the package")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "daemon that reverses tensors over HTTP")
set(CPACK_PACKAGE_DESCRIPTION
"flipd answers requests of the Open Inference Protocol, version 2, with the
operators ReverseSequence of ONNX and OpenVINO, Reverse of OpenVINO, and
ReverseSequence of Graiphic with its gradient, bit for bit.
.
It runs as a systemd service with a user of its own. libmicrohttpd, of which
this release has none that is new enough, is linked statically.")
set(CPACK_SET_DESTDIR ON) # /etc does not lie below /usr
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS
    "systemd | systemd-standalone-sysusers | systemd-sysusers")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/conffiles "/etc/flipd/flipd.env\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/conffiles
    ${CMAKE_CURRENT_LIST_DIR}/postinst ${CMAKE_CURRENT_LIST_DIR}/prerm
    ${CMAKE_CURRENT_LIST_DIR}/postrm)

# What Debian alone asks for.
set(FLIPD_DEB_VERSION ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
string(TIMESTAMP FLIPD_DEB_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(${CMAKE_CURRENT_LIST_DIR}/changelog.in changelog @ONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/debian.cmake.in debian.cmake @ONLY)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_BINARY_DIR}/debian.cmake)
include(CPack)
