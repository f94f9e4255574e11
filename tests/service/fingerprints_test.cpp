// The same request gives the same schedule: a hundred plans by their fingerprints. They change only
// knowingly; a difference between compilers or standard libraries shows here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "base/random.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"
#include "maps.hpp"
#include "paths.hpp"

namespace faro {
namespace {

struct Row {
  std::string map;  // or "random": a list of destinations, the same ones every time
  std::string machine;
  std::uint64_t elements = 0;  // 0: the map says
  std::string fingerprint;
};

// The words between " ; ".
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  for (std::size_t next = line.find(" ; "); next != std::string::npos;
       at = next + 3, next = line.find(" ; ", at))
    parts.push_back(line.substr(at, next - at));
  parts.push_back(line.substr(at));
  return parts;
}

std::string fingerprint_of(const Row& row) {
  const std::optional<std::uint64_t> elements =
      row.elements == 0 ? std::nullopt : std::optional(row.elements);
  PlanOptions options;
  options.verify = VerifyBy::nobody;
  if (row.map != "random")
    return plan(Request::of(row.map, row.machine, elements), options).fingerprint();
  const Machine machine = machine_from(row.machine);
  Random random(31);
  const auto count = static_cast<std::uint64_t>(processors(machine));
  return plan(Request::of(machine, Destinations{testing::random_permutation(count, random)},
                          elements),
              options)
      .fingerprint();
}

TEST(Fingerprints, a_hundred_plans_are_what_they_were) {
  const std::string path = testing::source_path("tests/data/fingerprints.txt");
  std::string text;
  std::size_t rows = 0;
  std::set<std::string> seen;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#")) {
      text += line + "\n";
      continue;
    }
    const std::vector<std::string> parts = fields(line);
    ASSERT_EQ(parts.size(), 4U) << line;
    const Row row{parts[0], parts[1], std::stoull(parts[2]), parts[3]};
    const std::string made = fingerprint_of(row);
    EXPECT_EQ(made, row.fingerprint) << row.map << " on " << row.machine;
    text += fmt::format("{} ; {} ; {} ; {}\n", row.map, row.machine, row.elements, made);
    seen.insert(made);
    ++rows;
  }
  EXPECT_EQ(rows, 100U);
  EXPECT_GT(seen.size(), 90U);
  const char* write = std::getenv("FARO_WRITE_DOCS");
  if (write != nullptr && std::string_view(write) == "1") std::ofstream(path) << text;
}

}  // namespace
}  // namespace faro
