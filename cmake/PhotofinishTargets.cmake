# photofinish_library(NAME SOURCES… [LINK targets…]): one static library a folder of src/, so that a wrong include does not link.
# Folders see each other's headers only as "folder/header.h", through the targets they link.
function(photofinish_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  if(ARG_SOURCES)
    add_library(pf_${name} STATIC ${ARG_SOURCES})
    target_include_directories(pf_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
    target_link_libraries(pf_${name} PUBLIC ${ARG_LINK})
    photofinish_sanitize(pf_${name})
  else()
    add_library(pf_${name} INTERFACE)
    target_include_directories(pf_${name} INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
    target_link_libraries(pf_${name} INTERFACE ${ARG_LINK})
  endif()
endfunction()

# Everything of ours, the preload libraries among it: the programs that they live in need not be
# (tests/cli/sanitize_test.py puts the sanitizer's library in front of libc).
function(photofinish_sanitize target)
  if(PHOTOFINISH_SANITIZE)
    # -O1: what is sanitized at -O2 takes twice as long to compile.
    target_compile_options(${target} PRIVATE -O1 -fsanitize=${PHOTOFINISH_SANITIZE} -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${PHOTOFINISH_SANITIZE})
  endif()
endfunction()
