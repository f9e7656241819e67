# The tour as a test; include() this from tests/CMakeLists.txt.
tilewright_program(tiny_test SOURCES ${CMAKE_CURRENT_LIST_DIR}/tiny_test.cc USES dsl compile golden
                   LINKS GTest::gtest_main)
gtest_discover_tests(tiny_test NO_PRETTY_VALUES TEST_PREFIX tiny/ DISCOVERY_TIMEOUT 60)
