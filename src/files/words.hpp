// Sizes and names as reports and errors say them.
#pragma once

#include <string>

#include "faro/base/count.hpp"

namespace faro::inline v1::files {

// "64 KiB", "512 MiB"; what is no whole number of a unit below 1000 of it gets three digits: "1.46
// GiB".
std::string size_text(Count bytes);
// "about 17 min", "3.2 s".
std::string duration_text(double seconds);

}  // namespace faro::inline v1::files
