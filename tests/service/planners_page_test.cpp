// docs/planners.md lists every planner and whether the proof covers it on 2^40 and 2^60 processors.
// The table is made here; FARO_WRITE_DOCS=1 writes it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "faro/algebra/notation.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"
#include "full.hpp"
#include "paths.hpp"

namespace faro {
namespace {

struct Sample {
  const char* machine;
  const char* map;
  std::uint64_t elements;
};

// For each planner the first it takes.
constexpr Sample samples_40[] = {
    {"cube:40", "a:40 -> ungray(a)", 10},
    {"cube:40", "a:40 -> ungray(a)", 50},
    {"cube:40", "a:10 b:30 -> ungray(a) ungray(b)", 10},
    {"cube:40", "a:38 b:2 -> a ungray(b)", 10},
    {"cube:40", "a:34 b:6 -> a ungray(b)", 50},
    {"cube:40", "a:34 b:6 -> a ungray(b)", 13},
    {"cube:40", "a:36 b:4 -> a rot(b, 1)", 10},
    {"cube:40", "i:40 -> rot(i, 1)", 10},
    {"cube:40", "i:40 -> rev(i)", 4},
    {"cube:40", "p:40 | m:3 -> m p[39:3] | p[2:0]", 8},
    {"cube:40", "p:40 | m:3 -> p[39:1] m[2] | m[1:0] p[0]", 8},
    {"cube:40", "p:40 | m:2 -> rot(p, 1) | m", 4},
    {"cube:40", "p:40 | m:2 -> p[39:3] p[0] p[2:1] | m", 4},
    {"cube:40", "p:40 | m:2 -> p[39:4] ~p[0] p[3:1] | m", 4},
    {"cube:40", "p:40 | m:0 -> p[39:4] ~p[0] p[3:1] |", 1},
    {"cube:40,one-port", "a:40 -> ungray(a)", 4},
    {"cube:40,one-port", "i:40 -> rot(i, 1)", 4},
    {"cube:40,one-port", "p:40 | m:3 -> m p[39:3] | p[2:0]", 8},
    {"mesh:2^20x2^20", "transpose", 1},
    {"mesh:2^20x2^20", "bit-reversal", 1},
    {"mesh:2^20x2^20", "a:40 -> ungray(a)", 1},
    {"torus:2^20x2^20", "transpose", 1},
    {"torus:2^20x2^20", "bit-reversal", 1},
    {"mesh:2^20x2^20,all-links", "transpose", 1},
    {"torus:2^20x2^20,all-links", "transpose", 1},
    {"mesh:2^20x2^20,propagating", "transpose", 1},
    {"pops:2^20,2^20", "transpose", 1},
    {"pops:2^20,2^20", "bit-reversal", 1},
    {"pops:2^30,2^10", "i:40 -> gray(i)", 1},
    {"pops:2^10,2^30", "i:40 -> gray(i)", 1},
    {"ranks:2^40", "p:40 | m:3 -> m p[39:3] | p[2:0]", 8},
    {"fat-tree:2^20x2^20,up=2^17", "p:40 | m:3 -> m p[39:3] | p[2:0]", 8},
    {"cube:40", "a:40 -> ungray(a) ^ 1", 10},
    {"cube:40", "i:40 -> ~i", 5000},
    {"cube:40", "a:40 -> ungray(a)", 1U << 21U},
    {"ranks:2^40", "a:40 -> ungray(a)", 1U << 20U},
};
constexpr Sample samples_60[] = {
    {"cube:60", "a:60 -> ungray(a)", 10},
    {"cube:60", "a:60 -> ungray(a)", 50},
    {"cube:60", "a:20 b:40 -> ungray(a) ungray(b)", 10},
    {"cube:60", "a:58 b:2 -> a ungray(b)", 10},
    {"cube:60", "a:54 b:6 -> a ungray(b)", 50},
    {"cube:60", "a:54 b:6 -> a ungray(b)", 13},
    {"cube:60", "a:56 b:4 -> a rot(b, 1)", 10},
    {"cube:60", "i:60 -> rot(i, 1)", 10},
    {"cube:60", "i:60 -> rev(i)", 4},
    {"cube:60", "p:60 | m:3 -> m p[59:3] | p[2:0]", 8},
    {"cube:60", "p:60 | m:3 -> p[59:1] m[2] | m[1:0] p[0]", 8},
    {"cube:60", "p:60 | m:2 -> rot(p, 1) | m", 4},
    {"cube:60", "p:60 | m:2 -> p[59:3] p[0] p[2:1] | m", 4},
    {"cube:60", "p:60 | m:2 -> p[59:4] ~p[0] p[3:1] | m", 4},
    {"cube:60", "p:60 | m:0 -> p[59:4] ~p[0] p[3:1] |", 1},
    {"cube:60,one-port", "a:60 -> ungray(a)", 4},
    {"cube:60,one-port", "i:60 -> rot(i, 1)", 4},
    {"cube:60,one-port", "p:60 | m:3 -> m p[59:3] | p[2:0]", 8},
    {"mesh:2^30x2^30", "transpose", 1},
    {"mesh:2^30x2^30", "bit-reversal", 1},
    {"mesh:2^30x2^30", "a:60 -> ungray(a)", 1},
    {"torus:2^30x2^30", "transpose", 1},
    {"torus:2^30x2^30", "bit-reversal", 1},
    {"mesh:2^30x2^30,all-links", "transpose", 1},
    {"torus:2^30x2^30,all-links", "transpose", 1},
    {"mesh:2^30x2^30,propagating", "transpose", 1},
    {"pops:2^30,2^30", "transpose", 1},
    {"pops:2^30,2^30", "bit-reversal", 1},
    {"pops:2^40,2^20", "i:60 -> gray(i)", 1},
    {"pops:2^20,2^40", "i:60 -> gray(i)", 1},
    {"ranks:2^60", "p:60 | m:3 -> m p[59:3] | p[2:0]", 8},
    {"fat-tree:2^30x2^30,up=2^27", "p:60 | m:3 -> m p[59:3] | p[2:0]", 8},
    {"cube:60", "a:60 -> ungray(a) ^ 1", 10},
    {"cube:60", "i:60 -> ~i", 5000},
    {"cube:60", "a:60 -> ungray(a)", 1U << 21U},
    {"ranks:2^60", "a:60 -> ungray(a)", 1U << 20U},
};

Request request_of(const Sample& sample) {
  return Request::of(sample.map, sample.machine, sample.elements);
}

// The samples, then networks and sorts of two, four and eight elements a processor, and a network
// in natural order.
std::vector<Request> requests(int bits, std::span<const Sample> samples) {
  std::vector<Request> all;
  for (const Sample& sample : samples) all.push_back(request_of(sample));
  const Machine cube = Hypercube{.dimensions = bits};
  for (const int memory_bits : {1, 2, 3})
    for (const auto encoding : {Encoding::binary_gray, Encoding::binary})
      for (const auto order : {ButterflyGoal::Order::most_significant_first,
                               ButterflyGoal::Order::least_significant_first})
        all.push_back(Request::of(
            cube, ButterflyNetwork{
                      .index_bits = bits + memory_bits, .encoding = encoding, .order = order}));
  all.push_back(Request::of(cube, ButterflyNetwork{.index_bits = bits + 3,
                                                   .finish = ButterflyNetwork::Finish::restored}));
  all.push_back(Request::of(cube, BitonicSort{{.index_bits = bits + 1}}));
  return all;
}

// "proved" with the sample, "no" if the proof gives up, "-" if no sample of this size is taken.
std::string coverage(const Planner& planner, const std::vector<Request>& samples) {
  for (const Request& request : samples) {
    if (planner.refusal(request)) continue;
    const MachinePlan made =
        plan(request, {.algorithm = std::string(planner.name()), .verify = VerifyBy::proof});
    const Verdict& verdict = made.verdicts().front();
    if (verdict.ok()) return "proved";
    return verdict.answer == Verdict::Answer::unprovable ? "no: " + verdict.limit : "REFUSED";
  }
  return "-";
}

std::string table() {
  std::string text =
      "| planner | machine | needs | 2^40 processors | 2^60 processors |\n|---|---|---|---|---|\n";
  const std::vector<Request> forty = requests(40, samples_40);
  const std::vector<Request> sixty = requests(60, samples_60);
  for (const Planner* p : catalogue()) {
    std::string needs;
    for (const char c : p->about().needs) needs += c == '|' ? "\\|" : std::string(1, c);
    text += fmt::format("| {} | {} | {} | {} | {} |\n", p->name(), p->about().machine, needs,
                        coverage(*p, forty), coverage(*p, sixty));
  }
  return text;
}

TEST(PlannersPage, lists_every_planner_and_what_the_proof_covers) {
  if (testing::sanitized() && !testing::full_run()) GTEST_SKIP() << "minutes with sanitizers";
  constexpr std::string_view begin = "<!-- table: made by tests/service/planners_page_test -->\n";
  constexpr std::string_view end = "<!-- end of table -->\n";
  const std::string path = testing::source_path("docs/planners.md");
  std::ifstream file(path);
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t from = page.find(begin);
  const std::size_t to = page.find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos);
  const std::string made = table();
  EXPECT_EQ(made.find("REFUSED"), std::string::npos) << made;
  const char* write = std::getenv("FARO_WRITE_DOCS");
  if (write != nullptr && std::string_view(write) == "1")
    std::ofstream(path) << page.substr(0, from + begin.size()) << made << page.substr(to);
  else
    EXPECT_EQ(page.substr(from + begin.size(), to - from - begin.size()), made)
        << "FARO_WRITE_DOCS=1 writes the page";
}

}  // namespace
}  // namespace faro
