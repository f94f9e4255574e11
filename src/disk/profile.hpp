// Profiles of devices within other JSON: journals say by which one a run was planned.
#pragma once

#include <nlohmann/json.hpp>

#include "faro/disk/permute_file.hpp"

namespace faro::inline v1::disk {

nlohmann::ordered_json profile_json(const DiskProfile& profile);
// Throws what the JSON's type says where something is missing.
DiskProfile profile_from(const nlohmann::ordered_json& json);

}  // namespace faro::inline v1::disk
