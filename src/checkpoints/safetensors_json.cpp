// The JSON of a header, which refuses keys that stand twice.
#include "checkpoints/safetensors_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "checkpoints/maxima.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1::checkpoints {
namespace {

constexpr std::string_view metadata_key = "__metadata__";

}  // namespace

void SafeJson::refuse(const std::string& message) const {
  throw Error(ErrorCode::usage, fmt::format("{}: {}", name_, message));
}

std::string SafeJson::where() const {
  switch (part_) {
    case Part::before:
    case Part::after:
      return "the header";
    case Part::names:
      return fmt::format("'{}' in the header", key_);
    case Part::metadata:
      return fmt::format("the metadata '{}'", key_);
    case Part::tensor:
    case Part::shape:
    case Part::offsets:
      break;
  }
  return fmt::format("'{}' of tensor '{}'", key_, tensor_.name);
}

void SafeJson::wrong(std::string_view found) const {
  const char* wanted = "an object";
  if (part_ == Part::metadata) wanted = "a text";
  if (part_ == Part::tensor) wanted = key_ == "dtype" ? "a text" : "a list of numbers";
  if (part_ == Part::shape || part_ == Part::offsets) wanted = "a whole number below 2^64";
  refuse(fmt::format("{}: wanted {}, found {}", where(), wanted, found));
}

bool SafeJson::number_unsigned(number_unsigned_t value) {
  if (part_ == Part::shape) {
    if (tensor_.shape.size() == limits::checkpoint_axes_max)
      throw Error(ErrorCode::limit, fmt::format("{}: tensor '{}' has more than {} axes", name_,
                                                tensor_.name, limits::checkpoint_axes_max));
    tensor_.shape.push_back(value);
  } else if (part_ == Part::offsets) {
    if (offsets_.size() == 2)
      refuse(fmt::format("'data_offsets' of tensor '{}' are more than two", tensor_.name));
    offsets_.push_back(value);
  } else {
    wrong("a number");
  }
  return true;
}

bool SafeJson::string(string_t& value) {
  if (part_ == Part::metadata) {
    header_.metadata.emplace(key_, value);
  } else if (part_ == Part::tensor && key_ == "dtype") {
    tensor_.type = find_type(value);
    if (tensor_.type == nullptr && (value.starts_with("F4") || value.starts_with("F6")))
      refuse(
          fmt::format("tensor '{}' has dtype '{}', whose elements are no whole bytes; those are "
                      "not read",
                      tensor_.name, value));
    if (tensor_.type == nullptr)
      refuse(fmt::format("tensor '{}' has dtype '{}', which is unknown", tensor_.name, value));
  } else {
    wrong("a text");
  }
  return true;
}

bool SafeJson::start_object(std::size_t) {
  if (part_ == Part::before) {
    part_ = Part::names;
  } else if (part_ == Part::names) {
    part_ = key_ == metadata_key ? Part::metadata : Part::tensor;
    members_.clear();
    offsets_.clear();
    tensor_ = {};
    tensor_.name = key_;
  } else {
    wrong("an object");
  }
  return true;
}

bool SafeJson::key(string_t& key) {
  if (part_ == Part::names) {
    if (key == metadata_key ? has_metadata_ : !names_.insert(key).second)
      refuse(fmt::format("'{}' stands twice in the header", key));
    check_name(key, name_);
    check_tensors(names_.size(), name_);
    has_metadata_ = has_metadata_ || key == metadata_key;
  } else if (!members_.insert(key).second) {
    refuse(part_ == Part::metadata ? fmt::format("the metadata '{}' stands twice", key)
                                   : fmt::format("tensor '{}' says '{}' twice", tensor_.name, key));
  } else if (part_ == Part::tensor && key != "dtype" && key != "shape" && key != "data_offsets") {
    refuse(fmt::format("tensor '{}' says '{}'; wanted are dtype, shape and data_offsets",
                       tensor_.name, key));
  }
  key_ = key;
  return true;
}

void SafeJson::end_tensor() {
  for (const char* member : {"dtype", "shape", "data_offsets"})
    if (!members_.contains(member))
      refuse(fmt::format("tensor '{}' does not say its {}", tensor_.name, member));
  if (offsets_.size() != 2)
    refuse(fmt::format("'data_offsets' of tensor '{}': wanted two numbers", tensor_.name));
  tensor_.begin = offsets_[0];
  tensor_.end = offsets_[1];
  if (tensor_.end < tensor_.begin)
    refuse(fmt::format("tensor '{}' ends at byte {}, before it begins at {}", tensor_.name,
                       tensor_.end, tensor_.begin));
  const std::uint64_t bytes = tensor_bytes(*tensor_.type, tensor_.shape, tensor_.name);
  if (tensor_.end - tensor_.begin != bytes)
    refuse(fmt::format("tensor '{}' of {} and shape [{}] takes {} bytes, its offsets say {}",
                       tensor_.name, tensor_.type->name, fmt::join(tensor_.shape, ", "), bytes,
                       tensor_.end - tensor_.begin));
  header_.tensors.push_back(std::move(tensor_));
}

bool SafeJson::end_object() {
  if (part_ == Part::names) {
    part_ = Part::after;
    return true;
  }
  if (part_ == Part::tensor) end_tensor();
  part_ = Part::names;
  return true;
}

bool SafeJson::start_array(std::size_t) {
  if (part_ != Part::tensor || key_ == "dtype") wrong("a list");
  part_ = key_ == "shape" ? Part::shape : Part::offsets;
  return true;
}

bool SafeJson::end_array() {
  part_ = Part::tensor;
  return true;
}

bool SafeJson::parse_error(std::size_t byte, const std::string&,
                           const nlohmann::detail::exception&) {
  refuse(fmt::format("the header is no JSON as it should be: byte {}", byte));
}

void SafeJson::finish() const {
  if (part_ != Part::after) refuse("the header is no object");
}

}  // namespace faro::inline v1::checkpoints
