# cpack runs this before it packs: what Debian wants otherwise than other systems do. Compressed manual pages, its own form of the licence, a changelog.
set(tree ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
set(ours ${CMAKE_CURRENT_LIST_DIR}/../packaging/debian)
foreach(name copyright changelog)
  file(COPY_FILE ${ours}/${name} ${tree}/doc/photofinish/${name})  # file(COPY) leaves a file alone that has the same time, as in a fresh clone
endforeach()
file(REMOVE ${tree}/doc/photofinish/LICENSE)
file(MAKE_DIRECTORY ${tree}/lintian/overrides)
configure_file(${ours}/lintian-overrides ${tree}/lintian/overrides/photofinish COPYONLY)
file(GLOB pages ${tree}/man/man1/*.1)
execute_process(COMMAND gzip -9n ${pages} ${tree}/doc/photofinish/changelog COMMAND_ERROR_IS_FATAL ANY)
