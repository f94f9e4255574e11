# The flags every target of the project is compiled with; consumers get none of them.
add_library(faro_flags INTERFACE)
target_compile_features(faro_flags INTERFACE cxx_std_20)
target_compile_options(faro_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  # g++ 12 sees overlapping copies inside its own std::string operator+ (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # Its garbage collection looks at all of a precompiled header again and again: a fifteenth of the time without.
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>
  $<$<BOOL:${FARO_WERROR}>:-Werror>)
if(FARO_SANITIZE)
  # Without three checks of every pointer, which take a third of the time to compile: the address sanitizer sees what
  # they would see.
  target_compile_options(faro_flags INTERFACE -fsanitize=${FARO_SANITIZE} -fno-sanitize=null,object-size,vptr
                                              -fno-omit-frame-pointer
                                              -fno-sanitize-recover=all
                                              $<$<CXX_COMPILER_ID:Clang>:$<TARGET_PROPERTY:FARO_UNSANITIZED>>)
  target_link_options(faro_flags INTERFACE -fsanitize=${FARO_SANITIZE})
endif()

# faro_unsanitized(TARGET SANITIZER...): what is around the library and compiles faster without these.
function(faro_unsanitized target)
  list(JOIN ARGN "," sanitizers)
  set_property(TARGET ${target} PROPERTY FARO_UNSANITIZED -fno-sanitize=${sanitizers})
endfunction()

# faro_precompile(TARGET [REUSE_FROM OTHER | HEADER...]): the headers of others that most sources include,
# parsed once. It halves a build; nothing depends on it, and installed projects are built without it. Only what
# nearly every source of a target includes pays: g++ instantiates for each what a header's inline functions use.
function(faro_precompile target)
  if(NOT FARO_PRECOMPILE)
    return()
  endif()
  # From a precompiled header g++ 12 no longer knows what is the system's and reports that same bug.
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds>)
  if(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN}
      <algorithm> <array> <bit> <bitset> <cstdint> <cstring> <functional> <map> <memory> <numeric> <optional>
      <set> <span> <sstream> <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)
  endif()
endfunction()

# faro_batches(TARGET [BUT REGEX] [FAST REGEX] [SIZE N]): sources of a folder compiled N at a time, 8 if it is left out, which
# takes half the time: what headers instantiate is made once. So names inside a folder differ, but in those that match BUT;
# FARO_UNBATCHED are those of the library. With SIZE, what includes nlohmann's JSON, the dearest of the headers, is together.
# Batches are compiled with -O1, which takes two thirds of the time of -O3, but in folders that match FAST, where the
# program waits for the code.
set(FARO_UNBATCHED "/src/(arrays|c|engine)/|/papers/(pops|shuffle)|/cube/butterfly_|/json_certificate|/disk/(digest_kernels|box_copy)")
function(faro_batches target)
  if(NOT FARO_BATCHES)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "BUT;FAST;SIZE" "")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(SORT sources)
  set(with_json "")
  if(NOT arg_SIZE)
    set(arg_SIZE 8)
  else()
    foreach(source IN LISTS sources)
      file(STRINGS ${source} json REGEX "nlohmann" LIMIT_COUNT 1)
      if(json)
        list(APPEND with_json ${source})
      endif()
    endforeach()
    list(REMOVE_ITEM sources ${with_json} "")
  endif()
  foreach(source IN LISTS with_json sources)
    cmake_path(GET source PARENT_PATH folder)
    if(arg_BUT AND source MATCHES "${arg_BUT}")
      continue()
    endif()
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE name)
    string(REPLACE "/" "_" name "${name}")
    if(NOT DEFINED count_${name})
      set(count_${name} 0)
    endif()
    math(EXPR batch "${count_${name}} / ${arg_SIZE}")
    math(EXPR count_${name} "${count_${name}} + 1")
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP "${name}_${batch}")
    if(NOT folder MATCHES "${arg_FAST}")
      set_property(SOURCE ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/Unity/unity_${name}_${batch}_cxx.cxx
        PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
    endif()
  endforeach()
endfunction()
