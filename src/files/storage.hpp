// Where an unfinished run keeps its files, and how the result gets its name.
//
//   .OUT.faro/journal      what is done; locked while somebody works on it
//   .OUT.faro/data         OUT as it grows
//   .OUT.faro/temporary    of plans of several passes; elsewhere on request
//   .OUT.faro/redo         of work in place: what is about to be overwritten with
//   .OUT.faro/array        in place: OUT itself, which has no other name until it is whole
//   .OUT.faro/README.txt   beside it: what it is, and how to go on
//
// An interface, so that tests can cut the power at every operation.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "faro/files/array_file.hpp"
#include "files/file_target.hpp"

namespace faro::inline v1::files {

class Storage {
 public:
  enum class Part { data, temporary, redo, array };

  virtual ~Storage() = default;
  // There from the beginning on, with its name durable after sync_folder().
  virtual RandomFile& journal() = 0;
  virtual bool exists(Part part) = 0;
  // Made if it is not there.
  virtual std::unique_ptr<RandomFile> open(Part part) = 0;
  virtual void sync_folder() = 0;
  // In place: the output becomes `array`, durably.
  virtual void adopt() = 0;
  // Everything but the journal goes, and that becomes empty. Error(usage) if there is an `array`,
  // for it is the only one.
  virtual void reset() = 0;
  // `array`, or else `data`, gets the name of the output, durably. Nothing takes the name from what
  // appeared there while an array was worked on: Error(environment).
  virtual void publish() = 0;
  // Everything but an `array` goes.
  virtual void discard() = 0;
};

// Of an existing file, from a byte on.
class ShiftedFile : public RandomFile {
 public:
  ShiftedFile(RandomFile& file, std::uint64_t start_byte) : file_(file), start_(start_byte) {}
  void read(std::uint64_t offset, std::span<std::byte> into) override {
    file_.read(start_ + offset, into);
  }
  void write(std::uint64_t offset, std::span<const std::byte> from) override {
    file_.write(start_ + offset, from);
  }
  void sync() override { file_.sync(); }
  std::uint64_t size_bytes() override { return file_.size_bytes() - start_; }
  void reserve(std::uint64_t bytes) override { file_.reserve(start_ + bytes); }
  const std::string& name() const override { return file_.name(); }

 private:
  RandomFile& file_;
  std::uint64_t start_;
};

// Whether an unfinished run of this output is there, and the folder it is in.
bool has_unfinished(const FileTarget& target);
std::string unfinished_folder(const FileTarget& target);
// Why a name is missing, and how to go on, where work in place has taken it; else empty.
std::string taken_by_work_in_place(const std::string& path);

// On the file system of a file; UINT64_MAX where it does not say.
std::uint64_t free_bytes_beside(const std::string& path);

// Makes or opens the folder and locks its journal; Error(environment) if another process has it.
// `temporary_folder` may be empty: beside the rest.
std::unique_ptr<Storage> open_storage(const FileTarget& target, const std::string& temporary_folder,
                                      FileIo io);

}  // namespace faro::inline v1::files
