# A room is one library under src/. Its door is an include directory that holds links to the rooms it
# names (and what those use) and nothing else: a forbidden include does not compile.

include(${CMAKE_CURRENT_LIST_DIR}/embed.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/quick_build.cmake)

set(TILEWRIGHT_DOORS ${CMAKE_BINARY_DIR}/doors)

# Every room reachable from `room`, itself included.
function(tilewright_reachable room out)
  set(seen ${room})
  get_property(used GLOBAL PROPERTY TILEWRIGHT_USES_${room})
  foreach(other IN LISTS used)
    tilewright_reachable(${other} below)
    list(APPEND seen ${below})
  endforeach()
  list(REMOVE_DUPLICATES seen)
  set(${out} ${seen} PARENT_SCOPE)
endfunction()

function(tilewright_make_door name rooms)
  set(door ${TILEWRIGHT_DOORS}/${name})
  file(REMOVE_RECURSE ${door})
  file(MAKE_DIRECTORY ${door}/tilewright)
  foreach(room IN LISTS rooms)
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${room} ${door}/tilewright/${room} SYMBOLIC)
  endforeach()
endfunction()

# tilewright_room(compile FLOOR 2 USES ir platform LINKS fmt::fmt)
function(tilewright_room room)
  cmake_parse_arguments(ARG "" "FLOOR" "USES;LINKS" ${ARGN})
  foreach(other IN LISTS ARG_USES)
    get_property(floor GLOBAL PROPERTY TILEWRIGHT_FLOOR_${other})
    if(NOT floor LESS ARG_FLOOR)
      message(FATAL_ERROR "room ${room} (floor ${ARG_FLOOR}) may not use ${other} (floor ${floor}): "
                          "a room uses only rooms on lower floors")
    endif()
  endforeach()
  set_property(GLOBAL PROPERTY TILEWRIGHT_FLOOR_${room} ${ARG_FLOOR})
  set_property(GLOBAL PROPERTY TILEWRIGHT_USES_${room} ${ARG_USES})
  set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_ROOMS ${room})

  tilewright_reachable(${room} reachable)
  tilewright_make_door(${room} "${reachable}")

  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.cc
       ${PROJECT_SOURCE_DIR}/src/${room}/*/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "/main\\.cc$")
  add_library(tilewright_${room} STATIC ${sources})
  add_library(tilewright::${room} ALIAS tilewright_${room})
  target_compile_features(tilewright_${room} PUBLIC cxx_std_20)  # for users of the installed room
  target_compile_options(tilewright_${room} PRIVATE ${TILEWRIGHT_WARNINGS})
  target_include_directories(tilewright_${room}
    PRIVATE $<BUILD_INTERFACE:${TILEWRIGHT_DOORS}/${room}>
    INTERFACE $<INSTALL_INTERFACE:include>)
  foreach(other IN LISTS ARG_USES)
    target_link_libraries(tilewright_${room} PUBLIC tilewright_${other})
  endforeach()
  target_link_libraries(tilewright_${room} PUBLIC ${ARG_LINKS})
  tilewright_quick_build(tilewright_${room})
  set_target_properties(tilewright_${room} PROPERTIES EXPORT_NAME ${room})
  install(TARGETS tilewright_${room} EXPORT tilewright ARCHIVE DESTINATION lib)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/${room} DESTINATION include/tilewright
          FILES_MATCHING PATTERN "*.h" PATTERN "platform/data" EXCLUDE)

  # Unit tests beside the code see the room's own door.
  file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*_test.cc
       ${PROJECT_SOURCE_DIR}/src/${room}/*/*_test.cc)
  if(TILEWRIGHT_TESTS AND tests)
    add_executable(${room}_test ${tests})
    target_compile_options(${room}_test PRIVATE ${TILEWRIGHT_WARNINGS})
    target_include_directories(${room}_test PRIVATE ${TILEWRIGHT_DOORS}/${room})
    target_link_libraries(${room}_test PRIVATE tilewright_${room} GTest::gtest_main)
    tilewright_quick_build(${room}_test)
    gtest_discover_tests(${room}_test NO_PRETTY_VALUES TEST_PREFIX ${room}/ DISCOVERY_TIMEOUT 60)
  endif()
endfunction()

# tilewright_program(name SOURCES a.cc USES cli ...): an executable above the rooms it uses.
function(tilewright_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LINKS" ${ARGN})
  set(rooms)
  foreach(room IN LISTS ARG_USES)
    tilewright_reachable(${room} below)
    list(APPEND rooms ${below})
  endforeach()
  list(REMOVE_DUPLICATES rooms)
  tilewright_make_door(${name} "${rooms}")
  add_executable(${name} ${ARG_SOURCES})
  target_compile_options(${name} PRIVATE ${TILEWRIGHT_WARNINGS})
  target_include_directories(${name} PRIVATE ${TILEWRIGHT_DOORS}/${name})
  foreach(room IN LISTS ARG_USES)
    target_link_libraries(${name} PRIVATE tilewright_${room})
  endforeach()
  target_link_libraries(${name} PRIVATE ${ARG_LINKS})
  tilewright_quick_build(${name})
endfunction()
