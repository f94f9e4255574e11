// What devices cost, by the names that users give them: `--device` and `faro tune --disk --save`.
#pragma once

#include <string>

#include "faro/disk/permute_file.hpp"

namespace faro::inline v1::disk {

// A class of devices (ssd), a measured one by the name that it was saved under, or a file: what has
// a '/' in it or ends in .json. Throws Error(usage) that lists what there is.
DiskProfile named_profile(const std::string& device);
// Under a name, in the user's configuration, or in a file. Returns the file's path.
std::string save_profile(const DiskProfile& profile, const std::string& device);

}  // namespace faro::inline v1::disk
