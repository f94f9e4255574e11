// Arrays in files: .npy, or raw elements of a size that the caller knows.
//
//   ArrayInput in = ArrayInput::npy("a.npy");         in.header().shape, in.data()
//   ArrayOutput out("b.npy", in.header());            space reserved, header written
//   fill(out.data());                                 data_bytes() bytes
//   out.commit();                                     now it is there, complete (Replacement)
//
// A regular file is mapped. From a pipe the array is read into memory, which grows with what
// arrives, never with what a header claims. A .npy file whose data is shorter or longer than its
// header says is refused: longer ones hold several arrays, and replacing such a file would lose
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// Files to read. A regular file is mapped: nothing is copied and nothing is read before it is
// touched. What cannot be mapped (a pipe, "-" for standard input) is read as a stream.
//
//   auto input = InputFile::open("a.npy");
//   if (input.is_mappable()) { Mapping whole = input.map(); ... whole.bytes() ... }
//   else while (std::size_t n = input.read(buffer)) ...
//
// A mapped file that somebody else cuts short while it is read ends the process with SIGBUS; the
// program turns that into an error, a library cannot.

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

// A file that is read and written in any order, by several threads at once: what a rearrangement
// of arrays larger than memory stands on.
//
//   const auto file = open_random_file("a.raw", {.access = FileAccess::read});
//   file->read(bit(40), buffer);          the bytes from 2^40 on, all of them, or an Error
//
// POSIX files are opened for direct I/O where the file system takes it, so that nothing but the
// caller's buffers holds data; what is not aligned goes through small buffers made once. Elsewhere
// they are buffered: what was written is pushed to the disk early and dropped from the page cache,
// what was read is dropped at once. At most some 16 MiB are in the cache at a time.

class RandomFile {
 public:
  virtual ~RandomFile() = default;
  // All of the bytes, or Error(environment), which names the file. Calls on ranges that do not
  // overlap may run at the same time.
  virtual void read(std::uint64_t offset, std::span<std::byte> into) = 0;
  virtual void write(std::uint64_t offset, std::span<const std::byte> from) = 0;
  // What was written survives a power failure when this returns. After an error what was written
  // since the last success may be lost, whatever later calls say.
  virtual void sync() = 0;
  virtual std::uint64_t size_bytes() = 0;
  // Makes the file `bytes` long, with space on the disk for all of them where the file system can
  // promise that, else Error(environment).
  virtual void reserve(std::uint64_t bytes) = 0;
  // For messages.
  virtual const std::string& name() const = 0;
};

enum class FileAccess {
  read,
  write,
  create
};  // write: and read; create: likewise, made if missing
enum class FileIo { automatic, direct, buffered };

struct RandomFileOptions {
  FileAccess access = FileAccess::read;
  FileIo io = FileIo::automatic;  // direct where it is possible; `direct` refuses where it is not
  std::uint64_t start_byte = 0;   // offsets count from here: behind a header
};
std::unique_ptr<RandomFile> open_random_file(const std::string& path,
                                             const RandomFileOptions& options = {});

// Memory that behaves as a file.
class MemoryFile : public RandomFile {
 public:
  explicit MemoryFile(std::string name, std::vector<std::byte> bytes = {})
      : name_(std::move(name)), bytes_(std::move(bytes)) {}
  void read(std::uint64_t offset, std::span<std::byte> into) override;
  void write(std::uint64_t offset, std::span<const std::byte> from) override;
  void sync() override {}
  std::uint64_t size_bytes() override { return bytes_.size(); }
  void reserve(std::uint64_t bytes) override { bytes_.resize(bytes); }
  const std::string& name() const override { return name_; }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::string name_;
  std::vector<std::byte> bytes_;
};

// A file that appears under its name only when it is complete.
//
//   Replacement out("b.npy");
//   out.reserve(bytes);            the disk has the space now, or Error(environment) says it lacks
//   it fill(out.map().writable());    or out.write(...), piece by piece; without reserve as well
//   out.commit();                  synced to disk, then renamed over the old file, folder synced
//
// Until commit() has returned, whoever opens the name sees the old file or none; after a crash, a
// kill or a power failure at any point there is the old file or the complete new one. The new file
// grows beside the old one, in the same folder, without a name where the file system can do that
// (O_TMPFILE), else as ".NAME.faro-XXXXXX"; an unfinished one is removed by the destructor. Reading
// the old file while the new one is written is safe: they are different files.
//
// A symbolic link is followed: the file it means is replaced and the link stays. The new file gets
// the old one's permissions, and its owner where that is allowed; other hard links keep the old
// content. Folders, devices and pipes are refused. map() needs reserve() first: a write through a
// mapping that the disk has no room for would end the process with SIGBUS.

struct FileTarget;

class Replacement {
 public:
  // all: after a power failure too, at the price of waiting for the disk. process: whatever happens
  // to this program, but not to the machine.
  enum class Durability { all, process };

  explicit Replacement(const std::string& path);
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  // Makes the file `size` bytes long, all of them backed by disk space. Once, before map().
  void reserve(std::uint64_t size);
  // The whole reserved file.
  Mapping map() const;
  // Gives the unfinished file a name, by which other processes may write their parts of what was
  // reserved. They sync what they wrote themselves, before commit(). Until then the destructor
  // removes it as before, but a kill leaves it behind.
  const std::string& name_for_others();
  // Appends.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  // What was written is on the disk; the name is not changed yet.
  void sync();
  // Once. Afterwards the object is spent.
  void commit(Durability durability = Durability::all);

 private:
  void open_beside();
  void name_it();
  [[noreturn]] void fail(const std::string& what, int reason) const;

  std::unique_ptr<const FileTarget> target_;
  std::string temporary_;  // the unfinished file's name, empty while it has none
  Descriptor file_;
  std::uint64_t reserved_bytes_ = 0;
};

// The header of a NumPy array file (.npy, versions 1 to 3), read strictly and written as NumPy
// does.
//
//   0x93 NUMPY  1 0  118 0  {'descr': '<f8', 'fortran_order': False, 'shape': (8, 4), }   \n  data
//
// The element type is carried as text: nothing here computes with elements, so every type of fixed
// size goes through unchanged, big-endian, structured and padded ones included. Python objects
// (`O`), which have no fixed size in a file, are refused.
//
// Strict means: exactly the keys descr, fortran_order and shape, once each; Python literals without
// anything else; sizes that fit 64 bits; every breach an Error(usage) that names the byte, every
// exceeded maximum an Error(limit). Nothing is allocated by a number that the file claims.

struct NpyHeader {
  enum class Order { c, fortran };
  int version = 1;   // the file's; the least that can carry `type` is written
  std::string type;  // a Python literal: "'<f8'", "[('x', '<i4'), ('y', '>f2', (3,))]"
  std::uint64_t element_bytes = 0;
  Order order = Order::c;
  std::vector<std::uint64_t> shape;

  // Their products were checked while parsing; of a header made by hand they throw Error(limit).
  std::uint64_t elements() const;
  std::uint64_t data_bytes() const;
  friend bool operator==(const NpyHeader&, const NpyHeader&) = default;
};

// The header of an array of one of NumPy's own numbers, for example "<u8".
NpyHeader npy_header(std::string_view number_type, std::vector<std::uint64_t> shape);

// How many bytes at the start of a file make the fixed part; and how many make the header together
// with it, which only the fixed part says. `name` stands at the front of every message.
inline constexpr std::size_t npy_preamble_bytes = 12;
std::size_t npy_data_offset(std::span<const std::byte> preamble, std::string_view name);

// `start` holds at least npy_data_offset bytes.
NpyHeader parse_npy_header(std::span<const std::byte> start, std::string_view name);

// The bytes of a file up to its data, a multiple of `alignment`: NumPy writes 64.
std::string npy_header_bytes(const NpyHeader& header, std::size_t alignment = 64);

// The bytes of one element of a Python type literal; throws as parsing does.
std::uint64_t npy_element_bytes(std::string_view type);

// A field of a structured type: "[('x', '<i4'), ('y', '>f2', (3,))]" has x of type '<i4' at 0 and y
// at 4.
struct NpyField {
  std::string name;
  std::string type;  // a literal; empty if the field is an array
  std::uint64_t offset = 0;
  friend bool operator==(const NpyField&, const NpyField&) = default;
};

// None for a type that is no structure. Throws as parsing does.
std::vector<NpyField> npy_fields(std::string_view type);

class ArrayInput {
 public:
  // "-" is standard input. Throw Error(usage) for wrong content, Error(environment) for what the
  // system refuses.
  // What is read from a pipe may take `memory_bytes_max` of memory, else Error(environment); an
  // array whose header already says more is refused before it is read.
  static ArrayInput npy(const std::string& path, std::uint64_t memory_bytes_max = UINT64_MAX);
  // The shape is the number of elements; the type is empty. Requires element_bytes > 0.
  static ArrayInput raw(const std::string& path, std::uint64_t element_bytes,
                        std::uint64_t memory_bytes_max = UINT64_MAX);

  const std::string& name() const { return name_; }
  const NpyHeader& header() const { return header_; }
  bool is_mapped() const { return mapped_; }
  std::span<const std::byte> data() const { return data_; }
  // See Mapping::prefault().
  void prefault() const { mapping_.prefault(); }

 private:
  std::string name_;
  NpyHeader header_;
  bool mapped_ = false;
  Mapping mapping_;
  std::vector<std::byte> memory_;
  std::span<const std::byte> data_;
};

class ArrayOutput {
 public:
  // An empty type writes raw elements.
  ArrayOutput(const std::string& path, const NpyHeader& header);

  std::span<std::byte> data() { return data_; }
  void commit(Replacement::Durability durability = Replacement::Durability::all);

 private:
  Replacement file_;
  Mapping mapping_;
  std::span<std::byte> data_;
};

// Where the element of an index in logical C order (the last index runs fastest) is stored.
// Requires an index below header.elements().
std::uint64_t stored_index(const NpyHeader& header, std::uint64_t logical);

// The numbers of an array of integers, in logical C order whatever its order, byte order and width
// are; at most `count_max` of them, else Error(limit). Negative ones throw Error(usage).
std::vector<std::uint64_t> read_whole_numbers(const ArrayInput& array, std::uint64_t count_max);

}  // namespace faro::inline v1
