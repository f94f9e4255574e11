// Any bytes as a .npy file: refused with a library error, or read, and then written and read again
// to the same header.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "faro/base/error.hpp"
#include "faro/files/array_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  faro::NpyHeader header;
  try {
    header = faro::parse_npy_header(bytes, "fuzz");
  } catch (const faro::InternalError&) {
    std::abort();
  } catch (const faro::Error&) {
    return 0;
  }
  const std::string written = faro::npy_header_bytes(header);
  faro::NpyHeader again = faro::parse_npy_header(std::as_bytes(std::span(written)), "fuzz");
  if (written.size() % 64 != 0) std::abort();
  again.version = header.version;
  // What bytes the shape makes must be a number, as the parser promised.
  if (again != header || header.data_bytes() > std::uint64_t{1} << 62U) std::abort();
  return 0;
}
