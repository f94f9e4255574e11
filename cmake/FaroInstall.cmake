# Install rules: the library with its headers and CMake package, faro.pc, the program with its manual
# page and completions. The C library joins them where it is built.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/faro)

install(TARGETS faro EXPORT faro-targets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/faro DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN *.hpp PATTERN *.h)
install(EXPORT faro-targets NAMESPACE faro:: DESTINATION ${package_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/faroConfig.cmake.in
  ${PROJECT_BINARY_DIR}/faroConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/faroConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/faroConfig.cmake ${PROJECT_BINARY_DIR}/faroConfigVersion.cmake
        DESTINATION ${package_dir})

# From lib/pkgconfig (or lib/<triplet>/pkgconfig) back to the prefix.
string(REGEX REPLACE "[^/]+" ".." FARO_PC_TO_PREFIX ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
configure_file(${PROJECT_SOURCE_DIR}/cmake/faro.pc.in ${PROJECT_BINARY_DIR}/faro.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/faro.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET faro_c)
  install(TARGETS faro_c EXPORT faro-targets)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/faro_c.pc.in ${PROJECT_BINARY_DIR}/faro_c.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/faro_c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

if(FARO_PROGRAM)
  install(TARGETS faro_program)
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/faro.1
          DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  if(NOT CMAKE_CROSSCOMPILING)
    set(completions ${PROJECT_BINARY_DIR}/completions)
    install(FILES ${completions}/faro
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${completions}/_faro DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${completions}/faro.fish
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
endif()
# The page is built apart (preset wasm); where it is, `faro explorer` finds it beside the program.
# By code: an OPTIONAL file that is not there leaves an empty folder.
set(page ${PROJECT_SOURCE_DIR}/build/wasm/explorer.html)
install(CODE "if(EXISTS \"${page}\")
  file(INSTALL \"${page}\" DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/faro\")
endif()")
# README with the pages that it links to, each where the links look for it.
foreach(page LICENSE README.md ARCHITECTURE.md CITATION.cff HACKING.md)
  install(FILES ${PROJECT_SOURCE_DIR}/${page} DESTINATION ${CMAKE_INSTALL_DOCDIR})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/notebooks ${PROJECT_SOURCE_DIR}/examples/jobs
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall VERBATIM
    COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt -P ${PROJECT_SOURCE_DIR}/cmake/Uninstall.cmake)
endif()
