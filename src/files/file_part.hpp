// A range of a file as memory: read, or written beside processes that write the other ranges.
//
//   FilePart part("a.raw", 1000, 1 << 30, FilePart::Access::write, FilePart::Hold::mapped);
//   fill(part.writable());
//   part.store();            all of the range is on the disk
//
// Held in memory the range is read at once, and written by store(). Mapped it is the file's own
// pages, which the system reads, writes and drops as it likes: ranges beyond all memory do. Two
// computers that map one page of a file would each write all of it, so the ends of a mapped range,
// which share their page with what is before and after, are memory and written byte for byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "faro/files/array_file.hpp"

namespace faro::inline v1::files {

class FilePart {
 public:
  enum class Access { read, write };
  enum class Hold { memory, mapped };

  // The file has the range already. One that is to be written must be written whole: it begins as
  // anything. Throws Error(environment), naming the file.
  FilePart(const std::string& path, std::uint64_t offset, std::uint64_t bytes, Access access,
           Hold hold);
  FilePart(const FilePart&) = delete;
  FilePart& operator=(const FilePart&) = delete;
  ~FilePart();

  std::span<const std::byte> bytes() const { return {data_, bytes_}; }
  // Requires Access::write.
  std::span<std::byte> writable() { return {data_, bytes_}; }
  void store();

 private:
  void map_pages(Access access);

  std::unique_ptr<RandomFile> file_;
  std::uint64_t offset_;
  std::uint64_t bytes_;
  std::uint64_t before_ = 0;     // in the range's first page
  std::byte* region_ = nullptr;  // whole pages around the range
  std::uint64_t region_bytes_ = 0;
  std::byte* data_ = nullptr;
  // What of the region is the file's.
  std::uint64_t shared_begin_ = 0;
  std::uint64_t shared_end_ = 0;
};

}  // namespace faro::inline v1::files
