#include "disk/shared_aside.hpp"

#include <fmt/format.h>

#include "disk/rechunk_files.hpp"
#include "faro/base/error.hpp"
#include "files/chunk_folder.hpp"

namespace faro::inline v1::disk {

namespace fs = std::filesystem;

fs::path aside_of(const std::string& folder) {
  return folder + "-aside";
}

fs::path make_aside(const std::string& folder) {
  const fs::path aside = aside_of(folder);
  std::error_code error;
  fs::create_directory(aside, error);
  if (error)
    throw Error(ErrorCode::environment,
                fmt::format("cannot make the folder '{}' for unfinished state: {}", aside.string(),
                            error.message()));
  fs::permissions(aside, fs::perms::owner_all, error);
  return aside / files::own_name();
}

fs::path put_aside(const std::string& folder) {
  std::error_code error;
  for (int tries = 0; tries < aside_tries_max; ++tries) {
    if (!fs::exists(folder, error)) return {};
    const fs::path aside = make_aside(folder);
    fs::rename(folder, aside, error);
    if (!error) return aside;
  }
  throw Error(ErrorCode::environment,
              fmt::format("{}: cannot be removed: {}", folder, error.message()));
}

void forget_shared(const FileTarget& target) {
  const std::string folder = shared_path(target);
  // Its name is gone for good before anything in it is.
  if (!put_aside(folder).empty()) target.sync_folder();
  const fs::path aside = aside_of(folder);
  std::error_code error;
  for (int tries = 0; tries < aside_tries_max && fs::exists(aside); ++tries)
    fs::remove_all(aside, error);
  if (fs::exists(aside))
    throw Error(ErrorCode::environment,
                fmt::format("{}: cannot be removed: {}", aside.string(), error.message()));
}

}  // namespace faro::inline v1::disk
