// What an output name means, and how the new file takes the old one's place.
#pragma once

#include <string>

namespace faro::inline v1 {

struct FileTarget {
  std::string path;    // as given, for messages
  std::string target;  // after symbolic links
  std::string folder;  // of the target
  bool replaces = false;
  unsigned mode = 0;  // of the old file, where there is one
  unsigned owner = 0;
  unsigned group = 0;

  // Refuses folders, devices, pipes and write-protected files with Error(environment).
  static FileTarget find(const std::string& path);

  // Cut so that what is added still fits the 255 bytes that a name may have.
  std::string last_name() const;
  // Gives the new file the old one's permissions and, where allowed, its owner; a file made for its
  // owner alone that replaces nothing gets what the umask leaves, if `hidden`.
  enum class Made { hidden, plain };
  void hand_over(int file, Made made) const;
  void sync_folder() const;
  [[noreturn]] void fail(const std::string& what, int reason) const;
};

}  // namespace faro::inline v1
