// Reports: one tree, two forms.
#include "base/report.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "faro/base/error.hpp"

namespace faro {
namespace {

TEST(Report, a_row_has_a_value_and_its_words) {
  Report report;
  report.row("machine", "cube:4", "  machine  {}\n", "cube:4");
  report["steps"] = 8;
  report.say("  as the paper says\n");
  EXPECT_EQ(report.words(), "  machine  cube:4\n  as the paper says\n");
  EXPECT_EQ(report.json(), R"({"machine":"cube:4","steps":8})");
}

TEST(Report, members_keep_the_order_in_which_they_were_named_first) {
  Report report{{"b", 1}, {"a", nullptr}};
  report["c"] = true;
  report["a"] = -2;
  EXPECT_EQ(report.json(), R"({"b":1,"a":-2,"c":true})");
  EXPECT_EQ(report.at("a").json(), "-2");
  EXPECT_THROW(report.at("d"), InternalError);
}

TEST(Report, every_kind_of_value_is_written) {
  const std::vector<std::uint64_t> shape{3, 5};
  Report report{{"text", "a \"b\"\n\\ \xc3\xa9"},
                {"no_text", std::string("\xff")},
                {"shape", shape},
                {"real", 0.5},
                {"whole", 2.0},
                {"small", 1e-9},
                {"largest", std::numeric_limits<std::uint64_t>::max()},
                {"count", Count{1} << 53U},
                {"below", (Count{1} << 53U) - 1},
                {"none", std::optional<int>()},
                {"some", std::optional<int>(7)},
                {"made", Report::of_json("[1,{\"a\":[]}]")}};
  EXPECT_EQ(report.json(),
            "{\"text\":\"a \\\"b\\\"\\n\\\\ \xc3\xa9\",\"no_text\":\"\xef\xbf\xbd\",\"shape\":"
            "[3,5],"
            "\"real\":0.5,\"whole\":2.0,\"small\":1e-09,\"largest\":18446744073709551615,"
            "\"count\":\"9007199254740992\",\"below\":9007199254740991,\"none\":null,\"some\":7,"
            "\"made\":[1,{\"a\":[]}]}");
}

TEST(Report, many_lines_say_the_same) {
  Report report{{"a, b: [", "\"{\""}, {"empty", Report::list()}, {"none", Report::object()}};
  report["rows"].push_back({{"x", 1}});
  report["rows"].push_back(2);
  EXPECT_EQ(report.json(Report::Lines::many),
            "{\n  \"a, b: [\": \"\\\"{\\\"\",\n  \"empty\": [],\n  \"none\": {},\n  \"rows\": [\n"
            "    {\n      \"x\": 1\n    },\n    2\n  ]\n}");
}

TEST(Report, a_report_within_another_is_a_member) {
  Report inner;
  inner.row("cost", 3, "cost 3\n");
  Report outer;
  outer.say("plan\n");
  outer["plan"] = inner;
  outer.add_words(inner.words());
  EXPECT_EQ(outer.words(), "plan\ncost 3\n");
  EXPECT_EQ(outer.json(), R"({"plan":{"cost":3}})");
}

TEST(Report, what_is_no_object_has_no_members) {
  Report number = 3;
  EXPECT_THROW(number["a"], InternalError);
  EXPECT_THROW(number.push_back(1), InternalError);
}

}  // namespace
}  // namespace faro
