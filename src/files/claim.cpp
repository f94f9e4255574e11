#include "files/claim.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

#include "faro/base/error.hpp"

namespace faro::inline v1 {

Claim::Claim(const std::string& path) {
  // As often as the file is replaced between opening and locking it; each time somebody is done.
  for (;;) {
    file_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file_.number() < 0) return;  // whoever reads it says why it cannot be opened
    if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0) {
      // File systems without locks leave it to their users.
      if (errno != EWOULDBLOCK) return;
      throw Error(
          ErrorCode::environment,
          fmt::format("{}: another process is replacing it by what it makes of it; wait for it",
                      path));
    }
    struct stat held = {};
    struct stat named = {};
    if (::fstat(file_.number(), &held) != 0 || ::stat(path.c_str(), &named) != 0) return;
    if (held.st_dev == named.st_dev && held.st_ino == named.st_ino) return;
  }
}

}  // namespace faro::inline v1
