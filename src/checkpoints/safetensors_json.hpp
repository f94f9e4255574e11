// The JSON of a safetensors header, value by value as it is parsed: no tree of it is made.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "checkpoints/safetensors.hpp"

namespace faro::inline v1::checkpoints {

class SafeJson : public nlohmann::json_sax<nlohmann::json> {
 public:
  SafeJson(SafeHeader& header, std::string_view name) : header_(header), name_(name) {}

  bool null() override { wrong("null"); }
  bool boolean(bool) override { wrong("true or false"); }
  bool number_integer(number_integer_t) override { wrong("a negative number"); }
  bool number_unsigned(number_unsigned_t value) override;
  bool number_float(number_float_t, const string_t& text) override { wrong(text); }
  bool string(string_t& value) override;
  bool binary(binary_t&) override { wrong("bytes"); }
  bool start_object(std::size_t) override;
  bool key(string_t& key) override;
  bool end_object() override;
  bool start_array(std::size_t) override;
  bool end_array() override;
  bool parse_error(std::size_t byte, const std::string&,
                   const nlohmann::detail::exception& error) override;
  // Throws where the text had no whole object.
  void finish() const;

 private:
  enum class Part { before, names, metadata, tensor, shape, offsets, after };
  [[noreturn]] void wrong(std::string_view found) const;
  [[noreturn]] void refuse(const std::string& message) const;
  std::string where() const;
  void end_tensor();

  SafeHeader& header_;
  std::string_view name_;
  Part part_ = Part::before;
  std::string key_;                // in the object that is being read
  std::set<std::string> names_;    // of tensors
  std::set<std::string> members_;  // of the tensor, or the metadata
  bool has_metadata_ = false;
  SafeTensor tensor_;
  std::vector<std::uint64_t> offsets_;
};

}  // namespace faro::inline v1::checkpoints
