# The man page and the completions, made by the program itself, and a Debian package of everything that
# install.cmake installs. `./dev package` builds and checks it.

if(TARGET tilewright)
  set(texts ${CMAKE_BINARY_DIR}/texts)
  file(MAKE_DIRECTORY ${texts})
  add_custom_command(
    OUTPUT ${texts}/tilewright.1.gz ${texts}/tilewright.bash ${texts}/_tilewright
           ${texts}/tilewright.fish
    COMMAND tilewright man-page | gzip -9n > ${texts}/tilewright.1.gz
    COMMAND tilewright completion bash > ${texts}/tilewright.bash
    COMMAND tilewright completion zsh > ${texts}/_tilewright
    COMMAND tilewright completion fish > ${texts}/tilewright.fish
    DEPENDS tilewright
    COMMENT "Writing the man page and completions"
    VERBATIM)
  add_custom_target(tilewright_texts ALL DEPENDS ${texts}/tilewright.1.gz)

  # Where Debian's man and shells look for them.
  install(FILES ${texts}/tilewright.1.gz DESTINATION share/man/man1)
  install(FILES ${texts}/tilewright.bash DESTINATION share/bash-completion/completions
          RENAME tilewright)
  install(FILES ${texts}/_tilewright DESTINATION share/zsh/vendor-completions)
  install(FILES ${texts}/tilewright.fish DESTINATION share/fish/vendor_completions.d)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The Tilewright authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "checks, predicts, runs and improves tile programs")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES TRUE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# To build programs of one's own against the rooms; the command line program needs none of them.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
    "g++, cmake, libfmt-dev, nlohmann-json3-dev, libcli11-dev, libhwy-dev, libedit-dev, libutf8proc-dev, zlib1g-dev")
include(CPack)
