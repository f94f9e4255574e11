#include "disk/request.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <vector>

#include "disk/crc32c.hpp"
#include "disk/profile.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1::disk {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* journal_format = "faro-journal/1";

std::string hex_of(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

std::string bytes_of(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    unsigned value = 0;
    std::from_chars(hex.data() + i, hex.data() + i + 2, value, 16);
    bytes += static_cast<char>(value);
  }
  return bytes;
}

Json identity_json(const FileIdentity& identity) {
  return {{"size_bytes", identity.size_bytes},
          {"changed_nanoseconds", identity.changed_nanoseconds},
          {"inode", identity.inode},
          {"device", identity.device},
          {"samples_crc32c", identity.samples_crc32c}};
}

// Digits of a side, most significant first; numbers of lengths count in the order of the source.
Json side_json(const std::vector<Digit>& side) {
  Json digits = Json::array();
  for (const Digit& digit : side) {
    digits.push_back({digit.length, digit.which, digit.reversed});
    if (digit.roll != 0) digits.back().push_back(digit.roll);
  }
  return digits;
}

std::vector<Digit> side_from(const Json& json) {
  std::vector<Digit> side;
  for (const Json& digit : json) {
    const Word roll = digit.size() > 3 ? digit.at(3).get<Word>() : 0;
    side.push_back({digit.at(0), digit.at(1), digit.at(2), roll});
  }
  return side;
}

FileIdentity identity_from(const Json& json) {
  return {json.at("size_bytes"), json.at("changed_nanoseconds"), json.at("inode"),
          json.at("device"), json.at("samples_crc32c")};
}

// A fraction is none of our numbers, and converting a large one would be undefined: it is nothing.
Json parsed(std::string_view text) {
  return Json::parse(text, [](int, Json::parse_event_t, Json& value) {
    if (value.is_number_float()) value = nullptr;
    return true;
  });
}

}  // namespace

std::string JobRequest::json(const FilePermutePlan& made) const {
  Json object;
  object["format"] = journal_format;
  const Digits digits = map.digits();
  const BitMap& bits = digits.bits;
  object["width"] = bits.width();
  for (int i = 0; i < bits.width(); ++i) object["columns"].push_back(bits.column(i));
  object["complement"] = bits.complement();
  if (map.bits() == nullptr) {
    object["from"] = side_json(digits.from);
    object["to"] = side_json(digits.to);
  }
  object["element_bytes"] = shape.element_bytes;
  object["outer"] = shape.outer;
  object["inner"] = shape.inner;
  object["memory_bytes"] = plan.memory_bytes;
  object["run_bytes_min"] = plan.run_bytes_min;
  object["passes"] = plan.passes;
  object["tile_bytes_max"] = plan.tile_bytes_max;
  object["input_piece_bytes"] = plan.input_piece_bytes;
  object["output_piece_bytes"] = plan.output_piece_bytes;
  object["with_temporary"] = plan.temporary;
  object["profile"] = profile_json(plan.profile);
  // Names of files are bytes, which need not be UTF-8.
  object["input_hex"] = hex_of(input);
  object["input_start_byte"] = input_start_byte;
  object["input_identity"] = identity_json(identity);
  object["output_start_hex"] = hex_of(output_start);
  object["temporary_folder_hex"] = hex_of(temporary_folder);
  if (!output_metadata.empty()) object["output_metadata"] = output_metadata;
  object["verify"] = verify;
  object["in_place"] = in_place;
  object["plan_crc32c"] = plan_checksum(made);
  return object.dump();
}

JobRequest JobRequest::parse(std::string_view text, const std::string& journal) {
  try {
    const Json object = parsed(text);
    if (object.at("format") != journal_format)
      throw Error(ErrorCode::environment,
                  fmt::format("{}: its format is '{}'; this program goes on with '{}'", journal,
                              object.at("format").get<std::string>(), journal_format));
    JobRequest request;
    const auto columns = object.value("columns", std::vector<Word>());
    const auto bits = BitMap::from_columns(columns, object.at("complement"));
    request.map =
        object.contains("from")
            ? Map::from_digits({side_from(object.at("from")), side_from(object.at("to")), bits})
            : Map(bits);
    request.shape = {.element_bytes = object.at("element_bytes"),
                     .outer = object.at("outer"),
                     .inner = object.at("inner")};
    request.plan = {.memory_bytes = object.at("memory_bytes"),
                    .profile = profile_from(object.at("profile")),
                    .run_bytes_min = object.at("run_bytes_min"),
                    .passes = object.at("passes"),
                    .tile_bytes_max = object.at("tile_bytes_max"),
                    .input_piece_bytes = object.at("input_piece_bytes"),
                    .output_piece_bytes = object.at("output_piece_bytes"),
                    .temporary = object.at("with_temporary")};
    request.input = bytes_of(object.at("input_hex"));
    request.input_start_byte = object.at("input_start_byte");
    request.identity = identity_from(object.at("input_identity"));
    request.output_start = bytes_of(object.at("output_start_hex"));
    request.temporary_folder = bytes_of(object.at("temporary_folder_hex"));
    request.verify = object.at("verify");
    request.output_metadata = object.value("output_metadata", "");
    request.in_place = object.at("in_place");
    return request;
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::environment,
                fmt::format("{}: the journal is not understood: {}", journal, error.what()));
  }
}

FilePermutePlan JobRequest::make_plan() const {
  return in_place ? FilePermutePlan::in_place(map, shape, plan)
                  : FilePermutePlan::out_of_place(map, shape, plan);
}

std::uint32_t plan_checksum(const FilePermutePlan& plan) {
  return crc32c(plan.json());
}

std::uint32_t plan_checksum_in(std::string_view text) {
  try {
    return parsed(text).at("plan_crc32c");
  } catch (const nlohmann::json::exception& error) {
    throw Error(
        ErrorCode::environment,
        fmt::format("the journal's checksum of its plan is not understood: {}", error.what()));
  }
}

}  // namespace faro::inline v1::disk
