# What keeps a clean build short. The headers that nearly every file includes are compiled once; files still
# name what they include, and the preset `dev`, which builds without this, would tell. Tests are compiled without
# optimisation, since the time they take is that of the rooms.
option(TILEWRIGHT_PRECOMPILED "Precompile the headers of the standard library, fmt and GoogleTest" ON)

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

if(TILEWRIGHT_PRECOMPILED)
  # What ccache needs to know a precompiled header by its contents.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  # From a precompiled std::string GCC 12 sees sizes and offsets that cannot be.
  list(APPEND TILEWRIGHT_WARNINGS $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
       $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>)
  tilewright_precompile(tilewright_common HEADERS ${TILEWRIGHT_COMMON_HEADERS} LINKS fmt::fmt)
  if(TILEWRIGHT_TESTS)
    tilewright_precompile(tilewright_common_tests
      HEADERS ${TILEWRIGHT_COMMON_HEADERS} <regex> <sstream> <gtest/gtest.h> <nlohmann/json.hpp>
      LINKS fmt::fmt GTest::gtest nlohmann_json::nlohmann_json
      OPTIONS ${TILEWRIGHT_TEST_OPTIONS})
  endif()
endif()

# Lets a target use them; one that links GoogleTest is a test.
function(tilewright_use_precompiled target)
  get_target_property(links ${target} LINK_LIBRARIES)
  if(links MATCHES "GTest::")
    target_compile_options(${target} PRIVATE ${TILEWRIGHT_TEST_OPTIONS})
  endif()
  if(NOT TILEWRIGHT_PRECOMPILED)
    return()
  endif()
  if(links MATCHES "GTest::")
    target_precompile_headers(${target} REUSE_FROM tilewright_common_tests)
  else()
    target_precompile_headers(${target} REUSE_FROM tilewright_common)
  endif()
endfunction()
