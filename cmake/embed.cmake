# Writes the text of IN as string literals of at most 8000 bytes, the longest every compiler takes.
file(READ ${IN} text HEX)
string(LENGTH "${text}" digits)
set(body "")
set(at 0)
while(at LESS digits)
  string(SUBSTRING "${text}" ${at} 4000 piece)
  string(REGEX REPLACE "(..)" "0x\\1," piece "${piece}")
  string(APPEND body "    ${piece}\n")
  math(EXPR at "${at} + 4000")
endwhile()
file(WRITE ${OUT} "#include <string_view>\n\nnamespace faro::inline v1::tables {\n"
  "namespace {\nconst char bytes[] = {\n${body}    0};\n}  // namespace\n"
  "extern const std::string_view ${NAME};\n"
  "const std::string_view ${NAME}{bytes, sizeof(bytes) - 1};\n}  // namespace faro::inline v1::tables\n")
