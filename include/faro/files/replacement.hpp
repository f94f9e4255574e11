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
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "faro/files/input.hpp"

namespace faro::inline v1 {

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

}  // namespace faro::inline v1
