# A tree that can be moved: photofinish finds its libraries from its own place, ../lib/photofinish.
# The manual and the shells' completions come from the tool itself; there is a page for each command, so that only the tool knows which.
set(man_folder ${CMAKE_BINARY_DIR}/share/man/man1)
set(bash_completion ${CMAKE_BINARY_DIR}/share/bash-completion/completions/photofinish)
set(zsh_completion ${CMAKE_BINARY_DIR}/share/zsh/site-functions/_photofinish)
set(fish_completion ${CMAKE_BINARY_DIR}/share/fish/vendor_completions.d/photofinish.fish)
foreach(file ${bash_completion} ${zsh_completion} ${fish_completion})
  get_filename_component(folder ${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
endforeach()
add_custom_command(OUTPUT ${man_folder}/photofinish.1 ${bash_completion} ${zsh_completion} ${fish_completion}
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${man_folder}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${man_folder}
  COMMAND photofinish man --into ${man_folder}
  COMMAND photofinish completion bash > ${bash_completion}
  COMMAND photofinish completion zsh > ${zsh_completion}
  COMMAND photofinish completion fish > ${fish_completion}
  DEPENDS photofinish VERBATIM)
add_custom_target(man ALL DEPENDS ${man_folder}/photofinish.1)
add_dependencies(preload man)  # all that is installed: cmake --build --target preload && cmake --install

install(TARGETS photofinish RUNTIME DESTINATION bin)
install(TARGETS ${PHOTOFINISH_LIBC_INTERCEPTORS} LIBRARY DESTINATION lib/photofinish)
if(TARGET photofinish-z3)
  install(TARGETS photofinish-z3 LIBRARY DESTINATION lib/photofinish)
endif()
if(TARGET photofinish-otf2)
  install(TARGETS photofinish-otf2 LIBRARY DESTINATION lib/photofinish)
endif()
foreach(flavour ${PHOTOFINISH_FLAVOURS})
  install(TARGETS photofinish-${flavour} LIBRARY DESTINATION lib/photofinish)
  install(TARGETS photofinish-analyze-${flavour} RUNTIME DESTINATION lib/photofinish)
endforeach()
install(DIRECTORY ${man_folder} DESTINATION share/man)
install(FILES src/manual/pfmpicc.1 DESTINATION share/man/man1)
if(TARGET pfupcc)
  install(FILES src/manual/pfupcc.1 DESTINATION share/man/man1)
endif()
if(PHOTOFINISH_GCC_PLUGIN)
  install(FILES src/manual/pfcaf.1 DESTINATION share/man/man1)
endif()
foreach(wrapper pfmpicxx pfmpifort pfoshcc pfoshcxx)
  file(WRITE ${CMAKE_BINARY_DIR}/${wrapper}.1 ".so man1/pfmpicc.1\n")
  install(FILES ${CMAKE_BINARY_DIR}/${wrapper}.1 DESTINATION share/man/man1)
endforeach()
install(FILES ${bash_completion} DESTINATION share/bash-completion/completions)
install(FILES ${zsh_completion} DESTINATION share/zsh/site-functions)
install(FILES ${fish_completion} DESTINATION share/fish/vendor_completions.d)
# The wrappers look for them beside bin, in the build folder as well.
set(headers include/photofinish/annotate.h include/photofinish/runtime_abi.h)
foreach(header ${headers})
  configure_file(${header} ${CMAKE_BINARY_DIR}/${header} COPYONLY)
endforeach()
install(FILES ${headers} DESTINATION include/photofinish)
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md DESTINATION share/doc/photofinish)
install(FILES LICENSE DESTINATION share/doc/photofinish RENAME copyright)  # where Debian looks for it
install(FILES docs/report.schema.json DESTINATION share/photofinish)
install(DIRECTORY docs examples DESTINATION share/doc/photofinish)

include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/photofinish-config.cmake.in ${CMAKE_BINARY_DIR}/photofinish-config.cmake
  INSTALL_DESTINATION lib/cmake/photofinish)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/photofinish-config-version.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/photofinish-config.cmake ${CMAKE_BINARY_DIR}/photofinish-config-version.cmake
  DESTINATION lib/cmake/photofinish)

# Environment modules, for sites: both find the tree from their own place. module use PREFIX/share/modulefiles && module load photofinish
install(FILES packaging/modulefiles/photofinish.tcl DESTINATION share/modulefiles/photofinish RENAME ${PROJECT_VERSION})
install(FILES packaging/modulefiles/photofinish.lua DESTINATION share/modulefiles/photofinish RENAME ${PROJECT_VERSION}.lua)
