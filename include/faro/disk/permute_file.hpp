// Rearranges an array in a file, however large, within a cap of memory, so that nothing is lost.
//
//   permute_file("big.raw", "out.raw", say("i:37 -> rev(i)").map.as_bits(), {.element_bytes = 8},
//                {.plan = {.memory_bytes = bit(31)}});
//
// The input is not touched. The output is what it was, or absent, until it is complete: it grows in
// the folder .OUT.faro beside it with a journal, is synced to disk, and takes its name in one step.
// Space for all of it is reserved before the first byte. After a crash, a kill or a power failure
// at any point resume_file() goes on from the last checkpoint. Errors are Error(environment) with
// what failed, and leave a state from which to go on; only where nothing was done yet the folder
// goes.
//
// In place the array is given another name in that folder until it is whole, and what is about to
// be overwritten with what stands in a log of two tiles; the same promises hold, but that there is
// no going back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/algebra/map.hpp"
#include "faro/base/count.hpp"
#include "faro/base/progress.hpp"
#include "faro/engine/permute_plan.hpp"
#include "faro/files/array_file.hpp"

// A plan for rearranging an array larger than memory: passes over a file, each a read and a write
// of everything, with a cap on the memory that holds from the first byte to the last.
//
//   const auto plan = FilePermutePlan::out_of_place(
//       say("i:37 -> rev(i)").map.as_bits(), {.element_bytes = 8}, {.memory_bytes = bit(31)});
//   plan.facts().passes        one: 2048 tiles of 512 MiB, runs of 64 KiB read and written
//   plan.execute({.from = *in, .to = *out});
//
// Making a plan opens no file and takes less than a millisecond for 2^60 elements. Memory: three
// tiles (the next is read while one is permuted and the last is written) and 48 MiB for everything
// else. How many passes are needed, and why no plan has fewer: docs/disk.md. Of the plans within
// memory the one is taken whose reads and writes cost least on the device (DiskProfile).
//
// Every plan is checked when it is made: its passes compose to the map, its tiles fit and hold
// whole runs. A range of the tiles of a pass can be performed alone: tiles touch different places,
// so that several machines may share the work on one file.

namespace faro::inline v1 {

// What a device costs: bytes a second in order, and nanoseconds for each separate run. Guesses for
// a class of devices, or measured.
struct DiskProfile {
  std::string name;
  std::uint64_t read_bytes_per_second = 0;
  std::uint64_t read_run_nanoseconds = 0;
  std::uint64_t write_bytes_per_second = 0;
  std::uint64_t write_run_nanoseconds = 0;

  static DiskProfile ssd();      // 3 and 2 GB/s, 400 and 300 thousand runs a second
  static DiskProfile cloud();    // 250 MB/s, 3000 runs a second
  static DiskProfile network();  // 400 MB/s, 2 ms a run
  static DiskProfile hdd();      // 200 MB/s, 8 ms a run
  // What reads and writes in `folder` really cost: of a file of three times so many bytes, made
  // there and removed, in order and in scattered runs of 16 KiB, with as much under way as files
  // are permuted with. Throws Error(environment).
  static DiskProfile measured(const std::string& folder,
                              std::uint64_t bytes = std::uint64_t{1} << 28U, int io_threads = 4);
  // Throws Error(usage) listing the names.
  static DiskProfile named(std::string_view name);
  // JSON of format faro-disk-profile/1, and back; Error(usage) names the file that it is from.
  std::string text() const;
  static DiskProfile parse(std::string_view text, const std::string& file);
};

struct FilePlanOptions {
  // A cap on all that the process holds, page cache that it dirties included.
  std::uint64_t memory_bytes = std::uint64_t{1} << 30U;
  DiskProfile profile = DiskProfile::ssd();
  // No run is shorter, a whole array excepted; 0 leaves it to the cost.
  std::uint64_t run_bytes_min = 0;
  // Exactly so many passes; 0 leaves it to the cost.
  int passes = 0;
  // A tile takes no more, whatever memory allows.
  std::uint64_t tile_bytes_max = UINT64_MAX;
  // The input is read, and the output written, in whole aligned pieces of so many bytes: a unit
  // times a power of two, as encoded chunks are.
  std::uint64_t input_piece_bytes = 1;
  std::uint64_t output_piece_bytes = 1;
  // Out of place: plans of several passes may have a temporary file of the data's size. Without one
  // the passes after the first work within the output, and write everything to a log besides.
  bool temporary = true;
};

struct FilePassFacts {
  BitMap map;                     // on indices of units; of no bits for axes of any length
  std::vector<Word> tile;         // a basis of the space whose cosets are the tiles
  std::vector<Word> blocks = {};  // of each length, in the order of the source
  std::uint64_t tile_bytes = 0;
  Count tiles = 0;
  std::uint64_t read_run_bytes = 0;
  std::uint64_t write_run_bytes = 0;
  Count reads = 0;  // requests: runs, cut to at most 1 MiB each
  Count writes = 0;
  Count log_writes = 0;  // in place: requests to the log, before what it says is overwritten
  std::string from;      // "input", "temporary", "output", "array"; the same as `to` in place
  std::string to;
  double seconds = 0;  // by the profile
};

struct FilePlanFacts {
  std::vector<FilePassFacts> passes;
  int passes_bound = 1;  // no plan with these tiles and runs has fewer passes
  std::string bound_reason;
  std::uint64_t unit_bytes = 0;  // what the map moves as one: the element with its inner axes
  Count data_bytes = 0;
  std::uint64_t memory_bytes = 0;
  Count temporary_bytes = 0;
  Count log_bytes = 0;  // two tiles, for passes in place
  double seconds = 0;   // by the profile
  std::string profile;
};

// What was really done; equal to the facts, or it is a bug.
struct FileCounts {
  Count reads = 0;
  Count writes = 0;
  Count bytes_read = 0;
  Count bytes_written = 0;
  friend bool operator==(const FileCounts&, const FileCounts&) = default;
};

struct FileExecution {
  RandomFile& from;
  RandomFile& to;
  RandomFile* temporary = nullptr;  // of the data's size; needed for more than one pass
  PermuteOptions permute = {.threads = 0, .simd = Simd::automatic, .stores = Stores::automatic};
  int io_threads = 4;  // as in ResumeFileOptions (faro/disk/permute_file.hpp)
  Progress progress = {};
};

class FilePermutePlan {
 public:
  // Throw Error(usage) for a shape of no bytes, Error(limit) for arrays past 2^62 bytes of a file's
  // offset in `execute` only, Error(impossible) where memory or runs do not allow a plan, naming
  // the least that does.
  // A map with lengths takes one pass, whose tiles are blocks of the lengths and cosets of the
  // bits; Error(impossible) for options that ask for several.
  static FilePermutePlan out_of_place(const Map& map, const PermuteShape& shape,
                                      const FilePlanOptions& options);
  // The array is its own output: ceil(rank / (bits of a tile - bits of a run)) passes and at most
  // one that moves whole runs. Besides the array it takes two tiles of the disk. A map with lengths
  // takes one pass over units that stay together; Error(impossible) where those are short.
  static FilePermutePlan in_place(const Map& map, const PermuteShape& shape,
                                  const FilePlanOptions& options);

  const FilePlanFacts& facts() const;
  // Lines as `faro permute --plan` prints them, and JSON of format faro-file-plan/1.
  std::string describe() const;
  std::string json() const;

  // Every pass, one after another. `from` is not changed; `to` and the temporary file are reserved
  // by the caller. In place `to` is the array, and `from` is not used. Nothing is synced or logged.
  FileCounts execute(const FileExecution& execution) const;
  // Tiles first .. first + count - 1 of one pass, from `from` to `to`, which are the files that its
  // facts name. Tiles of a pass may be performed in any order, anywhere, again and again; those of
  // a pass in place may not, which is an Error(usage).
  struct Tiles {
    int pass = 0;
    std::uint64_t first = 0;
    std::uint64_t count = 0;
  };
  FileCounts execute_tiles(const Tiles& tiles, const FileExecution& execution) const;

  struct State;
  const State& state() const { return *state_; }

 private:
  explicit FilePermutePlan(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

struct ResumeFileOptions {
  FileIo io = FileIo::automatic;
  int threads = 0;  // of the permuting; 0: one for each core that the process has
  // Requests of 1 MiB read at a time, and as many written; of shorter ones up to four times as
  // many. 0 reads and writes in turn.
  int io_threads = 4;
  // The work that a kill may cost; 0 makes a checkpoint of every tile.
  double checkpoint_seconds = 10;
  Progress progress = {};
  // Of resume_file: the caller knows that nothing but names and times changed since the run
  // began, as where its folder was copied or restored. Sizes and samples must still be the same,
  // but for the samples of an array that is half rearranged in place.
  bool unchanged = false;
};

struct PermuteFileOptions : ResumeFileOptions {
  FilePlanOptions plan = {};
  std::uint64_t input_start_byte = 0;  // where the array begins in the input
  std::string output_start = {};       // what stands before it in the output
  std::string temporary_folder = {};   // for plans of several passes; beside the output if empty
  // An unfinished run of this output is an Error(usage) that says so, or is begun anew.
  enum class Unfinished { refuse, fresh };
  Unfinished unfinished = Unfinished::refuse;
  // Sums a fingerprint over every element and its place while the input is read, and again by
  // reading the finished output; Error(refused) if they differ, and no output.
  bool verify = false;
};

struct PermuteFileReport {
  FilePlanFacts plan;
  FileCounts counts;                // of this run
  std::uint64_t resumed_bytes = 0;  // that an earlier run had done, all passes together
  bool verified = false;
  double seconds = 0;
};

PermuteFileReport permute_file(const std::string& in, const std::string& out, const Map& map,
                               const PermuteShape& shape, const PermuteFileOptions& options = {});
// The array in a file becomes the rearranged one, without the space of a second. What stands before
// the array, options.input_start_byte bytes, stays; options.output_start is not looked at.
PermuteFileReport permute_in_place(const std::string& file, const Map& map,
                                   const PermuteShape& shape,
                                   const PermuteFileOptions& options = {});
// Goes on with an unfinished run, by what its journal says. Error(usage) if there is none,
// Error(environment) if the input was changed meanwhile or the journal is damaged.
PermuteFileReport resume_file(const std::string& out, const ResumeFileOptions& options = {});

// What an unfinished run of this output has done, in words; empty if there is none.
std::string describe_unfinished(const std::string& out);

// Rearranges a Zarr array (version 3, a folder), however large, within a cap of memory: permuting,
// transposing and cutting it into other chunks, all in one.
//
//   permute_zarr("a.zarr", "b.zarr", say("r:14 c:14 -> c r").map.as_bits(),
//                {.chunks = {1024, 1024}}, {.plan = {.memory_bytes = bit(31)}});
//
// Where elements lie in chunks of powers of two is a permutation of index bits, so that storage to
// storage is one affine map, and passes are counted as for any file (docs/disk.md). Chunks may be
// in shards, and encoded with crc32c, zstd and blosc, where those are built in. What is said in
// permute_file.hpp of input, output, journal and resume_file() holds here; the output must not be
// there yet.

// What is left out stays as it is in the input.
struct ZarrOptions {
  std::vector<std::uint64_t> shape = {};  // as many elements
  std::vector<std::uint64_t> chunks = {};
  std::vector<std::uint64_t> shards = {};  // of several chunks each
  std::optional<std::string> codec = {};   // "none", "zstd", "blosc"
};

// True for a folder that has a zarr.json.
bool is_zarr(const std::string& path);
std::vector<std::uint64_t> zarr_shape(const std::string& path);

// The map acts on the array in C order; one of no bits means the identity. Of `options` the start
// bytes must be left out.
FilePermutePlan plan_zarr(const std::string& in, const BitMap& map, const ZarrOptions& zarr,
                          const FilePlanOptions& options);
PermuteFileReport permute_zarr(const std::string& in, const std::string& out, const BitMap& map,
                               const ZarrOptions& zarr, const PermuteFileOptions& options = {});

// Several processes, on one machine or many, rearrange one file on a file system that they share.
//
//   permute_file_tiles("big.raw", "out.raw", map, {.element_bytes = 8},
//                      {.pass = 0, .first = 0, .count = 512}, {.plan = {.memory_bytes = bit(31)}});
//
// The plan depends on nothing but map, shape and options, so that all who say the same have the
// same one; FilePermutePlan says how many passes and tiles it has. Each performs ranges of tiles,
// in any order. A range is on the disk before a note of it appears in the folder .OUT.faro-shared
// beside the output; one that was stopped is done again, by anyone. A pass begins when every tile
// of the one before is noted. Whoever notes the last tile of the last pass gives the output its
// name; until then it is what it was, or absent.

struct TileRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

struct FileTilesReport {
  FilePlanFacts plan = {};
  FileCounts counts = {};
  std::vector<TileRange> missing = {};  // tiles of this pass that nobody has noted
  bool complete = false;                // the output has its name
  double seconds = 0;
};

// Throws Error(usage) where the plan has no such tiles, an earlier pass is not complete, or another
// request for this output was begun; Error(environment) for what the system refuses. Of the options
// `temporary_folder` and `verify` must be left out: what is shared lies beside the output, and
// nobody sees all of it.
FileTilesReport permute_file_tiles(const std::string& in, const std::string& out, const Map& map,
                                   const PermuteShape& shape, const FilePermutePlan::Tiles& tiles,
                                   const PermuteFileOptions& options = {});

}  // namespace faro::inline v1
