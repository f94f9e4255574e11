// Any bytes as what an array says of itself, as the index of a shard and as an encoded chunk:
// refused in words, or read, written again and read as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "disk/crc32c.hpp"
#include "disk/stored/array_form.hpp"
#include "disk/stored/shard_index.hpp"
#include "disk/stored/unit_codec.hpp"
#include "faro/base/error.hpp"
#include "fuzz.hpp"

namespace {

using namespace faro;
using namespace faro::disk;

void written_again(const ArrayForm& form) {
  const std::string text = description_of(form);
  const ArrayForm again = form_of_description(text, "fuzz");
  fuzz::check(description_of(again) == text && again.fill == form.fill &&
              again.shape == form.shape && again.chunks == form.chunks);
  static_cast<void>(form.grid());
  if (!form.is_plain_file()) static_cast<void>(form.key(form.shape));
  for (const auto format : {ArrayForm::Format::zarr3, ArrayForm::Format::zarr2,
                            ArrayForm::Format::npy, ArrayForm::Format::raw})
    fuzz::done_or_refused([&] {
      const std::string changed = named_description(text, "fuzz", {.format = format});
      fuzz::check(form_of_description(changed, "fuzz").type.bytes == form.type.bytes);
    });
}

void index(std::string_view text) {
  if (text.empty()) return;
  const ShardForm form{.index_big = (text[0] & 1) != 0, .index_checksum = (text[0] & 2) != 0};
  text.remove_prefix(1);
  const std::uint64_t chunks = text.size() / 16;
  auto bytes = std::as_bytes(std::span(text)).first(chunks * 16);
  std::vector<std::byte> content(bytes.begin(), bytes.end());
  if (form.index_checksum) {
    const std::uint32_t sum = crc32c(content);
    for (unsigned i = 0; i < 4; ++i) content.push_back(static_cast<std::byte>(sum >> (8 * i)));
  }
  const ShardIndex read = read_index(content, form, 1000, 100, "fuzz");
  for (const ShardEntry& entry : read)
    fuzz::check(entry.is_absent() || (entry.bytes <= 100 && entry.offset <= 1000 - entry.bytes));
  fuzz::check(index_content(read, form) == content);
}

void chunk(std::string_view text) {
  if (text.empty()) return;
  constexpr const char* codecs[] = {"none", "zstd", "gzip", "zlib", "blosc", "lz4"};
  ArrayForm form;
  form.shape = form.chunks = {300};
  form.codecs = codecs_named(codecs[static_cast<unsigned char>(text[0]) % std::size(codecs)], 1);
  form.fill.resize(1);
  const UnitCodec codec(form);
  const auto encoded = std::as_bytes(std::span(text)).subspan(1);
  std::vector<std::byte> unit(300);
  codec.decode(encoded, unit, "fuzz");
  std::vector<std::byte> again(300);
  codec.decode(codec.encode(unit), again, "fuzz");
  fuzz::check(again == unit);
}

void check(std::string_view text) {
  if (text.empty()) return;
  const std::string_view rest = text.substr(1);
  switch (text.front()) {
    case 'z':
      return written_again(form_of_zarr3(rest, "zarr.json"));
    case '2':
      return written_again(form_of_zarr2(rest, "{\"_ARRAY_DIMENSIONS\": [\"x\"]}", ".zarray"));
    case 'd':
      return written_again(form_of_description(rest, "description"));
    case 'i':
      return index(rest);
    default:
      return chunk(rest);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::done_or_refused([&] { check(fuzz::text_of(data, size)); });
}
