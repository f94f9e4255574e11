// Replaces a file the ways the library can, for the fault-injection test.
//
//   victim map|write IN OUT      the array of IN, every byte inverted, to OUT
//
// Exit code 0; 3 with the message on stderr if the library throws.
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "faro/base/error.hpp"
#include "faro/files/array_file.hpp"

namespace {

void invert(std::span<const std::byte> from, std::span<std::byte> to) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = ~from[i];
}

void by_mapping(const std::string& from, const std::string& to) {
  const faro::ArrayInput input = faro::ArrayInput::npy(from);
  faro::ArrayOutput output(to, input.header());
  invert(input.data(), output.data());
  output.commit();
}

void by_writing(const std::string& from, const std::string& to) {
  faro::InputFile input = faro::InputFile::open(from);
  faro::Replacement output(to);
  std::vector<std::byte> piece(1000);
  while (const std::size_t count = input.read_full(piece)) {
    invert(std::span(piece).first(count), piece);
    output.write(std::span<const std::byte>(piece).first(count));
  }
  output.commit();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  static_cast<void>(::access("/faro-fault-begin", 0));
  try {
    (std::string(argv[1]) == "map" ? by_mapping : by_writing)(argv[2], argv[3]);
  } catch (const faro::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return faro::exit_code(error.code());
  }
  return 0;
}
