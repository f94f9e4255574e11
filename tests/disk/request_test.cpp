// The first line of a journal: what lacks in it is said in words.
#include "disk/request.hpp"

#include <gtest/gtest.h>

#include "disk/rechunk_request.hpp"
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

TEST(RechunkRequest, numbers_that_are_none_are_refused_in_words) {
  RechunkRequest request;
  request.input = "/a.npy";
  request.threads = 2;
  const std::string whole = request.json();
  EXPECT_EQ(RechunkRequest::parse(whole, "journal").json(), whole);
  const std::string memory = R"("memory_bytes":0)", threads = R"("threads":2)";
  for (const std::string wrong :
       {R"("memory_bytes":1.5)", R"("memory_bytes":1e300)", R"("memory_bytes":-1)",
        R"("threads":0)", R"("threads":4097)", R"("threads":18446744073709551615)"}) {
    std::string line = whole;
    const std::string& right = wrong.starts_with("\"threads") ? threads : memory;
    line.replace(line.find(right), right.size(), wrong);
    EXPECT_THROW(static_cast<void>(RechunkRequest::parse(line, "journal")), Error) << line;
  }
}

}  // namespace
}  // namespace faro::disk
