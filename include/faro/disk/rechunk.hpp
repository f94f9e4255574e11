// Changes the chunks, the shards and the order of the axes of an array of any lengths, however
// large, within a cap of memory that holds, in the fewest passes, and says by a digest that nothing
// was lost.
//
//   rechunk("maps.zarr", "series.zarr", {.chunks = {365, 72, 144}, .memory_bytes = bit(31)});
//
// In and out are Zarr arrays (version 3 or 2), .npy files or raw ones, in any pairing. The input is
// not touched. The output grows in .OUT.faro beside it, with a journal of the jobs done, and takes
// its name when it is complete and the digest of what was read is that of what was written: until
// then there is none. After a crash, a kill or a power failure at any point rechunk() with
// Unfinished::resume goes on. How passes are planned and why there are no fewer: docs/disk.md; the
// digest: faro/disk/rechunk.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faro/base/count.hpp"
#include "faro/disk/permute_file.hpp"
#include "faro/engine/permute_plan.hpp"

// The digest of an array's content, which no cutting into chunks, files or jobs changes.
//
//   Digest whole;                               Digest upper, lower;
//   whole.run(0, bytes);                        upper.run(0, first_half);   lower.run(half, rest);
//                                               upper.add(lower);           the same value
//   whole.published("float32", {721, 1440})     "fd1:7ae8ead3d972949f05f144b388f0394d"
//
// Definition (faro-digest/1): the bytes of the array in C order, elements little-endian, are words
// of 8 bytes w_0, w_1, .., the last filled up with zeros. With p = 2^127 - 1 and the generator
// r = 0x371b37f78b9801eedc8ce27f41fd7576 of the numbers below p
//
//   D = w_0 + w_1 r + w_2 r^2 + ..  mod p
//   published = "fd1:" and 32 digits of SHA-256("faro-digest/1 TYPE SHAPE D\n")
//
// Byte b weighs 2^(8 (b mod 8)) r^(b div 8), so any part in any order adds its share. A change
// within one word, and an exchange of two words that differ, always changes D; two arrays that
// were fixed before r have the same D with a chance of words / 2^127. It is no signature: whoever
// wants two arrays of one D finds them. Zeros weigh nothing, so bytes are counted beside.

namespace faro::inline v1 {

namespace disk {
struct DigestKernel;
}

// A box of an array in C order.
struct ArrayBox {
  std::span<const std::uint64_t> shape;   // of the array, in elements
  std::span<const std::uint64_t> start;   // of the box in it
  std::span<const std::uint64_t> extent;  // of the box
  std::uint64_t element_bytes = 1;
};

class Digest {
 public:
  Digest() : Digest(Simd::automatic) {}
  // Kernels as in PermuteOptions.
  explicit Digest(Simd simd);

  // Bytes that stand at first_byte, .. of the array in C order.
  void run(std::uint64_t first_byte, std::span<const std::byte> bytes);
  // Elements that stand one after another here and `stride_bytes` apart in the array, the first at
  // first_byte.
  void column(std::uint64_t first_byte, std::uint64_t stride_bytes, std::uint64_t element_bytes,
              std::span<const std::byte> bytes);
  // The box's elements, in C order; `held` says of what box they are the first corner of, where
  // what holds them is larger (the buffer of a chunk over the array's end). Each extent of `held`
  // is at least that of the box.
  void box(const ArrayBox& box, std::span<const std::byte> bytes,
           std::span<const std::uint64_t> held = {});
  // The same for a box all of whose elements are `element`: no element is looked at.
  void constant_box(const ArrayBox& box, std::span<const std::byte> element);
  // The share of another part.
  void add(const Digest& share);

  // D, the most significant half first.
  std::array<std::uint64_t, 2> value() const { return value_; }
  Count bytes() const { return bytes_; }
  // What value() and bytes() said elsewhere. Throws Error(usage) for no number below p.
  static Digest from(const std::array<std::uint64_t, 2>& value, Count bytes);

  std::string hex() const;  // D in 32 digits
  // Throws Error(refused) where the bytes counted are not those of the shape.
  std::string published(std::string_view data_type, std::span<const std::uint64_t> shape,
                        std::uint64_t element_bytes) const;

 private:
  std::array<std::uint64_t, 2> value_{};
  Count bytes_;
  const disk::DigestKernel* kernel_;
};

// How a plain file lies: its last axis runs fastest, or its first.
enum class ArrayOrder { c, fortran };

// Of a raw file, which says nothing itself.
struct RawArray {
  std::vector<std::uint64_t> shape;
  std::string data_type;  // "float32"
  std::uint64_t start_byte = 0;
  ArrayOrder order = ArrayOrder::c;
};

struct RechunkOptions {
  // Of the output's axes; what is left out stays as it is in the input.
  std::vector<std::uint64_t> chunks = {};
  std::vector<std::uint64_t> shards = {};
  std::vector<std::size_t> axes = {};     // axis k of the output is axis axes[k] of the input
  std::vector<bool> reversed = {};        // of the output's axes: n-1-x arrives
  std::optional<std::string> codec = {};  // "none", "zstd", "zstd:3", "gzip", "blosc:lz4:5"
  std::optional<RawArray> raw = {};       // of a raw input
  int zarr_format = 3;                    // of an output that is a folder: 2 or 3
  ArrayOrder order = ArrayOrder::c;       // of an output that is a plain file
  // A cap on all that the process holds, 48 MiB for the program included.
  std::uint64_t memory_bytes = std::uint64_t{1} << 31U;
  DiskProfile profile = DiskProfile::ssd();
  int passes = 0;   // exactly so many, 1 to 3; 0: what costs least
  int threads = 0;  // 0: one for each core that the process has
  // An unfinished run of this output is an Error(usage), is begun anew, or is gone on with (by what
  // its journal says; the options that it was begun with are used).
  enum class Unfinished { refuse, fresh, resume };
  Unfinished unfinished = Unfinished::refuse;
  // Reads the finished output once more, before it has its name, and compares its digest.
  bool verify = false;
  // Where chunks and metadata of the output go if it lies in another store than the journal, which
  // is in .OUT.faro then as ever: a name that disk::open_outside_by() knows.
  std::string outside = {};
  Progress progress = {};
};

struct RechunkPass {
  std::vector<std::uint64_t> tile;  // the steps of its tiles
  Count tiles;
  Count jobs;
  Count reads;
  Count writes;
  Count bytes_read;
  std::uint64_t peak_bytes = 0;
};

struct RechunkFacts {
  std::vector<RechunkPass> passes;
  Count data_bytes;
  Count temporary_bytes;
  std::uint64_t memory_bytes = 0;
  std::uint64_t peak_bytes = 0;
  int passes_bound = 1;
  std::string bound_reason;
  double seconds = 0;    // by the profile
  std::string describe;  // lines as `faro rechunk --plan` prints them
  std::string json;      // faro-box-plan/1
};

struct RechunkReport {
  std::string in;  // paths
  std::string out;
  RechunkFacts plan;
  Count reads;  // of this run
  Count bytes_read;
  Count writes;
  std::uint64_t resumed_jobs = 0;  // that an earlier run had done
  std::string digest;              // published: "fd1:.."
  bool verified = false;
  double seconds = 0;

  std::string describe() const;  // the line that `faro rechunk` prints
  std::string json() const;      // its row of faro-rechunk/1
};

// Nothing is read but what the input says of itself. Throw Error(usage) for what does not fit,
// Error(impossible) where memory does not do, naming the least that does.
RechunkFacts plan_rechunk(const std::string& in, const std::string& out,
                          const RechunkOptions& options);
// Also Error(environment) for what the system refuses, a changed input or a second process;
// Error(refused) where the digests differ, and then no output; Error(cancelled).
RechunkReport rechunk(const std::string& in, const std::string& out, const RechunkOptions& options);

// Share number `worker` of `workers` that work on one output on a file system that they share,
// each begun with the same input, options and number of workers. Each does its jobs of a pass,
// waits until all of the pass are noted, and goes on; who comes last gives the output its name.
struct RechunkShare {
  std::uint64_t worker = 0;  // 0 .. workers - 1
  std::uint64_t workers = 1;
};
RechunkReport rechunk_share(const std::string& in, const std::string& out,
                            const RechunkShare& share, const RechunkOptions& options);

// What an array holds, read once.
struct ArrayDigest {
  std::string data_type;
  std::vector<std::uint64_t> shape;
  std::uint64_t element_bytes = 1;
  Digest digest;
  std::string published() const { return digest.published(data_type, shape, element_bytes); }
};
struct DigestOptions {
  std::optional<RawArray> raw = {};
  // A cap as in RechunkOptions; 0: none, and chunks beyond 64 MiB are read one at a time.
  std::uint64_t memory_bytes = 0;
  int threads = 0;  // 0: one for each core that the process has
  Progress progress = {};
};
// Throws Error(impossible) where the memory does not hold one chunk, naming what does.
ArrayDigest digest_array(const std::string& path, const DigestOptions& options = {});
// Names of the arrays in a group, sorted; {""} of an array.
std::vector<std::string> arrays_in(const std::string& path);
// What groups say of themselves, copied; after their arrays.
void copy_group_words(const std::string& from, const std::string& to);
// Whether an unfinished rechunking of this output is there.
bool has_unfinished_rechunk(const std::string& out);
// Of dimensions, where the array says them, else empty; its shape and its chunks.
struct ArrayWords {
  std::vector<std::string> names;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> chunks;
  std::uint64_t element_bytes = 1;
};
ArrayWords array_words(const std::string& path, const std::optional<RawArray>& raw = {});

// Compares element by element what rechunking `a` by these axes gives with `b`. Memory and threads
// as in the options; chunks, codec and what is unfinished are not looked at.
struct CheckReport {
  Count different;                   // elements
  std::vector<std::uint64_t> first;  // the first of these in C order of b
  std::vector<std::uint64_t> first_in_a;
  std::string value_a;  // its bytes, or a number where the type is one
  std::string value_b;
  std::vector<std::uint64_t> chunk_a;  // numbers of the chunks that hold it
  std::vector<std::uint64_t> chunk_b;
  std::string digest_a;  // of a, in the order of b
  std::string digest_b;
  bool equal() const { return different == Count{}; }
};
CheckReport check_arrays(const std::string& a, const std::string& b,
                         const RechunkOptions& options = {});

}  // namespace faro::inline v1
