// fat-tree:SHAPE,up=LINKS: its text and file, its rule about links upward, which both verifiers and
// a count of this test's own must see alike, its bound and the certificate of that.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "faro/base/error.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/schedules/json.hpp"
#include "machines/bounds.hpp"
#include "machines/certificates/check.hpp"
#include "machines/verdict_of.hpp"
#include "maps.hpp"
#include "schedules/machine_kind.hpp"

namespace faro {
namespace {

TEST(FatTree, has_a_text_and_says_what_is_wrong_in_one) {
  const Machine machine = machine_from("fat-tree:4x4x8,up=8x2");
  const auto& tree = std::get<Crossbar>(machine);
  EXPECT_EQ(tree.bits, 7);
  const std::vector<Crossbar::Tier> tiers = {{.processors_log2 = 5, .up_log2 = 3},
                                             {.processors_log2 = 3, .up_log2 = 1}};
  EXPECT_EQ(tree.tiers, tiers);
  EXPECT_EQ(kind_of(machine).unit(), "steps");
  for (const char* text :
       {"fat-tree:4x4x8,up=8x2", "fat-tree:2x2,up=1", "fat-tree:2^20x4x2^20,up=2^22x1"})
    EXPECT_EQ(to_string(machine_from(text)), text);
  EXPECT_EQ(to_string(machine_from("fat-tree:4x8")), "fat-tree:4x8,up=8");
  EXPECT_NE(machine_from("fat-tree:4x8"), machine_from("ranks:32"));
  for (const char* wrong :
       {"fat-tree:8", "fat-tree:4x3", "fat-tree:1x4", "fat-tree:4x1", "fat-tree:4x8,up=16",
        "fat-tree:4x8,up=3", "fat-tree:4x8,up=2x2", "fat-tree:4x4x8,up=2", "fat-tree:4x8,up=0",
        "fat-tree:4x8,", "fat-tree:2^40x2^40", "fat-tree:4x8x", "fat-tree:"})
    EXPECT_THROW(machine_from(wrong), Error) << wrong;
}

// Everybody of fat-tree:2x4,up=2 sends its one element to where it goes, in steps of these senders.
RecordingSink sent(const std::vector<Word>& to, const std::vector<std::vector<Word>>& steps) {
  RecordingSink schedule;
  MovesGoal goal;
  for (Word p = 0; p < to.size(); ++p) goal.moves.push_back({p, 0, to[p], 1});
  schedule.header.machine = machine_from("fat-tree:2x4,up=2");
  schedule.header.goal = goal;
  schedule.header.slots = 2;
  schedule.header.result = {1};
  for (const std::vector<Word>& senders : steps) {
    PopsSlot slot;
    for (const Word p : senders) {
      slot.sends.push_back({p, 0, {to[p]}});
      slot.receives.push_back({to[p], p, 1});
    }
    schedule.pops_slots.push_back(slot);
  }
  return schedule;
}

TEST(FatTree, links_upward_carry_so_many_and_no_more) {
  const std::vector<Word> across = {4, 5, 6, 7, 0, 1, 2, 3};
  const RecordingSink good = sent(across, {{0, 1, 4, 5}, {2, 3, 6, 7}});
  const RecordingSink crowded = sent(across, {{0, 1, 2, 3, 4, 5, 6, 7}});
  const RecordingSink way_out = sent(across, {{0, 1, 2, 4, 5}, {3, 6, 7}});
  const RecordingSink inside = sent({1, 2, 3, 0, 5, 6, 7, 4}, {{0, 1, 2, 3, 4, 5, 6, 7}});
  for (auto make : {make_replay, make_proof}) {
    EXPECT_TRUE(testing::verdict_of(make(), good).ok());
    EXPECT_TRUE(testing::verdict_of(make(), inside).ok());
    for (const RecordingSink* wrong : {&crowded, &way_out}) {
      const Verdict verdict = testing::verdict_of(make(), *wrong);
      ASSERT_FALSE(verdict.violations.empty());
      EXPECT_EQ(verdict.answer, Verdict::Answer::no);
      EXPECT_EQ(verdict.violations.front().rule, "R11");
      EXPECT_EQ(verdict.violations.front().step, 0);
    }
    EXPECT_EQ(testing::verdict_of(make(), crowded).violation_count, make == make_replay ? 4 : 1);
  }
  // A switch without links of its own has room for all.
  RecordingSink wide = crowded;
  wide.header.machine = machine_from("fat-tree:2x4");
  EXPECT_TRUE(testing::verdict_of(make_replay(), wide).ok());
  EXPECT_TRUE(testing::verdict_of(make_proof(), wide).ok());
}

Machine random_tree(int bits, Random& random) {
  Crossbar tree{.bits = bits};
  for (int below = bits - 1; below > 0; --below) {
    if (random.below(2) == 0 && !(below == 1 && tree.tiers.empty())) continue;
    tree.tiers.push_back(
        {below, static_cast<int>(random.below(static_cast<std::uint64_t>(below) + 1))});
  }
  return tree;
}

// Whether some switch has more to carry than links, hop by hop: what the verifiers are held to.
bool is_crowded(const Crossbar& tree, const PopsSlot& slot) {
  std::vector<std::pair<Word, Word>> hops;
  for (const PopsSend& send : slot.sends)
    for (const Word to : send.to_groups) hops.emplace_back(send.processor, to);
  for (const PopsRule& rule : slot.rules)
    for (Word p = 0; p < bit(tree.bits); ++p) {
      if (!std::all_of(rule.where.begin(), rule.where.end(),
                       [&](const Parity& c) { return c.holds(p); }))
        continue;
      Word to = 0;
      for (const Parity& row : rule.to) to = to << 1U | (parity(p & row.mask) ^ row.value);
      hops.emplace_back(p, to);
    }
  for (const Crossbar::Tier& tier : tree.tiers) {
    std::map<std::pair<Word, bool>, std::uint64_t> carried;
    for (const auto& [from, to] : hops) {
      const Word a = from >> tier.processors_log2;
      const Word b = to >> tier.processors_log2;
      if (a == b) continue;
      if (++carried[{a, true}] > bit(tier.up_log2)) return true;
      if (++carried[{b, false}] > bit(tier.up_log2)) return true;
    }
  }
  return false;
}

// Steps of a few rules, on parts of the processors, or of messages.
TEST(FatTree, both_verifiers_see_crowded_links_where_a_count_does) {
  Random random(11);
  int crowded = 0;
  int free = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const int bits = 2 + static_cast<int>(random.below(4));
    RecordingSink schedule;
    schedule.header.machine = random_tree(bits, random);
    const auto& tree = std::get<Crossbar>(schedule.header.machine);
    schedule.header.goal = MapGoal{.map = BitMap::identity(bits)};
    schedule.header.slots = 4;
    schedule.header.result = {0};
    PopsSlot slot;
    const BitMap map = testing::random_affine(bits, random);
    if (trial % 3 == 0) {
      for (Word p = 0; p < bit(bits); ++p)
        if (random.below(3) == 0) {
          slot.sends.push_back({p, 0, {map(p)}});
          slot.receives.push_back({map(p), p, 1});
        }
    } else {
      // Disjoint parts of one permutation, so that only links can be crowded.
      const Word mask = 1 + random.below(bit(bits) - 1);
      for (unsigned value = 0; value < 2; ++value) {
        if (random.below(3) == 0) continue;
        PopsRule rule{.where = {{mask, value}}, .reg = 0, .to = {}, .into = 1};
        if (random.below(2) == 0) rule.where.push_back({1 + random.below(bit(bits) - 1), 1});
        for (int b = bits - 1; b >= 0; --b)
          rule.to.push_back({map.matrix().row(b), unsigned{has_bit(map.complement(), b)}});
        slot.rules.push_back(rule);
      }
    }
    schedule.pops_slots.push_back(slot);
    const bool wanted = is_crowded(tree, slot);
    for (auto make : {make_replay, make_proof}) {
      const Verdict verdict = testing::verdict_of(make(), schedule);
      ASSERT_EQ(testing::rules_of(verdict).contains("R11"), wanted)
          << trial << ' ' << to_string(schedule.header.machine) << testing::words_of(verdict);
    }
    ++(wanted ? crowded : free);
  }
  EXPECT_GT(crowded, 500);
  EXPECT_GT(free, 500);
}

// The most that one switch, or one processor, has to send over its links, by counting.
Count counted_bound(const Crossbar& tree, const std::vector<std::pair<Word, Word>>& moves) {
  std::vector<Crossbar::Tier> tiers = tree.tiers;
  tiers.push_back({});
  Count most = 0;
  for (const Crossbar::Tier& tier : tiers) {
    std::map<Word, Count> leaving;
    for (const auto& [from, to] : moves)
      if ((from ^ to) >> tier.processors_log2 != 0)
        most = std::max(
            most, ceil_div(++leaving[from >> tier.processors_log2], Count{1} << tier.up_log2));
  }
  return most;
}

TEST(FatTree, the_bound_is_counted_and_its_certificate_accepted) {
  Random random(7);
  std::set<std::size_t> kinds;
  for (int trial = 0; trial < 600; ++trial) {
    const int bits = 2 + static_cast<int>(random.below(4));
    const int memory = static_cast<int>(random.below(3));
    ScheduleHeader header;
    header.machine = random_tree(bits, random);
    std::vector<std::pair<Word, Word>> moves;
    if (trial % 3 == 0) {
      header.elements = 1 + random.below(5);
      const std::vector<Word> to = testing::random_permutation(bit(bits), random);
      MovesGoal goal;
      for (Word p = 0; p < to.size(); ++p)
        for (Slot s = 0; s < header.elements; ++s) {
          moves.emplace_back(p, to[p]);
          goal.moves.push_back({p, s, to[p], s});
        }
      header.goal = goal;
      header.bound = lower_bound(header.machine, to, header.elements);
    } else {
      header.elements = bit(memory);
      MapGoal goal{
          .map = testing::random_affine(bits + memory, random), .cut = true, .memory_bits = memory};
      if (trial % 3 == 1)
        goal.map = BitMap::from_places(testing::random_places(bits + memory, random));
      for (Word x = 0; x < bit(bits + memory); ++x)
        moves.emplace_back(x >> memory, goal.map(x) >> memory);
      header.goal = goal;
      header.bound = lower_bound(header.machine, goal, header.elements);
    }
    ASSERT_EQ(header.bound->value, counted_bound(std::get<Crossbar>(header.machine), moves))
        << trial << ' ' << to_string(header.machine);
    if (header.bound->value == 0) continue;
    kinds.insert(header.bound->certificate.index());
    const auto checked = certificates::check_bound(header);
    ASSERT_EQ(checked.answer, Verdict::BoundAnswer::checked)
        << trial << ' ' << to_string(header.machine) << checked.why << checked.refuted.value_or("");
    ++header.bound->value;
    EXPECT_TRUE(certificates::check_bound(header).refuted) << trial;
    --header.bound->value;
    // Another set of processors is none that shares links.
    if (auto* cut = std::get_if<certificate::Cut>(&header.bound->certificate)) {
      cut->where.front().mask |= 1;
      EXPECT_TRUE(certificates::check_bound(header).refuted) << trial;
    }
  }
  EXPECT_EQ(kinds.size(), 2U);
}

class Breaches : public ReadListener {
 public:
  void breach(Count, const std::string&, const std::string& message) override {
    all.push_back(message);
  }
  void warning(const std::string& message) override { all.push_back(message); }
  std::vector<std::string> all;
};

TEST(FatTree, files_say_the_tree) {
  const RecordingSink schedule = sent({4, 5, 6, 7, 0, 1, 2, 3}, {{0, 1, 4, 5}, {2, 3, 6, 7}});
  TextSink out;
  JsonWriter writer(out);
  schedule.replay_into(writer);
  const std::string text = out.text();
  const std::string said = R"("shape":[2,4],"up":[2])";
  ASSERT_NE(text.find(R"("kind":"fat-tree",)" + said), std::string::npos) << text;
  const auto read = [](const std::string& file, RecordingSink& sink) {
    TextSource source(file);
    Breaches breaches;
    read_schedule(source, sink, {}, breaches);
    return breaches.all;
  };
  RecordingSink again;
  EXPECT_TRUE(read(text, again).empty());
  EXPECT_EQ(again.header.machine, schedule.header.machine);
  EXPECT_EQ(again.pops_slots, schedule.pops_slots);
  for (const char* wrong :
       {R"("shape":[2,4],"up":[8])", R"("shape":[8],"up":[])", R"("shape":[2,4],"up":[2,2])",
        R"("shape":[1,8],"up":[2])", R"("shape":[2,3],"up":[2])", R"("shape":[2,4])"}) {
    std::string broken = text;
    broken.replace(broken.find(said), said.size(), wrong);
    RecordingSink sink;
    EXPECT_FALSE(read(broken, sink).empty()) << wrong;
  }
}

}  // namespace
}  // namespace faro
