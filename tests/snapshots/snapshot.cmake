# tilewright_snapshot(examples/03_matmul.show COMMAND example_03_matmul show): a test that the command
# prints exactly tests/snapshots/examples/03_matmul.show. After a change that is meant, `./dev
# snapshots` (the target update_snapshots) writes the files anew; the diff is then part of the review.
#
# The same file is the script that runs one command and compares or writes (cmake -P).

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(TILEWRIGHT_SNAPSHOT_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
  set(TILEWRIGHT_SNAPSHOT_DIR ${CMAKE_CURRENT_LIST_DIR})

  function(tilewright_snapshot name)
    cmake_parse_arguments(ARG "" "" "COMMAND" ${ARGN})
    list(POP_FRONT ARG_COMMAND program)
    list(JOIN ARG_COMMAND " " arguments)
    set(command ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:${program}> -DARGUMENTS=${arguments}
                -DEXPECTED=${TILEWRIGHT_SNAPSHOT_DIR}/${name} -DNAME=${name})
    add_test(NAME snapshot/${name} COMMAND ${command} -P ${TILEWRIGHT_SNAPSHOT_SCRIPT})
    # A target for each, since a command can only be added to a target of the same directory.
    string(MAKE_C_IDENTIFIER "update_${name}" update)
    add_custom_target(${update} COMMAND ${command} -DUPDATE=ON -P ${TILEWRIGHT_SNAPSHOT_SCRIPT}
                      DEPENDS ${program} VERBATIM)
    if(NOT TARGET update_snapshots)
      add_custom_target(update_snapshots)
    endif()
    add_dependencies(update_snapshots ${update})
  endfunction()
  return()
endif()

separate_arguments(ARGUMENTS)
execute_process(COMMAND ${PROGRAM} ${ARGUMENTS} OUTPUT_VARIABLE actual ERROR_VARIABLE error
                RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ${ARGUMENTS} ended with ${code}:\n${error}")
endif()

if(UPDATE)
  file(WRITE ${EXPECTED} "${actual}")
  return()
endif()

if(NOT EXISTS ${EXPECTED})
  message(FATAL_ERROR "there is no snapshot ${NAME}; write it with ./dev snapshots")
endif()
file(READ ${EXPECTED} expected)
if(actual STREQUAL expected)
  return()
endif()
set(scratch ${CMAKE_CURRENT_BINARY_DIR}/snapshot_actual/${NAME})
file(WRITE ${scratch} "${actual}")
execute_process(COMMAND diff -u --label ${NAME} --label actual ${EXPECTED} ${scratch}
                OUTPUT_VARIABLE difference)
message(FATAL_ERROR "the listing changed; if that is meant, run ./dev snapshots\n${difference}")
