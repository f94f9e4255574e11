// What JavaScript calls. Texts are UTF-8 and end with a zero; an answer lives until the next call.
#include <cstddef>
#include <cstdint>
#include <string>

#include "answers.hpp"

extern "C" {

const char* faro_ask(const char* request) {
  static std::string text;
  text = faro::explorer::answer(request);
  return text.c_str();
}

// A schedule file that somebody dropped, of any bytes.
void faro_hold(const char* text, std::size_t size) {
  faro::explorer::hold(std::string(text, size));
}

const std::uint32_t* faro_moves() {
  return faro::explorer::moves().data();
}

std::size_t faro_moves_size() {
  return faro::explorer::moves().size();
}
}
