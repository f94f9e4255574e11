#include "disk/named_profiles.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <vector>

#include "faro/base/error.hpp"
#include "faro/files/array_file.hpp"

namespace faro::inline v1::disk {
namespace {

namespace fs = std::filesystem;

constexpr const char* suffix = ".json";

bool is_class(const std::string& name) {
  return name == "ssd" || name == "cloud" || name == "network" || name == "hdd";
}

bool is_file(const std::string& device) {
  return device.find('/') != std::string::npos || device.ends_with(suffix);
}

// Where named profiles are; empty if the user has no such place.
std::string folder() {
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config != '\0')
    return std::string(config) + "/faro/disks";
  const char* home = std::getenv("HOME");
  return home == nullptr ? "" : std::string(home) + "/.config/faro/disks";
}

std::vector<std::string> saved() {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator i(folder(), error), end; !error && i != end; i.increment(error))
    if (i->path().extension() == suffix) names.push_back(i->path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string path_of(const std::string& device) {
  return is_file(device) ? device : fmt::format("{}/{}{}", folder(), device, suffix);
}

}  // namespace

DiskProfile named_profile(const std::string& device) {
  if (is_class(device)) return DiskProfile::named(device);
  const std::string path = path_of(device);
  if (!is_file(device) && !fs::exists(path)) {
    std::vector<std::string> names = {"ssd", "cloud", "network", "hdd"};
    for (const std::string& name : saved()) names.push_back(name);
    throw Error(ErrorCode::usage,
                fmt::format("--device {}: there is none of that name; there are {}; 'faro tune "
                            "--disk DIR --save {}' measures one",
                            device, fmt::join(names, ", "), device));
  }
  std::string text(std::size_t{1} << 14U, '\0');
  text.resize(InputFile::open(path).read_full(std::as_writable_bytes(std::span(text))));
  return DiskProfile::parse(text, path);
}

std::string save_profile(const DiskProfile& profile, const std::string& device) {
  constexpr const char* letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  if (!is_file(device)) {
    if (is_class(device) || device.empty() || device.front() == '.' ||
        device.find_first_not_of(letters) != std::string::npos)
      throw Error(
          ErrorCode::usage,
          fmt::format("--save {}: wanted a name of letters, digits and -_., other than ssd, "
                      "cloud, network and hdd; or a file, with a / or at the end .json",
                      device));
    if (folder().empty())
      throw Error(ErrorCode::environment,
                  fmt::format("--save {}: without a home there is no place for names; save it in a "
                              "file, ./{}.json",
                              device, device));
    std::error_code error;
    fs::create_directories(folder(), error);
    if (error)
      throw Error(ErrorCode::environment,
                  fmt::format("{}: cannot make the folder: {}", folder(), error.message()));
  }
  Replacement file(path_of(device));
  file.write(profile.text());
  file.commit();
  return path_of(device);
}

}  // namespace faro::inline v1::disk
