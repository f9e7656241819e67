# What keeps a clean build short. The headers that nearly every file includes are compiled once, and
# files are compiled in batches, so that the templates they share are instantiated once per batch.
# Files still name what they include: the preset `dev` builds without this and finds what is missing.
# Tests are compiled without optimisation, since most of their run time is spent in the rooms.
option(TILEWRIGHT_QUICK_BUILD "Precompile common headers and compile files in batches" ON)

# Files in a batch. A change compiles its whole batch, so those of rooms stay small.
set(TILEWRIGHT_ROOM_BATCH 8)
set(TILEWRIGHT_TEST_BATCH 16)

set(TILEWRIGHT_COMMON_HEADERS
  <algorithm> <array> <cstdint> <deque> <functional> <map> <memory> <optional> <set> <span> <string>
  <string_view> <unordered_map> <unordered_set> <utility> <variant> <vector> <fmt/format.h>)

set(TILEWRIGHT_TEST_OPTIONS $<$<CONFIG:Release>:-O0>)

# tilewright_precompile(name HEADERS ... LINKS ... OPTIONS ...): a target whose headers others reuse.
function(tilewright_precompile name)
  cmake_parse_arguments(ARG "" "" "HEADERS;LINKS;OPTIONS" ${ARGN})
  set(source ${CMAKE_BINARY_DIR}/${name}.cc)
  file(WRITE ${source} "")
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

if(TILEWRIGHT_QUICK_BUILD)
  # What ccache needs to know a precompiled header by its contents.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  # From a precompiled std::string GCC 12 sees sizes and offsets that cannot be.
  list(APPEND TILEWRIGHT_WARNINGS $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
       $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>)
  # GCC takes the files of a batch for headers and warns where their classes hold anonymous types.
  list(APPEND TILEWRIGHT_WARNINGS $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  tilewright_precompile(tilewright_common HEADERS ${TILEWRIGHT_COMMON_HEADERS} LINKS fmt::fmt)
  if(TILEWRIGHT_TESTS)
    tilewright_precompile(tilewright_common_tests
      HEADERS ${TILEWRIGHT_COMMON_HEADERS} <regex> <sstream> <gtest/gtest.h> <nlohmann/json.hpp>
      LINKS fmt::fmt GTest::gtest nlohmann_json::nlohmann_json
      OPTIONS ${TILEWRIGHT_TEST_OPTIONS})
  endif()
endif()

# Every target of the project calls this; one that links GoogleTest is a test.
function(tilewright_quick_build target)
  get_target_property(links ${target} LINK_LIBRARIES)
  set(headers tilewright_common)
  set(batch ${TILEWRIGHT_ROOM_BATCH})
  if(links MATCHES "GTest::")
    set(headers tilewright_common_tests)
    set(batch ${TILEWRIGHT_TEST_BATCH})
    target_compile_options(${target} PRIVATE ${TILEWRIGHT_TEST_OPTIONS})
  endif()
  if(TILEWRIGHT_QUICK_BUILD)
    target_precompile_headers(${target} REUSE_FROM ${headers})
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
  endif()
endfunction()
