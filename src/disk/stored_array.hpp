// An array as it is stored: the grid of units that it is cut into, and units that are read whole
// and written once. What rearranges arrays of any lengths stands on this alone; Zarr of versions 2
// and 3, .npy and raw files are behind it, and tests put arrays in memory there.
//
//   shape 1402 x 2596, chunks 64 x 64, shards 512 x 512, uint16
//     units    22 x 41, each of 64 x 64 elements = 8192 bytes: what is decoded, or encoded, at once
//     files     3 x  6, each of  8 x  8 units: at the array's end too, where some are never there
//
// A unit has always the nominal size, in C order: where it hangs over the end of the array the rest
// is padding, which a reader ignores and a writer fills with the fill value. Elements are always
// little-endian here (of complex numbers each half): a store that has them otherwise swaps them.
//
// A plain file has one unit, the whole array, which is read and written in runs of any bytes. Its
// axes may lie in another order: that of Fortran.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faro/disk/rechunk.hpp"

namespace faro::inline v1::files {
class ChunkFolder;
}

namespace faro::inline v1::disk {

struct StoredGrid {
  enum class Encoding {
    run,       // a plain file: any bytes are read or written at any place
    unit,      // units whole: a call holds what `reading_bytes`, `writing_bytes` say besides
    streamed,  // likewise, but the codec works through a window: these do not grow with a unit
  };
  std::vector<std::uint64_t> shape;   // no axes: one element
  std::vector<std::uint64_t> chunks;  // nominal: may be longer than the axis; of a run the shape
  std::vector<std::uint64_t> shards;  // nominal, multiples of `chunks`; empty: a file is a chunk
  std::uint64_t element_bytes = 1;
  Encoding encoding = Encoding::unit;
  std::vector<std::size_t> order = {};  // of a run: its axes, the slowest first; empty: C order
  bool encoded = false;  // what is stored is not the elements as they are: decoding costs time
  // Bytes that one call of read_unit, and of append, holds beside the caller's buffer, at most.
  std::uint64_t reading_bytes = 0;
  std::uint64_t writing_bytes = 0;
};

// Of an axis, or of the array, by place.
using UnitIndex = std::span<const std::uint64_t>;

// A file of the output that is being written: under a name of its own (process, host), so that two
// who write the same one do not meet. Nothing stays behind where it is destroyed before it has its
// name. One thread at a time.
class StoredFile {
 public:
  virtual ~StoredFile() = default;
  // Unit `index` of the array, whole, in any order, each at most once. A unit that is never
  // appended is absent; one whose bytes are all those of the fill value may be left out, too.
  virtual void append(UnitIndex index, std::span<const std::byte> unit) = 0;
  // No unit follows: a shard's index is written. No descriptor stays open.
  virtual void seal() = 0;
  // It has no unit that is not absent, and gets no name.
  virtual bool is_empty() const { return false; }
};

class StoredArray {
 public:
  enum class Found { present, absent };

  virtual ~StoredArray() = default;
  virtual const StoredGrid& grid() const = 0;
  // As NumPy and Zarr 3 name it: "float32", "complex64", "bool", "r24".
  virtual const std::string& data_type() const = 0;
  // The bytes of one element, little-endian, which absent units are full of.
  virtual std::span<const std::byte> fill() const = 0;
  // For messages: the path.
  virtual const std::string& name() const = 0;
  // Text that says what create_stored() makes such an array of, and what read_grid() reads.
  virtual const std::string& description() const = 0;
  // Text that is another one when the content was changed (as well as files tell: sizes, times,
  // samples). Kept in journals, compared when work goes on and when all was read.
  virtual std::string identity() const = 0;

  // Reading: any threads at the same time. Errors are Error(environment), naming the file.
  // Units: `index` counts them on each axis; the buffer has the nominal size of a unit. An absent
  // unit leaves the buffer as it is.
  virtual Found read_unit(UnitIndex index, std::span<std::byte> unit) = 0;
  // Runs, of Encoding::run only: bytes of the elements in the grid's order.
  virtual void read_run(std::uint64_t first_byte, std::span<std::byte> into) = 0;
  // Where runs are not in C order: from now on there are units, of some MiB, for those who need it.
  virtual void cut_into_units() {}

  // Writing, of what create_stored() made. Different files at the same time, also by other
  // processes and the same file twice: what has its name is always whole, and the last one wins.
  // `index` counts files (shards, or units where there are none) on each axis.
  virtual std::unique_ptr<StoredFile> begin_file(UnitIndex index) = 0;
  // Gives sealed files their names: content durable first, then the names, then those durable. A
  // file without a unit gets none, and one that an earlier run left under the name goes.
  virtual void finish(std::span<const std::unique_ptr<StoredFile>> files) = 0;
  // Whether a file has its name, and how many have; true and nothing where nobody can tell.
  virtual bool has_file(UnitIndex /*index*/) const { return true; }
  virtual std::optional<std::uint64_t> count_files() const { return std::nullopt; }
  // Runs, of Encoding::run only; ranges that do not overlap at the same time.
  virtual void write_run(std::uint64_t first_byte, std::span<const std::byte> from) = 0;
  // Everything that was written survives a power failure when this returns.
  virtual void sync() = 0;
  // All is written: what makes an array of it (zarr.json, a header) comes last, durably.
  virtual void complete() = 0;
};

// Opens a .npy file, a folder with zarr.json or .zarray, or, where `raw` says what it holds, any
// file. Throws Error(usage) for what is none of these, Error(impossible), by name, for what is not
// known, Error(environment) for what the system refuses. Units are in C order, whatever order
// chunks are stored in.
std::unique_ptr<StoredArray> open_stored(const std::string& path,
                                         const std::optional<RawArray>& raw = {});

// A Zarr array that lies in no folder of this system has a name that begins with "outside:", and
// whoever knows such names, as the package for Python does, says once how they are opened. Without
// that they are refused.
using OutsideOpener = std::function<std::shared_ptr<files::ChunkFolder>(const std::string& name)>;
void open_outside_by(OutsideOpener opener);
bool is_outside(std::string_view path);
// The name as it is, or the path from the root.
std::string whole_name(const std::string& path);

// What an output is to be, where it is not as the array it is made from.
struct StoredChanges {
  enum class Format { zarr3, zarr2, npy, raw };
  std::optional<Format> format = {};  // of the path given by format_of(), or as the source
  // Of the output's axes. Neither: as they are, in the order of `axes`. Chunks alone: no shards;
  // shards alone: chunks as they are.
  std::vector<std::uint64_t> chunks = {};
  std::vector<std::uint64_t> shards = {};
  std::optional<std::string> codec =
      {};  // "none", "zstd", "zstd:3", "gzip", "blosc:lz4:5", ..; as the source
  std::vector<std::size_t> axes = {};  // axis k of the output is axis axes[k]; empty: as they are
  ArrayOrder order = ArrayOrder::c;    // of a plain file
  // Another shape (of as many elements), where a map splits or joins axes: their names go.
  std::vector<std::uint64_t> shape = {};
};
// ".npy", ".raw" and ".bin" by their ends; all else a folder of version 3.
StoredChanges::Format format_of(const std::string& path);
// The description of the output: attributes and names of dimensions go with the axes. Throws
// Error(usage) where chunks or shards do not fit.
std::string describe_changed(const StoredArray& array, const StoredChanges& changes);
// What a description says, without a file.
StoredGrid read_grid(std::string_view description);

// Makes an array that is to be written at `path` (which a rename moves to its name when it is
// complete), or goes on with the one that is there from an earlier run with this description. Space
// for a plain file is reserved. Of what must be begun nothing is made anew where it is gone.
enum class Begun { perhaps, must_be };
std::unique_ptr<StoredArray> create_stored(const std::string& path, std::string_view description,
                                           Begun begun = Begun::perhaps);

// Paths of the arrays in a group, relative to it, sorted; {""} where it is itself an array.
std::vector<std::string> stored_arrays(const std::string& path);
// Copies what a group says of itself (zarr.json, .zgroup, .zattrs) for each group in it, not the
// arrays; then consolidated metadata, made anew from what `to` has, where `from` had some.
void copy_groups(const std::string& from, const std::string& to);

}  // namespace faro::inline v1::disk
