// Numbers of JSON that we have written: what is not whole, or below zero, is null.
#include "base/whole_json.hpp"

#include <gtest/gtest.h>

namespace faro::inline v1 {
namespace {

TEST(WholeJson, other_numbers_are_null) {
  const auto json = whole_json(
      R"({"a":3,"b":4e27,"c":-1,"d":[1.5,2],"seconds":0.25,"e":{"f":1.0}})", {"seconds"});
  EXPECT_EQ(json.dump(), R"({"a":3,"b":null,"c":null,"d":[null,2],"seconds":0.25,"e":{"f":null}})");
  EXPECT_THROW(static_cast<void>(json.at("b").get<std::uint64_t>()), nlohmann::json::exception);
}

TEST(WholeJson, what_is_no_json_is_refused) {
  EXPECT_THROW(whole_json("{\"a\":"), nlohmann::json::parse_error);
}

}  // namespace
}  // namespace faro::inline v1
