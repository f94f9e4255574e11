// What devices cost: classes of them, and measured ones as text.
#include "disk/profile.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1 {
namespace {

constexpr const char* profile_format = "faro-disk-profile/1";

}  // namespace

namespace disk {

nlohmann::ordered_json profile_json(const DiskProfile& profile) {
  return {{"name", profile.name},
          {"read_bytes_per_second", profile.read_bytes_per_second},
          {"read_run_nanoseconds", profile.read_run_nanoseconds},
          {"write_bytes_per_second", profile.write_bytes_per_second},
          {"write_run_nanoseconds", profile.write_run_nanoseconds}};
}

DiskProfile profile_from(const nlohmann::ordered_json& json) {
  return {json.at("name"), json.at("read_bytes_per_second"), json.at("read_run_nanoseconds"),
          json.at("write_bytes_per_second"), json.at("write_run_nanoseconds")};
}

}  // namespace disk

DiskProfile DiskProfile::ssd() {
  return {"ssd", 3'000'000'000, 2'500, 2'000'000'000, 3'333};
}
DiskProfile DiskProfile::cloud() {
  return {"cloud", 250'000'000, 333'333, 250'000'000, 333'333};
}
DiskProfile DiskProfile::network() {
  return {"network", 400'000'000, 2'000'000, 400'000'000, 2'000'000};
}
DiskProfile DiskProfile::hdd() {
  return {"hdd", 200'000'000, 8'000'000, 200'000'000, 8'000'000};
}

DiskProfile DiskProfile::named(std::string_view name) {
  for (const DiskProfile& profile : {ssd(), cloud(), network(), hdd()})
    if (profile.name == name) return profile;
  throw Error(ErrorCode::usage,
              fmt::format("there is no profile '{}'; there are ssd, cloud, network and hdd", name));
}

std::string DiskProfile::text() const {
  nlohmann::ordered_json object = {{"format", profile_format}};
  object.update(disk::profile_json(*this));
  return object.dump(2) + "\n";
}

DiskProfile DiskProfile::parse(std::string_view text, const std::string& file) {
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::usage,
                fmt::format("{}: is no profile of a disk, as 'faro tune --disk DIR --save {}' "
                            "writes it: {}",
                            file, file, why));
  };
  DiskProfile profile;
  try {
    const auto object = nlohmann::ordered_json::parse(text);
    if (object.at("format") != profile_format)
      refuse(fmt::format("its format is not {}", profile_format));
    for (const char* const key : {"read_bytes_per_second", "read_run_nanoseconds",
                                  "write_bytes_per_second", "write_run_nanoseconds"})
      if (!object.at(key).is_number_unsigned()) refuse(fmt::format("{} is no whole number", key));
    profile = disk::profile_from(object);
  } catch (const nlohmann::json::parse_error& error) {
    refuse(fmt::format("byte {} is no JSON", error.byte));
  } catch (const nlohmann::json::exception&) {
    refuse("a key is missing, or is of another type");
  }
  if (profile.read_bytes_per_second == 0 || profile.write_bytes_per_second == 0)
    refuse("rates are above 0");
  if (std::max(profile.read_run_nanoseconds, profile.write_run_nanoseconds) >
      limits::profile_run_nanoseconds_max)
    refuse("a run takes at most a day");
  return profile;
}

}  // namespace faro::inline v1
