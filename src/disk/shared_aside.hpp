// How the folder of several processes comes and goes: whole, by a rename, so that nobody meets a
// half of it. What is on its way lies in .OUT.faro-shared-aside; what is left there counts nothing.
#pragma once

#include <filesystem>
#include <string>

#include "files/file_target.hpp"

namespace faro::inline v1::disk {

constexpr int aside_tries_max = 10;  // where others rename and remove at the same time

std::filesystem::path aside_of(const std::string& folder);
// A name in it that nobody else has; the folder that it is in is made.
std::filesystem::path make_aside(const std::string& folder);
// In one step the folder is no more where jobs look for it; nothing where it is not there.
std::filesystem::path put_aside(const std::string& folder);
// All of it goes; nothing where there is none. A process that was stopped here leaves what the next
// one removes, and nobody takes for begun.
void forget_shared(const FileTarget& target);

}  // namespace faro::inline v1::disk
