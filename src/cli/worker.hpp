// Which of several workers a process is, in words: 0/4 to 3/4.
#pragma once

#include <string>

#include "faro/disk/rechunk.hpp"

namespace faro::cli {

// Throws Error(usage) where `text` is not I/N.
RechunkShare share_from(const std::string& text);

}  // namespace faro::cli
