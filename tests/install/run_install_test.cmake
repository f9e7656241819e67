# Script of the install test: install, look at what is there, then configure, build and run the
# user's project in this directory. Starts from nothing, so that a file no longer installed is missed.

set(work ${BUILD}/install_test)
set(prefix ${work}/prefix)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGV} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nended with ${code}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

foreach(room IN LISTS ROOMS)
  if(NOT EXISTS ${prefix}/lib/libtilewright_${room}.a)
    message(FATAL_ERROR "room ${room} has no installed library")
  endif()
  file(GLOB_RECURSE headers RELATIVE ${SOURCE}/src ${SOURCE}/src/${room}/*.h)
  foreach(header IN LISTS headers)
    if(NOT EXISTS ${prefix}/include/tilewright/${header})
      message(FATAL_ERROR "header ${header} is not installed")
    endif()
  endforeach()
endforeach()
if(PROGRAM AND NOT EXISTS ${prefix}/bin/tilewright)
  message(FATAL_ERROR "the program tilewright is not installed")
endif()

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/consumer -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_PREFIX_PATH=${prefix}
    -DEXAMPLES=${SOURCE}/examples)
run(${CMAKE_COMMAND} --build ${work}/consumer)
run(${work}/consumer/my_program)
if(NOT output STREQUAL "mine/double has 2 parameters\n")
  message(FATAL_ERROR "the user's program printed: ${output}")
endif()

run(${work}/consumer/hello run)
if(NOT output MATCHES "y: PASS \\(2048/2048 elements matched\\)")
  message(FATAL_ERROR "the example printed: ${output}")
endif()

# A scope that is not kept ends at once: the compiler says so.
execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${prefix}/include
                        ${CMAKE_CURRENT_LIST_DIR}/forgotten_scope.cc
                ERROR_VARIABLE said RESULT_VARIABLE code)
if(NOT code EQUAL 0 OR NOT said MATCHES "auto core = p.incore")
  message(FATAL_ERROR "a scope without a variable is compiled without a warning: ${said}")
endif()

run(${work}/consumer/project check -p a2a3sim)
if(NOT output MATCHES "1 kernel, 128 tasks in 128 submissions")
  message(FATAL_ERROR "the program of the tutorial printed: ${output}")
endif()
