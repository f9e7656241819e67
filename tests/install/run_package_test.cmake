# Script of the package test: a Debian package of the build, unpacked into an empty folder, is enough to
# run the program and to build a user's project.
set(work ${BUILD}/package_test)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work}/root ${work}/project)

function(run)
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY ${BUILD} OUTPUT_VARIABLE output
                  ERROR_VARIABLE output RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nended with ${code}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

foreach(tool IN ITEMS dpkg-deb dpkg-shlibdeps)
  find_program(found_${tool} ${tool})
  if(NOT found_${tool})
    message("skipped: ${tool} is not installed (apt-get install dpkg-dev)")
    return()
  endif()
endforeach()

run(${CPACK} --config ${BUILD}/CPackConfig.cmake -B ${work}/made)
file(GLOB package ${work}/made/tilewright_${VERSION}_*.deb)
if(NOT package)
  message(FATAL_ERROR "there is no package of version ${VERSION}: ${output}")
endif()
run(dpkg-deb -x ${package} ${work}/root)

set(usr ${work}/root/usr)
foreach(file IN ITEMS bin/tilewright include/tilewright/cli/cli.h include/tilewright/dsl/ops.h
        lib/cmake/tilewright/tilewright-config.cmake share/man/man1/tilewright.1.gz
        share/bash-completion/completions/tilewright share/zsh/vendor-completions/_tilewright
        share/fish/vendor_completions.d/tilewright.fish share/doc/tilewright/LICENSE)
  if(NOT EXISTS ${usr}/${file})
    message(FATAL_ERROR "the package has no ${file}")
  endif()
endforeach()

run(${usr}/bin/tilewright --version)
if(NOT output STREQUAL "tilewright ${VERSION}\n")
  message(FATAL_ERROR "the packaged program says it is ${output}")
endif()

# Formatted as `man` does it, without a word of warning.
find_program(groff groff)
if(groff)
  execute_process(COMMAND gzip -dc ${usr}/share/man/man1/tilewright.1.gz
                  COMMAND ${groff} -man -Tascii -ww OUTPUT_VARIABLE page ERROR_VARIABLE warnings)
  if(NOT page MATCHES "the request is wrong" OR NOT warnings STREQUAL "")
    message(FATAL_ERROR "the man page is not formatted: ${warnings}")
  endif()
endif()

# Five lines, as a user writes them.
file(WRITE ${work}/project/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(mine LANGUAGES CXX)
find_package(tilewright ${VERSION} REQUIRED)
add_executable(mine ${SOURCE}/examples/01_hello_tile.cc)
target_link_libraries(mine PRIVATE tilewright::cli)
")
run(${CMAKE_COMMAND} -S ${work}/project -B ${work}/project/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_PREFIX_PATH=${usr})
run(${CMAKE_COMMAND} --build ${work}/project/build)
run(${work}/project/build/mine run)
if(NOT output MATCHES "y: PASS")
  message(FATAL_ERROR "the program built against the package printed: ${output}")
endif()
file(REMOVE_RECURSE ${work})  # some tens of megabytes
