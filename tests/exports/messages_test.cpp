// Exports that a machine would run are run here: what every rank does in its order, ranks in any,
// by readers that share nothing with the writers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>

#include "base/random.hpp"
#include "exports/cases.hpp"
#include "faro/base/error.hpp"

namespace faro {
namespace {

std::size_t remote_moves(const MachinePlan& plan) {
  const std::string csv = exported(plan, "csv");
  std::size_t count = 0;
  for (std::size_t at = csv.find('\n') + 1; at < csv.size(); at = csv.find('\n', at) + 1) {
    std::uint64_t cells[4] = {};
    std::size_t from = at;
    for (std::uint64_t& cell : cells) {
      from = csv.find(',', from) + 1;
      cell = std::stoull(csv.substr(from));
    }
    count += std::stoull(csv.substr(csv.find(',', at) + 1)) != cells[2] ? 1U : 0U;
  }
  return count;
}

// ---- Chakra: a tar archive of protobuf messages

// Fields of a message: numbers, and what has a length.
struct Fields {
  std::multimap<unsigned, std::uint64_t> numbers;
  std::multimap<unsigned, std::string> texts;
};

std::uint64_t varint(const std::string& bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.at(at++));
    value |= std::uint64_t{byte & 127U} << shift;
    if (byte < 128) return value;
  }
}

Fields fields_of(const std::string& bytes) {
  Fields fields;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::uint64_t key = varint(bytes, at);
    const std::uint64_t value = varint(bytes, at);
    EXPECT_TRUE(key % 8 == 0 || key % 8 == 2);
    if (key % 8 == 0) {
      fields.numbers.emplace(key / 8, value);
    } else {
      fields.texts.emplace(key / 8, bytes.substr(at, value));
      at += value;
    }
  }
  return fields;
}

struct Node {
  bool sends = false;
  std::uint64_t from = 0, to = 0, tag = 0;
  std::vector<std::uint64_t> after;
  bool done = false;
};

std::map<std::uint64_t, Node> nodes_of(const std::string& file) {
  std::map<std::uint64_t, Node> nodes;
  std::size_t at = 0;
  bool first = true;
  while (at < file.size()) {
    const std::uint64_t size = varint(file, at);
    const Fields fields = fields_of(file.substr(at, size));
    at += size;
    if (std::exchange(first, false)) {
      EXPECT_EQ(fields.texts.count(1), 1U);
      continue;
    }
    Node node;
    const std::uint64_t type = fields.numbers.find(3)->second;
    EXPECT_TRUE(type == 5 || type == 6);
    node.sends = type == 5;
    for (auto [text, end] = fields.texts.equal_range(5); text != end; ++text)
      for (std::size_t i = 0; i < text->second.size();)
        node.after.push_back(varint(text->second, i));
    for (auto [text, end] = fields.texts.equal_range(10); text != end; ++text) {
      const Fields attribute = fields_of(text->second);
      const std::string name = attribute.texts.find(1)->second;
      const unsigned kind = name == "is_cpu_op" ? 27U : name == "comm_size" ? 9U : 7U;
      EXPECT_EQ(attribute.numbers.count(kind), 1U) << name;
      const std::uint64_t value = attribute.numbers.begin()->second;
      if (name == "comm_src") node.from = value;
      if (name == "comm_dst") node.to = value;
      if (name == "comm_tag") node.tag = value;
      if (name == "comm_size") {
        EXPECT_EQ(value, 8U);
      }
    }
    EXPECT_TRUE(nodes.emplace(fields.numbers.find(1)->second, node).second);
  }
  return nodes;
}

TEST(Messages, chakra_ends_and_carries_every_move) {
  for (const Case& c : cases()) {
    const MachinePlan plan = planned(c);
    const std::string tar = exported(plan, "chakra");
    ASSERT_EQ(tar.size() % 512, 0U);
    std::vector<std::map<std::uint64_t, Node>> ranks;
    std::size_t at = 0;
    for (; tar[at] != '\0';) {
      ASSERT_EQ(std::string(tar.c_str() + at), fmt::format("faro.{}.et", ranks.size()));
      EXPECT_EQ(tar.substr(at + 257, 5), "ustar");
      const std::size_t size = std::stoull(tar.substr(at + 124, 11), nullptr, 8);
      unsigned sum = 8 * ' ';
      for (std::size_t i = 0; i < 512; ++i)
        if (i < 148 || i >= 156) sum += static_cast<unsigned char>(tar[at + i]);
      EXPECT_EQ(sum, std::stoul(tar.substr(at + 148, 6), nullptr, 8));
      ranks.push_back(nodes_of(tar.substr(at + 512, size)));
      at += 512 + (size + 511) / 512 * 512;
    }
    EXPECT_EQ(tar.substr(at), std::string(1024, '\0'));
    EXPECT_EQ(ranks.size(), static_cast<std::size_t>(processors(plan.header().machine)));
    std::size_t sends = 0;
    std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> travelling;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t r = 0; r < ranks.size(); ++r)
        for (auto& [id, node] : ranks[r]) {
          if (node.done) continue;
          bool free = true;
          for (const std::uint64_t before : node.after) {
            ASSERT_LT(before, id);
            free = free && ranks[r].at(before).done;
          }
          if (!free) continue;
          EXPECT_EQ(node.sends ? node.from : node.to, r);
          if (node.sends) {
            EXPECT_TRUE(travelling.emplace(node.from, node.to, node.tag).second) << c;
            ++sends;
          } else if (travelling.erase({node.from, node.to, node.tag}) == 0) {
            continue;
          }
          node.done = moved = true;
        }
    }
    for (const auto& rank : ranks)
      for (const auto& [id, node] : rank) EXPECT_TRUE(node.done) << c;
    EXPECT_EQ(sends, remote_moves(plan)) << c;
  }
}

// ---- MSCCL: thread blocks at any speed, links that hold one chunk

struct Step {
  std::string type;
  char from_buffer = 0, to_buffer = 0;
  std::int64_t from = 0, to = 0, count = 0, block = -1, step = -1;
  bool awaited = false;
};
struct ThreadBlock {
  std::uint64_t gpu = 0;
  std::int64_t peer = -1;
  std::vector<Step> steps;
  std::size_t at = 0;
};
struct Algorithm {
  std::uint64_t gpus = 0;
  std::uint64_t chunks = 0;
  std::map<std::pair<std::uint64_t, char>, std::int64_t> sizes;  // of GPU and buffer
  std::vector<std::vector<ThreadBlock>> blocks;
};

Algorithm algorithm_of(const std::string& xml) {
  Algorithm a;
  std::istringstream in(xml);
  std::string line;
  const auto text = [&](const std::string& name) {
    const std::size_t at = line.find(" " + name + "=\"");
    EXPECT_NE(at, std::string::npos) << name << " in " << line;
    const std::size_t begin = at + name.size() + 3;
    return line.substr(begin, line.find('"', begin) - begin);
  };
  const auto number = [&](const std::string& name) { return std::stoll(text(name)); };
  while (std::getline(in, line)) {
    if (line.find("<algo ") != std::string::npos) {
      a.gpus = static_cast<std::uint64_t>(number("ngpus"));
      a.chunks = static_cast<std::uint64_t>(number("nchunksperloop"));
      for (const char* name :
           {"name", "proto", "nchannels", "coll", "inplace", "outofplace", "minBytes", "maxBytes"})
        EXPECT_FALSE(text(name).empty());
    } else if (line.find("<gpu ") != std::string::npos) {
      EXPECT_EQ(static_cast<std::size_t>(number("id")), a.blocks.size());
      for (const char* name : {"i", "o", "s"})
        a.sizes[{a.blocks.size(), name[0]}] = number(std::string(name) + "_chunks");
      a.blocks.emplace_back();
    } else if (line.find("<tb ") != std::string::npos) {
      EXPECT_EQ(static_cast<std::size_t>(number("id")), a.blocks.back().size());
      EXPECT_EQ(number("send"), number("recv"));
      EXPECT_NE(number("send"), static_cast<std::int64_t>(a.blocks.size() - 1));
      a.blocks.back().push_back({a.blocks.size() - 1, number("send"), {}});
    } else if (line.find("<step ") != std::string::npos) {
      std::vector<Step>& steps = a.blocks.back().back().steps;
      EXPECT_EQ(static_cast<std::size_t>(number("s")), steps.size());
      EXPECT_LT(number("cnt"), 72);
      steps.push_back({text("type"), text("srcbuf")[0], text("dstbuf")[0], number("srcoff"),
                       number("dstoff"), number("cnt"), number("depid"), number("deps"),
                       number("hasdep") == 1});
    }
  }
  return a;
}

// The rules of the parser.
void expect_legal(const Algorithm& a) {
  for (const auto& gpu : a.blocks) {
    std::set<std::int64_t> peers;
    for (const ThreadBlock& block : gpu) {
      EXPECT_TRUE(block.peer < 0 || peers.insert(block.peer).second);
      bool waits = false;
      for (const Step& s : block.steps) {
        if (s.block >= 0) {
          ASSERT_LT(static_cast<std::size_t>(s.block), gpu.size());
          const auto& other = gpu[static_cast<std::size_t>(s.block)].steps;
          ASSERT_LT(static_cast<std::size_t>(s.step), other.size());
          EXPECT_TRUE(other[static_cast<std::size_t>(s.step)].awaited);
        }
        // A chain of waits ends in an operation that waits itself.
        if (s.type != "nop") {
          EXPECT_TRUE(!waits || s.block >= 0);
        }
        waits = s.type == "nop";
        const auto fits = [&](char buffer, std::int64_t at) {
          return at >= 0 && at + s.count <= a.sizes.at({block.gpu, buffer});
        };
        if (s.type == "s" || s.type == "cpy") {
          EXPECT_TRUE(fits(s.from_buffer, s.from));
        }
        if (s.type == "r" || s.type == "cpy") {
          EXPECT_TRUE(fits(s.to_buffer, s.to));
        }
      }
      EXPECT_FALSE(waits);
    }
  }
}

using Memory = std::map<std::tuple<std::uint64_t, char, std::int64_t>, Place>;

// Runs thread blocks in a random order; false if they wait for each other for ever.
bool run(Algorithm a, Random& random, Memory& memory) {
  for (std::uint64_t g = 0; g < a.gpus; ++g)
    for (std::uint64_t k = 0; k < a.chunks; ++k)
      memory[{g, 'i', static_cast<std::int64_t>(k)}] = {g, k};
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::deque<std::optional<Place>>> links;
  std::vector<ThreadBlock*> running;
  for (auto& gpu : a.blocks)
    for (ThreadBlock& block : gpu)
      if (!block.steps.empty()) running.push_back(&block);
  const auto can = [&](const ThreadBlock& b) {
    const Step& s = b.steps[b.at];
    if (s.block >= 0 &&
        a.blocks[b.gpu][static_cast<std::size_t>(s.block)].at <= static_cast<std::size_t>(s.step))
      return false;
    const auto peer = static_cast<std::uint64_t>(b.peer);
    if (s.type == "s") return links[{b.gpu, peer}].empty();
    return s.type != "r" || !links[{peer, b.gpu}].empty();
  };
  while (!running.empty()) {
    random.mix(running);
    const auto next =
        std::find_if(running.begin(), running.end(), [&](const ThreadBlock* b) { return can(*b); });
    if (next == running.end()) return false;
    ThreadBlock& b = **next;
    const Step& s = b.steps[b.at++];
    const auto peer = static_cast<std::uint64_t>(b.peer);
    const auto held = [&](char buffer, std::int64_t at) -> std::optional<Place> {
      const auto found = memory.find({b.gpu, buffer, at});
      return found == memory.end() ? std::nullopt : std::optional<Place>(found->second);
    };
    const auto put = [&](char buffer, std::int64_t at, const std::optional<Place>& value) {
      if (value)
        memory[{b.gpu, buffer, at}] = *value;
      else
        memory.erase({b.gpu, buffer, at});
    };
    if (s.type == "s") links[{b.gpu, peer}].push_back(held(s.from_buffer, s.from));
    if (s.type == "r") {
      put(s.to_buffer, s.to, links[{peer, b.gpu}].front());
      links[{peer, b.gpu}].pop_front();
    }
    if (s.type == "cpy")
      for (std::int64_t k = 0; k < s.count; ++k)
        put(s.to_buffer, s.to + k, held(s.from_buffer, s.from + k));
    if (b.at == b.steps.size()) running.erase(next);
  }
  return true;
}

TEST(Messages, msccl_brings_every_chunk_where_the_goal_says) {
  Random random(1);
  std::vector<Case> all = cases();
  all.push_back({"a:2 -> ungray(a)", "cube:2", 100});  // more chunks than are copied at once
  all.push_back({"a:4 | m:4 -> m | a", "cube:4", 0});  // more inside than one thread block takes
  for (const Case& c : all) {
    const MachinePlan plan = planned(c);
    const Algorithm a = algorithm_of(exported(plan, "msccl"));
    expect_legal(a);
    const auto& goal = std::get<MapGoal>(plan.header().goal);
    for (int round = 0; round < 3; ++round) {
      Memory memory;
      ASSERT_TRUE(run(a, random, memory)) << c;
      for (std::uint64_t p = 0; p < a.gpus; ++p)
        for (std::uint64_t s = 0; s < a.chunks; ++s) {
          const int m = goal.cut ? goal.memory_bits : 0;
          const Word to = goal.cut ? goal.map((p << m) | s) : goal.map(p);
          const std::uint64_t gpu = goal.cut ? to >> m : to;
          const std::uint64_t chunk = goal.cut ? to & low_mask(m) : s;
          const auto there = memory.find({gpu, 'o', static_cast<std::int64_t>(chunk)});
          ASSERT_NE(there, memory.end()) << c;
          EXPECT_EQ(there->second, Place(p, s)) << c;
        }
    }
  }
}

TEST(Messages, what_msccl_cannot_take_is_refused) {
  const auto refused = [](const char* map, const char* machine, std::uint64_t elements) {
    try {
      exported(planned({map, machine, elements}), "msccl");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refused("i:3 -> ~i", "cube:3", 300).find("256"), std::string::npos);
  EXPECT_NE(refused("a:1 | m:13 -> a | rev(m)", "cube:1", 0).find("ranks:"), std::string::npos);
  EXPECT_NE(refused("a:6 | m:6 -> m | a", "ranks:64", 0).find("32"), std::string::npos);
}

TEST(Messages, booksim_says_its_own_patterns_and_no_other) {
  const auto said = [](const char* map, const char* machine, std::uint64_t elements) {
    return exported(planned({map, machine, elements}), "booksim");
  };
  const std::string torus = said("i:4 -> rev(i)", "torus:4x4,all-links", 3);
  for (const char* line : {"topology = torus;", "k = 4;", "n = 2;", "routing_function = dim_order;",
                           "traffic = bitrev;", "batch_size = 3;"})
    EXPECT_NE(torus.find(line), std::string::npos) << line;
  const std::string cube = said("i:4 -> rot(i, 1)", "cube:4", 2);
  EXPECT_NE(cube.find("topology = mesh;\nk = 2;\nn = 4;"), std::string::npos);
  EXPECT_NE(cube.find("traffic = shuffle;"), std::string::npos);
  EXPECT_NE(said("i:4 -> i[1:0] i[3:2]", "mesh:4x4", 1).find("traffic = transpose;"),
            std::string::npos);
  EXPECT_NE(said("i:4 -> ~i", "ranks:16", 1).find("topology = fly;\nk = 16;\nn = 1;"),
            std::string::npos);
  EXPECT_THROW(said("i:4 -> ungray(i)", "cube:4", 2), Error);
  EXPECT_THROW(said("i:4 -> rev(i)", "pops:4,4", 1), Error);
  EXPECT_THROW(said("i:4 -> rev(i)", "mesh:2x8", 1), Error);
  EXPECT_THROW(said("a:2 | m:2 -> m | a", "cube:2", 0), Error);
}

}  // namespace
}  // namespace faro
