# tilewright_embed(platform data/cpu.json ...): compiles the room's data files into its library, in
# the given order, as the data_files() that the room's data.h declares: the name without its
# extension, and the text. Nothing is read at run time.
#
# The same file is the script that writes the source (cmake -P), run again when a data file changes.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(TILEWRIGHT_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

  function(tilewright_embed room)
    set(output ${CMAKE_BINARY_DIR}/embedded/${room}_data.cc)
    list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/src/${room}/ OUTPUT_VARIABLE files)
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} -DROOM=${room} "-DFILES=${files}" -DOUTPUT=${output}
              -P ${TILEWRIGHT_EMBED_SCRIPT}
      DEPENDS ${files} ${TILEWRIGHT_EMBED_SCRIPT}
      COMMENT "Embedding the data files of ${room}"
      VERBATIM)
    target_sources(tilewright_${room} PRIVATE ${output})
  endfunction()
  return()
endif()

set(source "#include \"tilewright/${ROOM}/data.h\"

namespace tilewright::${ROOM} {

const std::vector<DataFile>& data_files() {
  static const std::vector<DataFile> kFiles{
")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND source "      {\"${name}\", R\"embedded(${text})embedded\"},\n")
endforeach()
string(APPEND source "  };
  return kFiles;
}

}  // namespace tilewright::${ROOM}
")
file(WRITE ${OUTPUT} "${source}")
