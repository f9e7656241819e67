# Installs the build into its own tree and builds a user's project against it.
get_property(rooms GLOBAL PROPERTY TILEWRIGHT_ROOMS)
set(sanitize)
if(TILEWRIGHT_SANITIZE)
  set(sanitize -fsanitize=${TILEWRIGHT_SANITIZE})
endif()
add_test(NAME install/consumer
         COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -DSOURCE=${PROJECT_SOURCE_DIR}
                 "-DROOMS=${rooms}" -DGENERATOR=${CMAKE_GENERATOR} -DCOMPILER=${CMAKE_CXX_COMPILER}
                 -DFLAGS=${sanitize} -DPROGRAM=$<TARGET_EXISTS:tilewright>
                 -P ${CMAKE_CURRENT_LIST_DIR}/run_install_test.cmake)
add_test(NAME install/package
         COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -DSOURCE=${PROJECT_SOURCE_DIR}
                 -DVERSION=${PROJECT_VERSION} -DGENERATOR=${CMAKE_GENERATOR}
                 -DCOMPILER=${CMAKE_CXX_COMPILER} -DFLAGS=${sanitize} -DCPACK=${CMAKE_CPACK_COMMAND}
                 -P ${CMAKE_CURRENT_LIST_DIR}/run_package_test.cmake)
set_tests_properties(install/package PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: ")
