# faro_table(TARGET FILE NAME): the bytes of FILE become `extern const std::string_view NAME` in namespace
# faro::tables. Tables found by search are data; the build turns them into sources.
function(faro_table target file name)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/tables/${name}.cpp)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DIN=${file} -DOUT=${out} -DNAME=${name}
            -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${file} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${out})
endfunction()

# All of them: for the library, and for the page.
function(faro_tables target)
  faro_table(${target} ${PROJECT_SOURCE_DIR}/data/conversion_tables.json conversion)
  faro_table(${target} ${PROJECT_SOURCE_DIR}/data/bound_weights.json bound_weights)
endfunction()
