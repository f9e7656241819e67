# The documents against the code; include() this from tests/CMakeLists.txt.
tilewright_program(docs_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/docs_test.cc USES ir platform
                   LINKS GTest::gtest_main)
target_compile_definitions(docs_test PRIVATE TILEWRIGHT_SOURCE="${PROJECT_SOURCE_DIR}")
gtest_discover_tests(docs_test NO_PRETTY_VALUES TEST_PREFIX docs/ DISCOVERY_TIMEOUT 60)
