# The flags every target of the project is compiled with; consumers get none of them.
add_library(faro_flags INTERFACE)
target_compile_features(faro_flags INTERFACE cxx_std_20)
target_compile_options(faro_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  # g++ 12 sees overlapping copies inside its own std::string operator+ (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${FARO_WERROR}>:-Werror>)
if(FARO_SANITIZE)
  target_compile_options(faro_flags INTERFACE -fsanitize=${FARO_SANITIZE} -fno-omit-frame-pointer
                                              -fno-sanitize-recover=all)
  target_link_options(faro_flags INTERFACE -fsanitize=${FARO_SANITIZE})
endif()
