// What an unfinished run has done, so that it can go on after a crash.
//
//   line 1    JSON of the request, the input and the plan, with its own checksum; a newline
//   then      records of 32 bytes, each appended and synced when what it says is durable:
//
//     0 u32 "FJ01"   4 u16 kind   6 u16 pass   8 u64 count   16 u64 fingerprint   24 u32 slot
//     28 u32 CRC-32C of the 28 before                            all little-endian
//
// A record that is torn or wrong at the end is not there (the power went while it was written);
// anywhere else the journal is damaged, an Error(environment) that names the byte.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "faro/files/array_file.hpp"

namespace faro::inline v1::disk {

struct Record {
  enum class Kind : std::uint16_t {
    tiles = 1,     // `count` tiles of `pass` are durable
    complete = 2,  // the result is durable; only its name is missing
    // In place: the first `count` steps of `pass` were read, and what they write is in the log or
    // in its place; of the last `slot` it may be in the log only.
    logged = 3,
  };
  Kind kind = Kind::tiles;
  std::uint16_t pass = 0;
  std::uint64_t count = 0;
  std::uint64_t fingerprint = 0;
  std::uint32_t slot = 0;
  friend bool operator==(const Record&, const Record&) = default;
};

class Journal {
 public:
  // Reads what there is. Throws Error(environment) for a damaged one.
  explicit Journal(RandomFile& file);

  // Nothing was ever begun: the file is empty, or its first line was cut off by a crash, which
  // happens before anything else is written.
  bool is_blank() const { return header_.empty(); }
  // Line 1 without its checksum: what begin() was given.
  const std::string& header() const { return header_; }
  std::optional<Record> last() const { return last_; }

  // Requires a blank one. Synced when this returns.
  void begin(std::string_view header);
  void append(const Record& record);

 private:
  void read_header();
  void read_records();

  RandomFile& file_;
  std::string header_;
  std::uint64_t end_ = 0;  // where the next record goes
  std::optional<Record> last_;
};

}  // namespace faro::inline v1::disk
