// The verifiers of the SIMD mesh against broken programs: each rule with one that only it catches,
// then mutants, on which replay, proof and a third way must agree.
#include "machines/mesh/verifiers.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "full.hpp"
#include "machines/mesh_cases.hpp"
#include "machines/mutator.hpp"
#include "machines/verdict_of.hpp"

namespace faro {
namespace {

using testing::header_for;
using testing::mesh_of;
using testing::verdict_of;

constexpr MeshRegister Rr = MeshRegister::r;
constexpr MeshRegister Rs = MeshRegister::s;
constexpr MeshRegister Rt = MeshRegister::t;

using Program = std::vector<MeshInstruction>;

RecordingSink program_of(const Mesh& mesh, const BitMap& map, Program program) {
  RecordingSink s;
  s.header = header_for(mesh, map);
  s.mesh_program = std::move(program);
  return s;
}

// COMPLEMENT(0) on a line of two: element 0 goes to 1, element 1 to 0.
RecordingSink complement() {
  return program_of(mesh_of({1}), BitMap::from_columns(std::vector<Word>{1}, 1),
                    {MeshCopy{Rr, Rs, {1, 1}, {}}, MeshRoute{0, -1}, MeshSwap{Rr, Rs, {1, 0}, {}},
                     MeshRoute{0, 1}, MeshCopy{Rs, Rr, {1, 1}, {}}});
}

TEST(MeshVerifiers, a_complement_on_a_line_of_two_is_right_and_counted) {
  for (auto* make : {mesh_replay, mesh_proof}) {
    const Verdict verdict = verdict_of(make(), complement());
    EXPECT_TRUE(verdict.ok()) << verdict.by;
    EXPECT_EQ(verdict.cost, (Cost{.unit_routes = 2, .long_routes = 2, .register_ops = 3}));
    EXPECT_EQ(verdict.delivered, 2U);
    EXPECT_EQ(verdict.expected, 2U);
  }
}

TEST(MeshVerifiers, each_rule_has_a_program_that_only_it_catches) {
  // Legal instructions that do nothing stand in for a broken one, so that the data stay right.
  const auto insert = [](MeshInstruction i) {
    return [=](RecordingSink& s) { s.mesh_program.insert(s.mesh_program.begin(), i); };
  };
  const auto goal = [](Goal other, std::uint64_t elements = 1) {
    return [=](RecordingSink& s) {
      s.header.goal = other;
      s.header.elements = elements;
    };
  };
  const std::vector<int> exchanged = {1, 0};
  const std::vector<testing::Hostile> cases = {
      {"dimension-range", insert(MeshRoute{1, 1})},
      {"dimension-range", insert(MeshRoute{-1, 1})},
      {"distance-range", insert(MeshRoute{0, 2})},
      {"distance-range", insert(MeshRoute{0, -2})},
      {"distance-range", insert(MeshRoute{0, 0})},
      {"mask-range", insert(MeshCopy{Rt, Rs, {2, 0}, {}})},
      {"mask-range", insert(MeshSwap{Rt, Rr, {0, 1}, {}})},
      {"condition-range", insert(MeshCopy{Rt, Rs, {}, {{2, 0}}})},
      {"condition-range", insert(MeshCopy{Rt, Rs, {}, {{1, 2}}})},
      {"same-register", insert(MeshCopy{Rs, Rs, {}, {}})},
      {"same-register", insert(MeshSwap{Rt, Rt, {}, {}})},
      {"registers",
       [&](RecordingSink& s) {
         insert(MeshCopy{Rt, Rs, {}, {}})(s);
         s.header.slots = 2;
       }},
      {"not-delivered", [](RecordingSink& s) { s.mesh_program.pop_back(); }},
      {"machine", [](RecordingSink& s) { s.header.elements = 0; }},
      {"machine", [](RecordingSink& s) { s.header.slots = 4; }},
      {"goal", goal(MovesGoal{{{0, 0, 1, 0}, {0, 0, 1, 0}}})},
      {"cost-claim",
       [](RecordingSink& s) {
         s.header.cost = CostClaim(Cost{.unit_routes = 1, .long_routes = 2, .register_ops = 3});
       }},
      {"bound-claim", [](RecordingSink& s) {
         s.header.bound = Bound{3, "wishful", {}};
       }}};
  testing::expect_refused(complement(), cases, {mesh_replay, mesh_proof});
  // Goals that the machine cannot mean.
  for (const testing::Change& change : std::vector<testing::Change>{
           goal(MapGoal{.map = BitMap::identity(2)}),
           goal(MapGoal{.map = BitMap::from_places(exchanged), .cut = true, .memory_bits = 1}, 2),
           goal(MatmulGoal{}), goal(MovesGoal{{{0, 0, 2, 0}}}), goal(MovesGoal{{{0, 0, 1, 1}}})}) {
    RecordingSink s = complement();
    change(s);
    for (auto* make : {mesh_replay, mesh_proof}) {
      const Verdict verdict = verdict_of(make(), s);
      ASSERT_FALSE(verdict.ok()) << verdict.by;
      EXPECT_EQ(verdict.violations.front().rule, "goal") << testing::words_of(verdict);
    }
  }
}

TEST(MeshVerifiers, elements_of_a_processor_move_alike_and_the_cost_is_one_performance) {
  RecordingSink c = complement();
  c.header.elements = 4;
  c.header.goal = MapGoal{
      .map = BitMap::from_columns(std::vector<Word>{1, 2, 4}, 4), .cut = true, .memory_bits = 2};
  for (auto* make : {mesh_replay, mesh_proof}) {
    const Verdict verdict = verdict_of(make(), c);
    EXPECT_TRUE(verdict.ok()) << verdict.by;
    EXPECT_EQ(verdict.cost.unit_routes, 2U);
    EXPECT_EQ(verdict.expected, 8U);
  }
}

TEST(MeshVerifiers, wraparound_decides_what_a_route_does) {
  // One route of half a ring complements the top bit; off the edge of a line it loses everything.
  const Program program = {MeshCopy{Rr, Rs, {}, {}}, MeshRoute{0, 4}, MeshCopy{Rs, Rr, {}, {}}};
  const BitMap top = BitMap::from_columns(std::vector<Word>{1, 2, 4}, 4);
  const auto answer = [&](Mesh::Wrap wrap, auto* make) {
    return verdict_of(make(), program_of(mesh_of({3}, wrap), top, program)).answer;
  };
  for (auto* make : {mesh_replay, mesh_proof}) {
    EXPECT_EQ(answer(Mesh::Wrap::none, make), Verdict::Answer::no);
    EXPECT_EQ(answer(Mesh::Wrap::orthogonal, make), Verdict::Answer::yes);
    EXPECT_EQ(answer(Mesh::Wrap::propagating, make), Verdict::Answer::yes);
  }
  // On 2x2 ROUTE(0, 1) brings 1 to 2 only where it carries into the next dimension.
  const std::vector<Move> goal = {{1, 0, 2, 0}};
  const Program one = {MeshCopy{Rr, Rs, {}, {}}, MeshRoute{0, 1}, MeshCopy{Rs, Rr, {}, {}}};
  for (const auto wrap : {Mesh::Wrap::orthogonal, Mesh::Wrap::propagating})
    for (auto* make : {mesh_replay, mesh_proof}) {
      RecordingSink s = program_of(mesh_of({1, 1}, wrap), BitMap::identity(2), one);
      s.header.goal = MovesGoal{goal};
      EXPECT_EQ(verdict_of(make(), s).ok(), wrap == Mesh::Wrap::propagating);
    }
}

// --- Mutants -----------------------------------------------------------------------------------

// What is where after a program, by coordinates and optional values: slow, plain, and unlike both
// verifiers.
bool truth(const Mesh& mesh, const BitMap& map, const Program& program) {
  std::vector<int> side;
  for (auto s = mesh.sides_log2.rbegin(); s != mesh.sides_log2.rend(); ++s)
    side.push_back(static_cast<int>(bit(*s)));
  const Word n = bit(map.width());
  std::vector<std::array<std::optional<Word>, 3>> reg(n);
  for (Word p = 0; p < n; ++p) reg[p][1] = p;
  for (const MeshInstruction& instruction : program) {
    if (const auto* route = std::get_if<MeshRoute>(&instruction)) {
      const auto k = static_cast<std::size_t>(route->dimension);
      if (route->by == 0 || std::abs(route->by) >= side[k]) return false;
      Word stride = 1;
      for (std::size_t i = 0; i < k; ++i) stride *= static_cast<Word>(side[i]);
      std::vector<std::optional<Word>> arrived(n);
      for (Word p = 0; p < n; ++p) {
        const std::int64_t c = static_cast<std::int64_t>(p / stride) % side[k];
        std::int64_t to = c + route->by;
        std::int64_t q = static_cast<std::int64_t>(p) + route->by * static_cast<int>(stride);
        if (mesh.wrap == Mesh::Wrap::none && (to < 0 || to >= side[k])) continue;
        if (mesh.wrap == Mesh::Wrap::orthogonal) {
          to = (to + side[k]) % side[k];
          q = static_cast<std::int64_t>(p) + (to - c) * static_cast<int>(stride);
        }
        if (mesh.wrap == Mesh::Wrap::propagating)
          q = (q + 8 * static_cast<std::int64_t>(n)) % static_cast<std::int64_t>(n);
        arrived[static_cast<Word>(q)] = reg[p][0];
      }
      for (Word p = 0; p < n; ++p) reg[p][0] = arrived[p];
      continue;
    }
    const bool copies = std::holds_alternative<MeshCopy>(instruction);
    const auto* copy = std::get_if<MeshCopy>(&instruction);
    const auto* swap = std::get_if<MeshSwap>(&instruction);
    const TernaryMask mask = copies ? copy->mask : swap->mask;
    const auto a = static_cast<std::size_t>(copies ? copy->to : swap->a);
    const auto b = static_cast<std::size_t>(copies ? copy->from : swap->b);
    if (a == b) return false;
    for (Word p = 0; p < n; ++p) {
      bool on = true;
      for (int i = 0; i < map.width(); ++i)
        on &= !has_bit(mask.care, i) || has_bit(mask.value, i) == has_bit(p, i);
      for (const Parity& c : copies ? copy->where : swap->where) on &= c.holds(p);
      if (!on) continue;
      const auto kept = reg[p][a];
      reg[p][a] = reg[p][b];
      if (!copies) reg[p][b] = kept;
    }
  }
  for (Word p = 0; p < n; ++p)
    if (reg[map(p)][1] != p) return false;
  return true;
}

struct Grown {
  Program program;
  BitMap map;
};

// Conditional complements and interchanges in one dimension, in blocks as planners write them.
Grown grow(Random& random, const Mesh& mesh) {
  std::vector<std::pair<int, int>> place;  // dimension and level by bit
  for (std::size_t k = 0; k < mesh.sides_log2.size(); ++k)
    for (int l = 0; l < mesh.sides_log2[mesh.sides_log2.size() - 1 - k]; ++l)
      place.emplace_back(static_cast<int>(k), l);
  const auto p = static_cast<int>(place.size());
  Grown grown{{}, BitMap::identity(p)};
  for (Word block = 0; block < 2 + random.below(3); ++block) {
    const auto i = static_cast<int>(random.below(static_cast<Word>(p)));
    const auto j = static_cast<int>(random.below(static_cast<Word>(p)));
    const auto [k, l] = place[static_cast<std::size_t>(i)];
    const auto [kj, lj] = place[static_cast<std::size_t>(j)];
    const auto g = static_cast<std::int64_t>(bit(l));
    if (i == j || kj != k) {
      const Word f = random.below(bit(p)) & ~bit(i);
      const auto v = static_cast<unsigned>(random.below(2));
      const std::vector<Parity> where = {{f, v}};
      for (const MeshInstruction& x : std::initializer_list<MeshInstruction>{
               MeshCopy{Rr, Rs, {bit(i), bit(i)}, where}, MeshRoute{k, -g},
               MeshSwap{Rr, Rs, {bit(i), 0}, where}, MeshRoute{k, g},
               MeshCopy{Rs, Rr, {bit(i), bit(i)}, where}})
        grown.program.push_back(x);
      std::vector<Word> columns;
      for (int b = 0; b < p; ++b) columns.push_back(bit(b) | (has_bit(f, b) ? bit(i) : 0));
      grown.map = then(grown.map, BitMap::from_columns(columns, v == 0 ? bit(i) : 0));
    } else {
      const std::int64_t by = g - static_cast<std::int64_t>(bit(lj));
      const Word both = bit(i) | bit(j);
      for (const MeshInstruction& x : std::initializer_list<MeshInstruction>{
               MeshCopy{Rr, Rs, {both, bit(j)}, {}}, MeshRoute{k, by},
               MeshSwap{Rr, Rs, {both, bit(i)}, {}}, MeshRoute{k, -by},
               MeshCopy{Rs, Rr, {both, bit(j)}, {}}})
        grown.program.push_back(x);
      std::vector<int> places(static_cast<std::size_t>(p));
      std::iota(places.begin(), places.end(), 0);
      std::swap(places[static_cast<std::size_t>(i)], places[static_cast<std::size_t>(j)]);
      grown.map = then(grown.map, BitMap::from_places(places));
    }
  }
  return grown;
}

TEST(MeshVerifiers, mutants_are_judged_alike_by_replay_by_proof_and_by_a_third_way) {
  Random random(7);
  const int rounds = testing::full_run() ? 100000 : (testing::sanitized() ? 400 : 4000);
  int right = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto wrap = static_cast<Mesh::Wrap>(random.below(3));
    const int p = 1 + static_cast<int>(random.below(5));
    const Mesh mesh = mesh_of(testing::random_shape(random, p), wrap);
    const Grown grown = grow(random, mesh);
    RecordingSink schedule = program_of(mesh, grown.map, grown.program);
    if (random.below(8) != 0) schedule = testing::Mutator(random.next(), schedule).next();
    const bool expected = truth(mesh, grown.map, schedule.mesh_program);
    right += expected ? 1 : 0;
    const Verdict replay = verdict_of(mesh_replay(), schedule);
    const Verdict proof = verdict_of(mesh_proof(), schedule);
    ASSERT_EQ(replay.ok(), expected) << "round " << round;
    ASSERT_EQ(proof.ok(), expected) << "round " << round;
    ASSERT_NE(proof.answer, Verdict::Answer::unprovable);
    ASSERT_EQ(proof.delivered, replay.delivered) << "round " << round;
    ASSERT_EQ(proof.cost, replay.cost);
  }
  EXPECT_GT(right, rounds / 20);
  EXPECT_LT(right, rounds / 2);
}

}  // namespace
}  // namespace faro
