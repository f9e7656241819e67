# After `cmake --install`, find_package(tilewright) gives every room as tilewright::<room>; headers
# are included as in the source: "tilewright/dsl/ops.h". rooms.cmake installs the rooms themselves.

include(CMakePackageConfigHelpers)

set(TILEWRIGHT_PACKAGE_DIR lib/cmake/tilewright)

if(TARGET tilewright)  # the command line program
  install(TARGETS tilewright RUNTIME DESTINATION bin)
endif()

install(EXPORT tilewright NAMESPACE tilewright:: FILE tilewright-targets.cmake
        DESTINATION ${TILEWRIGHT_PACKAGE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tilewright-config.cmake.in
                              ${CMAKE_BINARY_DIR}/tilewright-config.cmake
                              INSTALL_DESTINATION ${TILEWRIGHT_PACKAGE_DIR})
# Before 1.0 a minor version may change anything.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tilewright-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tilewright-config.cmake
              ${CMAKE_BINARY_DIR}/tilewright-config-version.cmake
        DESTINATION ${TILEWRIGHT_PACKAGE_DIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/tilewright)
