// Any bytes as a safetensors file: refused with a library error, or read, and then written and read
// again to the same header.
#include "checkpoints/safetensors.hpp"

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace faro::checkpoints;
  const auto bytes = std::as_bytes(std::span(data, size));
  return fuzz::done_or_refused([&] {
    SafeHeader header = parse_safetensors(bytes, size, "fuzz");
    const std::string written = safetensors_bytes(header);
    fuzz::check(written.size() % 8 == 0);
    const std::uint64_t held = size - header.data_start;
    const SafeHeader again =
        parse_safetensors(std::as_bytes(std::span(written)), written.size() + held, "fuzz");
    header.data_start = written.size();
    fuzz::check(again == header);
    std::uint64_t at = 0;
    for (const SafeTensor& tensor : header.tensors) {
      fuzz::check(tensor.begin == at);
      at = tensor.end;
    }
    fuzz::check(at == held);
  });
}
