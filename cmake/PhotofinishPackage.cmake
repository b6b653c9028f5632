# cpack: a Debian package, and an archive for everybody else. Both hold the tree that cmake --install makes.
set(CPACK_PACKAGE_NAME photofinish)
set(CPACK_PACKAGE_VENDOR "The Photofinish authors")
set(CPACK_PACKAGE_CONTACT "The Photofinish authors <photofinish@localhost>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "race detector for MPI programs")
set(CPACK_PACKAGE_DESCRIPTION
    "Photofinish runs an unchanged MPI program and records its messages,
collectives and one-sided operations. It reports concurrent conflicting
accesses to memory, receives that could have matched another message,
deadlocks, and dependence on send buffering. It runs the program again
to confirm races, and forces each order.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/CPackOptions.cmake)
set(CPACK_PACKAGE_FILE_NAME photofinish-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR})

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# What the files need, as dpkg-shlibdeps reads it from them: libc, libdw, and the MPI libraries of the analysis by several processes.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# And a launcher, to start anything at all.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "openmpi-bin | mpich")
# Loads and stores are seen in programs that pfmpicc built: it needs mpicc, and a clang that the pass was made for.
set(clangs ${PHOTOFINISH_LLVM_VERSIONS})
list(TRANSFORM clangs PREPEND "clang-")
list(JOIN clangs " | " clangs)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libopenmpi-dev | libmpich-dev")
if(clangs)
  string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", ${clangs}")
endif()
if(PHOTOFINISH_FLANG)
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "flang-19")
endif()
include(CPack)
