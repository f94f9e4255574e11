// The first line of a journal: what lacks in it is said in words.
#include "disk/request.hpp"

#include <gtest/gtest.h>

#include "faro/base/error.hpp"

namespace faro::disk {
namespace {

// What is missing in a journal's first line, or of another kind, is an Error of ours.
TEST(JobRequest, a_line_that_lacks_something_is_refused_in_words) {
  for (const char* line :
       {"", "{", "[]", "{}", R"({"plan_crc32c":"x"})", R"({"plan_crc32c":[]})"}) {
    EXPECT_THROW(static_cast<void>(plan_checksum_in(line)), Error) << line;
    EXPECT_THROW(static_cast<void>(JobRequest::parse(line, "journal")), Error) << line;
  }
  EXPECT_EQ(plan_checksum_in(R"({"plan_crc32c":7})"), 7U);
  // A fraction is not cut off to a number.
  for (const char* line : {R"({"plan_crc32c":1.5})", R"({"plan_crc32c":1e300})"})
    EXPECT_THROW(static_cast<void>(plan_checksum_in(line)), Error) << line;
}

}  // namespace
}  // namespace faro::disk
