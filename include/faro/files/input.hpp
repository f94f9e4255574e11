// Files to read. A regular file is mapped: nothing is copied and nothing is read before it is
// touched. What cannot be mapped (a pipe, "-" for standard input) is read as a stream.
//
//   auto input = InputFile::open("a.npy");
//   if (input.is_mappable()) { Mapping whole = input.map(); ... whole.bytes() ... }
//   else while (std::size_t n = input.read(buffer)) ...
//
// A mapped file that somebody else cuts short while it is read ends the process with SIGBUS; the
// program turns that into an error, a library cannot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace faro::inline v1 {

// An open file descriptor, closed at the end.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int number() const { return number_; }
  int release();

 private:
  int number_ = -1;
};

// Memory that shows a file. Move-only.
class Mapping {
 public:
  enum class Access { read, write };

  Mapping() = default;
  // Throws Error(environment), naming `name`. A size of 0 maps nothing.
  Mapping(const Descriptor& file, std::uint64_t size, Access access, const std::string& name);
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  // Fetches every page now, in order, where memory has room for them: writing in an order of one's
  // own would otherwise pay for each page apart. Does nothing where the system cannot.
  void prefault() const;
  // Requires Access::write.
  std::span<std::byte> writable() const { return {data_, size_}; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  Access access_ = Access::read;
};

class InputFile {
 public:
  // "-" is standard input. Throws Error(environment).
  static InputFile open(const std::string& path);

  // For messages: the path, or "standard input".
  const std::string& name() const { return name_; }
  // A regular file with its position at the start.
  bool is_mappable() const { return mappable_; }
  // Of a mappable file.
  std::uint64_t size_bytes() const { return size_bytes_; }

  Mapping map() const;
  // Up to into.size() bytes from where the last call ended; 0 only at the end.
  std::size_t read(std::span<std::byte> into);
  // As many as there are, up to into.size().
  std::size_t read_full(std::span<std::byte> into);

 private:
  Descriptor file_;
  std::string name_;
  bool mappable_ = false;
  std::uint64_t size_bytes_ = 0;
};

}  // namespace faro::inline v1
