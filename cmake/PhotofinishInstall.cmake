# A tree that can be moved: photofinish finds its libraries from its own place, ../lib/photofinish.
set(man_page ${CMAKE_BINARY_DIR}/share/man/man1/photofinish.1)
add_custom_command(OUTPUT ${man_page}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/share/man/man1
  COMMAND photofinish man > ${man_page}
  DEPENDS photofinish VERBATIM)
add_custom_target(man ALL DEPENDS ${man_page})

install(TARGETS photofinish RUNTIME DESTINATION bin)
install(TARGETS photofinish-outside LIBRARY DESTINATION lib/photofinish)
foreach(flavour ${PHOTOFINISH_FLAVOURS})
  install(TARGETS photofinish-${flavour} LIBRARY DESTINATION lib/photofinish)
  install(TARGETS photofinish-analyze-${flavour} RUNTIME DESTINATION lib/photofinish)
endforeach()
install(FILES ${man_page} DESTINATION share/man/man1)
# The wrappers look for them beside bin, in the build folder as well.
set(headers include/photofinish/annotate.h include/photofinish/runtime_abi.h)
foreach(header ${headers})
  configure_file(${header} ${CMAKE_BINARY_DIR}/${header} COPYONLY)
endforeach()
install(FILES ${headers} DESTINATION include/photofinish)
install(FILES LICENSE README.md DESTINATION share/doc/photofinish)

include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/photofinish-config.cmake.in ${CMAKE_BINARY_DIR}/photofinish-config.cmake
  INSTALL_DESTINATION lib/cmake/photofinish)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/photofinish-config-version.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/photofinish-config.cmake ${CMAKE_BINARY_DIR}/photofinish-config-version.cmake
  DESTINATION lib/cmake/photofinish)
