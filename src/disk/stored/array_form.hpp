// What is said of an array where it is stored, in whichever format: read from that, changed,
// written in that or in another.
//
//   zarr.json, .zarray, a .npy header  --parse-->  ArrayForm  --describe-->  a description
//
// A description is text that says all of it: of Zarr 3 the zarr.json itself; of Zarr 2 its two
// files and of plain files a few words, as one object of JSON:
//
//   {"zarray": {"zarr_format": 2, ...}, "zattrs": {...}}
//   {"npy": "<f4", "shape": [3, 4]}        {"raw": "uint16", "shape": [3, 4]}
//
// Strict: what is not known is refused by its name, so that an array is read as it was meant or not
// at all. Members of zarr.json that say `"must_understand": false` are carried along.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "disk/chunk_codec.hpp"
#include "disk/stored/element_type.hpp"
#include "disk/stored/raw_json.hpp"
#include "disk/stored_array.hpp"

namespace faro::inline v1::disk {

// What a file, or a part of one, of many chunks is: an index of where they lie, at an end of it.
struct ShardForm {
  std::vector<std::uint64_t> shape;
  bool index_first = false;
  bool index_big = false;
  bool index_checksum = true;
};

struct ArrayForm {
  using Format = StoredChanges::Format;
  Format format = Format::zarr3;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> chunks;  // nominal, of what is encoded at once
  std::vector<ShardForm> shards;      // the outermost first; empty: a file is a chunk
  ElementType type;
  bool big = false;
  // Axis k of a chunk as it is encoded, or of a plain file as it lies, is axis order[k] of the
  // array; empty: as they are.
  std::vector<std::size_t> order;
  std::vector<ChunkCodec> codecs;
  bool keys_v2 = false;  // "0.3" instead of "c/0/3"
  char separator = '/';
  std::vector<std::byte> fill;
  std::string fill_text;                 // as it was read; empty: written anew
  std::string attributes;                // an object of JSON; empty: none
  std::vector<std::string> names;        // of dimensions, each JSON; empty: none
  std::vector<RawJson::Member> carried;  // of zarr.json, not known here

  const std::vector<std::uint64_t>& file_shape() const {
    return shards.empty() ? chunks : shards.front().shape;
  }
  bool is_plain_file() const { return format == Format::npy || format == Format::raw; }
  std::uint64_t chunk_bytes() const;
  // Refused before where any of these does not fit.
  std::uint64_t data_bytes() const;
  // "c/0/3".
  std::string key(UnitIndex file) const;
  StoredGrid grid() const;
};

// Of a plain file.
void set_order(ArrayForm& form, ArrayOrder order);

// Of how many parts of each nominal length an axis is.
std::uint64_t parts_of(std::uint64_t length, std::uint64_t part);

// `name` is for messages. Throw Error(usage) for what is no such array, Error(impossible) for what
// is one but not known here, Error(limit).
ArrayForm form_of_zarr3(std::string_view zarr_json, const std::string& name);
// `attributes` is the text of .zattrs, empty where there is none.
ArrayForm form_of_zarr2(std::string_view zarray, std::string_view attributes,
                        const std::string& name);
ArrayForm form_of_description(std::string_view description, const std::string& name);

std::string zarr3_text(const ArrayForm& form);
std::string zarr2_text(const ArrayForm& form);
std::string description_of(const ArrayForm& form);

// As describe_changed(), of what a description says.
std::string named_description(std::string_view description, const std::string& name,
                              const StoredChanges& changes);

// Of dimensions, where an axis is no longer what it was.
void drop_names(ArrayForm& form);

// Checks what formats have in common: as many axes everywhere, sizes that fit.
void check_form(const ArrayForm& form);
// Throws what `read` throws, with the name in front; whatever is wrong with JSON is Error(usage).
ArrayForm named_form(const std::string& name, const std::function<ArrayForm()>& read);

// What a list of lengths, an object or a word is in JSON; throw Error(usage) with `what` in front.
std::vector<std::uint64_t> json_lengths(std::string_view json, const char* what);
// Refuses members other than these, by name.
void refuse_others(const RawJson& object, std::initializer_list<std::string_view> known,
                   const std::string& where);

// "zstd", "zstd:3", "blosc:lz4:5"; "none" is none at all. Throws Error(usage).
std::vector<ChunkCodec> codecs_named(const std::string& words, std::uint64_t element_bytes);
ChunkCodec codec_of_zarr3(std::string_view json, std::uint64_t element_bytes);
ChunkCodec codec_of_zarr2(std::string_view json, std::uint64_t element_bytes);
std::string codec_zarr3(const ChunkCodec& codec);
std::string codec_zarr2(const ChunkCodec& codec);

}  // namespace faro::inline v1::disk
