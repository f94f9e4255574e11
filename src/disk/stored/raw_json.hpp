// An object of JSON whose values stay as they are written: what an array says of itself is copied
// byte for byte, whatever numbers stand in it, and only what changes is written anew.
//
//   {"shape": [4], "attributes": {"scale": 1.10, "_FillValue": NaN}}
//     find("attributes")                  the text {"scale": 1.10, "_FillValue": NaN}
//     set("shape", "[5]"), text()         {"shape": [5], "attributes": {"scale": 1.10, ...}}
//
// Read strictly, but for NaN, Infinity and -Infinity, which Python writes: every value is checked
// to be one, a key stands once, nothing follows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace faro::inline v1::disk {

class RawJson {
 public:
  // A key, decoded, and the text of its value.
  using Member = std::pair<std::string, std::string>;

  RawJson() = default;
  // Throws Error(usage) that names the byte, Error(limit) for what is too deep.
  static RawJson parse(std::string_view text);

  const std::vector<Member>& members() const { return members_; }
  // Null where it is not there.
  const std::string* find(std::string_view key) const;
  // In the place of the value that was there, or at the end.
  void set(std::string_view key, std::string value);
  void erase(std::string_view key);
  // A member a line.
  std::string text() const;

 private:
  std::vector<Member> members_;
};

// The text of a string, of a list of numbers, of a list of texts.
std::string json_text(std::string_view words);
std::string json_text(const std::vector<std::uint64_t>& numbers);
std::string json_list(const std::vector<std::string>& values);
// The values of a list; throws as parsing does.
std::vector<std::string> json_values(std::string_view list);

}  // namespace faro::inline v1::disk
