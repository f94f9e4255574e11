// Every planner that takes one of these requests, on small machines of every kind: the bound of its
// plan is an object that the verifiers check, and the proof makes a claim.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "faro/base/error.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"

namespace faro {
namespace {

std::vector<std::uint64_t> shuffled(std::uint64_t count, Random& random) {
  std::vector<std::uint64_t> order(count);
  for (std::uint64_t i = 0; i < count; ++i) order[i] = i;
  for (std::uint64_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

std::vector<Request> small_requests() {
  std::vector<Request> all;
  struct Asked {
    const char* map;
    const char* machine;
    std::uint64_t elements;
  };
  const std::vector<Asked> maps = {
      {"a:4 -> ungray(a)", "cube:4", 5},
      {"a:4 -> gray(a)", "cube:4,one-port", 3},
      {"a:4 -> rev(a)", "cube:4,2-ports", 4},
      {"a:3 -> matrix(0x3, 0x6, 0x1)(a) ^ 0x2", "cube:3", 3},
      {"a:3 b:3 -> ungray(a) ungray(b)", "cube:6", 4},
      {"p:4 | m:3 -> rot(p m, 2)", "cube:4", 8},
      {"p:3 | m:3 -> m | p", "cube:3", 8},
      {"p:3 | m:3 -> m | p", "cube:3,one-port", 8},
      {"p:3 | m:2 -> rot(p, 1) | m", "cube:3", 4},
      {"p:3 | m:2 -> matrix(0x12, 0x9, 0x4, 0x3, 0x10)(p m)", "cube:3", 4},
      {"i:4 -> rev(i)", "mesh:4x4", 1},
      {"i:4 -> rot(i, 1)", "torus:4x4", 2},
      {"i:4 -> ungray(i)", "mesh:4x4,propagating", 1},
      {"i:3 -> matrix(0x3, 0x6, 0x1)(i)", "mesh:8", 1},
      {"i:4 -> rev(i)", "mesh:4x4,all-links", 3},
      {"i:4 -> ~i", "torus:4x4,all-links", 2},
      {"i:4 -> rev(i)", "pops:4,4", 1},
      {"i:4 -> rot(i, 1)", "pops:8,2", 2},
      {"i:4 -> gray(i)", "pops:4,4,multi-receive", 1},
      {"i:4 -> ungray(i)", "pops:2,8", 3},
      {"a:3 | m:3 -> m | a", "ranks:8", 8},
      {"a:3 -> ungray(a)", "ranks:8", 5},
      {"a:4 | m:3 -> rot(a m, 3)", "fat-tree:2x2x4,up=4x1", 8},
      {"a:4 -> ~a", "fat-tree:4x4,up=1", 5},
      {"a:2 -> ungray(a)", "cube:2", (1U << 20U) + 8U},
  };
  for (const Asked& asked : maps)
    all.push_back(Request::of(asked.map, asked.machine, asked.elements));
  Random random(31);
  for (const char* machine :
       {"cube:3", "cube:3,one-port", "mesh:4x4", "torus:4x4", "mesh:4x4,all-links", "pops:3,3",
        "pops:4,2", "ranks:8", "fat-tree:2x4,up=2"}) {
    const Machine on = machine_from(machine);
    const auto count = static_cast<std::uint64_t>(processors(on));
    all.push_back(Request::of(on, Destinations{shuffled(count, random)}, 2));
  }
  const Pops star = {.group_size = 3, .groups = 3};
  std::vector<std::uint64_t> relation = shuffled(9, random);
  for (const std::uint64_t to : shuffled(9, random)) relation.push_back(to);
  all.push_back(Request::of(star, Relation{relation}, 2));
  for (const auto kind :
       {Broadcast::Kind::one_to_all, Broadcast::Kind::all_to_all, Broadcast::Kind::personalised})
    all.push_back(Request::of(star, Broadcast{.kind = kind}));
  for (const auto kind : {Broadcast::Kind::one_to_all, Broadcast::Kind::all_to_all})
    for (const auto ports : {Hypercube::Ports::all, Hypercube::Ports::one})
      all.push_back(Request::of(Hypercube{3, ports}, Broadcast{.kind = kind}));
  for (const Pops& pops : {Pops{4, 4}, Pops{8, 2}, Pops{2, 8}, Pops{4, 4, true}, Pops{5, 4}})
    all.push_back(Request::of(pops, MatrixProduct{.order = 4}));
  const Machine cube = Hypercube{.dimensions = 3};
  for (const auto encoding : {Encoding::binary, Encoding::gray, Encoding::binary_gray})
    for (const auto finish :
         {ButterflyNetwork::Finish::as_planned, ButterflyNetwork::Finish::restored})
      all.push_back(Request::of(
          cube, ButterflyNetwork{.index_bits = 6, .encoding = encoding, .finish = finish}));
  all.push_back(Request::of(cube, BitonicSort{{.index_bits = 5}}));
  return all;
}

TEST(CheckedBounds, of_every_planner_on_small_machines) {
  const std::vector<Request> requests = small_requests();
  std::set<std::string> reached;
  for (const Planner* planner : catalogue())
    for (const Request& request : requests) {
      if (planner->refusal(request)) continue;
      try {
        const MachinePlan made = plan(request, {.algorithm = std::string(planner->name())});
        ASSERT_FALSE(made.verdicts().empty());
        for (const Verdict& verdict : made.verdicts())
          EXPECT_TRUE(verdict.bound == Verdict::BoundAnswer::checked ||
                      verdict.answer == Verdict::Answer::unprovable)
              << planner->name() << ", " << to_string(request.machine()) << ", question "
              << request.question().index() << ": " << verdict.bound_limit << " of "
              << made.bound().reason;
        // Nobody but a proof beyond its limits makes no claim, and no request here is there.
        for (const Verdict& verdict : made.verdicts()) EXPECT_TRUE(verdict.ok()) << verdict.limit;
        reached.insert(std::string(planner->name()));
      } catch (const Error& error) {
        // A search may find nothing.
        EXPECT_EQ(error.code(), ErrorCode::impossible) << planner->name() << ": " << error.what();
      }
    }
  EXPECT_GE(reached.size() * 4, catalogue().size() * 3);
}

}  // namespace
}  // namespace faro
