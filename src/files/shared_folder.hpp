// The folder in which several processes, on any number of machines, make one file together.
//
//   .OUT.faro-shared/request       what is made, in the words of whoever came first
//   .OUT.faro-shared/data          OUT as it grows
//   .OUT.faro-shared/temporary     of plans of several passes
//   .OUT.faro-shared/done-1-0-512  an empty file: tiles 0 to 511 of pass 1 are durable
//
// Names appear whole or not at all, so nothing is locked, which file systems of several machines do
// not do well. The same work may be done and noted twice.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "faro/files/array_file.hpp"
#include "files/file_target.hpp"
#include "files/storage.hpp"

namespace faro::inline v1::files {

class SharedFolder {
 public:
  struct Done {
    std::uint64_t pass = 0;
    std::uint64_t first = 0;
    std::uint64_t end = 0;
  };

  // Made if it is not there. The answer of request() is what stands there: `text`, or that of
  // whoever was first.
  explicit SharedFolder(FileTarget target);
  // Forgets what was done.
  void reset();
  std::string request(std::string_view text);

  // Made and of `bytes`, with space on the disk, if it is not there yet.
  std::unique_ptr<RandomFile> open(Storage::Part part, std::uint64_t bytes, FileIo io);
  // Requires that what the note says is synced. Durable when this returns.
  void note(const Done& done);
  std::vector<Done> notes() const;
  // False where nobody has begun, or somebody has published.
  bool has_data() const;
  // `data` takes the output's name, durably, and the folder goes. Nothing happens where another
  // process did that.
  void publish();
  void discard();

 private:
  void make();
  std::string path(std::string_view name) const;
  void sync_folder() const;

  FileTarget target_;
  std::string folder_;
};

bool has_shared(const FileTarget& target);

}  // namespace faro::inline v1::files
