// Where an unfinished rechunking keeps its files.
//
//   .OUT.faro/journal        what is asked for, and the jobs done; locked while one works on it
//   .OUT.faro/data           OUT as it grows: a file or a folder
//   .OUT.faro/pass1-0, ..    tiles between two passes
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "disk/box_run.hpp"
#include "files/chunk_folder.hpp"
#include "files/file_target.hpp"
#include "files/shared_folder.hpp"
#include "files/storage.hpp"

namespace faro::inline v1::disk {

// Files between passes in a folder. What has no name when it is destroyed goes.
class FolderBoxStorage : public BoxStorage {
 public:
  explicit FolderBoxStorage(std::string folder) : folder_(std::move(folder)) {}
  ~FolderBoxStorage() override;
  FolderBoxStorage(const FolderBoxStorage&) = delete;
  FolderBoxStorage& operator=(const FolderBoxStorage&) = delete;
  std::unique_ptr<RandomFile> make(const std::string& name) override;
  void give_name(RandomFile& file, const std::string& name) override;
  std::unique_ptr<RandomFile> open(const std::string& name) override;
  bool exists(const std::string& name) override;
  void remove(const std::string& name) override;

 private:
  files::PosixFolder folder_;
  std::set<std::string> parts_;
};

class RechunkFolder {
 public:
  // Makes it, or finds it; Error(environment) where another process works on it. Refuses an output
  // that is there and would not be replaced by a file, unless that is allowed: it may be what an
  // earlier run gave the name, which was stopped before it removed the rest.
  enum class Existing { refused, allowed };
  explicit RechunkFolder(const std::string& out, Existing existing = Existing::refused);
  ~RechunkFolder();

  RandomFile& journal() { return storage_->journal(); }
  std::string data() const { return folder_ + "/data"; }
  const std::string& folder() const { return folder_; }
  const FileTarget& target() const { return target_; }
  void sync() { storage_->sync_folder(); }
  // Forgets all that was done.
  void reset();
  // `data` takes the output's name, durably; then the rest goes.
  void publish();
  void discard();

 private:
  void remove_rest();

  FileTarget target_;
  std::string folder_;
  std::unique_ptr<files::Storage> storage_;
};

// Gives `data`, a folder or a file, the name of the output.
void publish_folder(const std::string& data, const FileTarget& target);
// Where several processes work on it; `data` there takes the output's name, and the rest goes.
std::string shared_path(const FileTarget& target);
void publish_shared(files::SharedFolder& shared, const FileTarget& target);
// The store that the unfinished run beside `out` writes to, "" of a folder; nothing where there is
// no such run.
std::optional<std::string> unfinished_outside(const std::string& out);
// Throws Error(usage) where a folder that is not empty has the output's name. Whoever is one of
// several may have come late.
enum class Worker { alone, of_several };
void refuse_existing(const FileTarget& target, Worker worker = Worker::alone);

}  // namespace faro::inline v1::disk
