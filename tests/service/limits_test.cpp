// Every maximum of base/limits.hpp: asked for one below it, at it and one above it, or here with
// the reason why not. docs/limits.md is made from the header; FARO_WRITE_DOCS=1 writes it.
#include "faro/base/limits.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <regex>
#include <set>

#include "faro/base/error.hpp"
#include "faro/base/progress.hpp"
#include "faro/files/array_file.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/planners/planner.hpp"
#include "faro/schedules/json.hpp"
#include "faro/schedules/schedule.hpp"
#include "faro/service/plan.hpp"
#include "faro/words/say.hpp"
#include "layouts/foreign.hpp"
#include "machines/mesh/geometry.hpp"
#include "paths.hpp"
#include "pictures/map_figure.hpp"
#include "pictures/schedule_figure.hpp"
#include "service/limits.hpp"

namespace faro {
namespace {

using testing::around;
using testing::Asked;
using testing::doubled;
using testing::plans;
using testing::taken;

struct Limit {
  std::string name;
  std::string value;
  std::string reason;
};

// The constants of the header, each with the comment above its group.
std::vector<Limit> limits_of_header() {
  std::ifstream in(testing::source_path("include/faro/base/limits.hpp"));
  const std::regex constant(R"(inline constexpr [a-z_:0-9]+ ([a-z_0-9]+) = (.*);)");
  const std::regex power(R"(std::[a-z0-9_]+\{1\} << (\d+)U?)");
  std::vector<Limit> all;
  std::string reason;
  bool in_comment = false;
  for (std::string line; std::getline(in, line);) {
    std::smatch found;
    if (line.starts_with("// ")) {
      reason = in_comment ? reason + ' ' + line.substr(3) : line.substr(3);
      in_comment = true;
      continue;
    }
    in_comment = false;
    if (!std::regex_match(line, found, constant)) continue;
    const std::string value = found[2];
    std::smatch shift;
    all.push_back(
        {found[1],
         std::regex_match(value, shift, power) ? fmt::format("2^{}", shift[1].str()) : value,
         reason});
  }
  return all;
}

Request swapped(const std::string& machine, std::uint64_t count, std::uint64_t elements) {
  std::vector<std::uint64_t> to(count);
  std::iota(to.begin(), to.end(), 0);
  std::swap(to[0], to[3]);
  std::swap(to[0], to[5]);
  return Request::of(machine_from(machine), Destinations{to}, elements);
}

std::string repeated(const char* text, std::uint64_t times) {
  std::string all;
  for (std::uint64_t i = 0; i < times; ++i) all += text;
  return all;
}

// A schedule file with this value of a key that nobody knows.
bool reads(const std::string& value) {
  const std::string file =
      R"({"format":"faro-schedule/1","machine":{"kind":"hypercube","dimensions":1,"ports":"all"},)"
      R"("map":"p:1 -> p","elements":1,"slots":1,"other":)" +
      value + R"(,"steps":[]})";
  return taken([&] {
    TextSource source(file);
    static_cast<void>(verify_schedule(source, {}));
  });
}

bool reads_npy(const std::string& literal) {
  std::string header = std::string("\x93NUMPY\x02\x00", 8);
  for (unsigned i = 0; i < 4; ++i) header += static_cast<char>(literal.size() >> (8 * i) & 0xffU);
  header += literal;
  return taken(
      [&] { static_cast<void>(parse_npy_header(std::as_bytes(std::span(header)), "array")); });
}
std::string npy_of(const std::string& type, const std::string& shape) {
  return "{'descr': " + type + ", 'fortran_order': False, 'shape': (" + shape + "), }\n";
}

bool reads_layout(const std::string& words, std::vector<std::uint64_t> shape = {}) {
  return taken([&] {
    static_cast<void>(read_foreign(words, {.shape = shape, .width = {}, .devices = {}}));
  });
}

void add_words_and_files(std::vector<Asked>& all) {
  using namespace limits;
  all.push_back(around("address_bits_max", address_bits_max, [](std::uint64_t n) {
    return taken([&] { static_cast<void>(say(fmt::format("i:{} -> ~i", n))); });
  }));
  all.push_back(around("machine_bits_max", machine_bits_max, [](std::uint64_t n) {
    return taken([&] { static_cast<void>(machine_from(fmt::format("cube:{}", n))); });
  }));
  all.push_back(around("mesh_bits_max", mesh_bits_max, [](std::uint64_t n) {
    return taken([&] {
      static_cast<void>(MeshGeometry(Mesh{.sides_log2 = {static_cast<int>(n) - 30, 30}}));
    });
  }));
  all.push_back(around("notation_bytes_max", notation_bytes_max, [](std::uint64_t n) {
    const std::string text = "i:4 -> i";
    return taken([&] { static_cast<void>(say(text + repeated(" ", n - text.size()))); });
  }));
  all.push_back(around("circuit_bytes_max", circuit_bytes_max, [](std::uint64_t n) {
    const std::string text = "qiskit:x(0);";
    return taken([&] { static_cast<void>(say(text + repeated(" ", n + 7 - text.size()))); });
  }));
  all.push_back(around("notation_depth_max", notation_depth_max, [](std::uint64_t n) {
    return taken(
        [&] { static_cast<void>(say("i:4 -> " + repeated("(", n) + "i" + repeated(")", n))); });
  }));
  all.push_back(around("npy_header_bytes_max", npy_header_bytes_max, [](std::uint64_t n) {
    const std::string text = npy_of("'<u8'", "4,");
    return reads_npy(text.substr(0, text.size() - 1) + repeated(" ", n - text.size()) + "\n");
  }));
  all.push_back(around("npy_axes_max", npy_axes_max, [](std::uint64_t n) {
    return reads_npy(npy_of("'<u8'", repeated("1,", n)));
  }));
  all.push_back(around("npy_bytes_max", npy_bytes_max, [](std::uint64_t n) {
    return reads_npy(npy_of("'|u1'", std::to_string(n) + ","));
  }));
  all.push_back(around("npy_depth_max", npy_depth_max, [](std::uint64_t n) {
    return reads_npy(npy_of(repeated("[('f', ", n) + "'|u1'" + repeated(")]", n), "1,"));
  }));
  // The value stands in the object of the header.
  all.push_back(around("json_depth_max", json_depth_max, [](std::uint64_t n) {
    return reads(repeated("[", n - 1) + repeated("]", n - 1));
  }));
  all.push_back(around("json_token_bytes_max", json_token_bytes_max,
                       [](std::uint64_t n) { return reads('"' + std::string(n, 'x') + '"'); }));
  all.push_back(around("json_keys_max", json_keys_max, [](std::uint64_t n) {
    std::string object = "{";
    for (std::uint64_t k = 0; k < n; ++k) object += fmt::format("{}\"{}\":0", k == 0 ? "" : ",", k);
    return reads(object + "}");
  }));
}

void add_cubes(std::vector<Asked>& all) {
  using namespace limits;
  all.push_back(around("cube_elements_max", cube_elements_max, [](std::uint64_t n) {
    return plans("minimum-path", Request::of("a:3 -> ungray(a)", "cube:3", n));
  }));
  all.push_back(doubled("affine_memory_slots_max", affine_memory_slots_max, [](std::uint64_t n) {
    return plans(
        "affine-shop",
        Request::of(fmt::format("p:2 | m:{} -> gray(p m)[{}:{}] | gray(p m)[{}:0]", log2_exact(n),
                                log2_exact(n) + 1, log2_exact(n), log2_exact(n) - 1),
                    "cube:2"));
  }));
  all.push_back(around("shuffle_slots_log2_max", shuffle_slots_log2_max, [](std::uint64_t n) {
    return plans("shuffle-ring",
                 Request::of(fmt::format("p:4 | m:{} -> rot(p m, 4)", n), "cube:4"));
  }));
  all.push_back(around("turn_spread_log2_max", turn_spread_log2_max, [](std::uint64_t n) {
    return plans("cube-turns",
                 Request::of(fmt::format("p:20 | m:20 -> p[19:{0}] m[19:{1}] | m[{2}:0] p[{3}:0]",
                                         n, 20 - n, 19 - n, n - 1),
                             "cube:20"));
  }));
  all.push_back(around("phase_elements_max", phase_elements_max, [](std::uint64_t n) {
    return plans("parts-by-phases", Request::of("a:2 b:2 -> ungray(a) ungray(b)", "cube:4", n));
  }));
  all.push_back(around("phase_parts_max", phase_parts_max, [](std::uint64_t n) {
    std::string from;
    std::string to;
    for (std::uint64_t k = 0; k < n; ++k) {
      from += fmt::format("{}:2 ", static_cast<char>('a' + k));
      to += fmt::format(" ungray({})", static_cast<char>('a' + k));
    }
    return plans("parts-by-phases",
                 Request::of(from + "->" + to, fmt::format("cube:{}", 2 * n), 1));
  }));
  all.push_back(
      around("list_routing_dimensions_max", list_routing_dimensions_max, [](std::uint64_t n) {
        return plans("balanced-lists",
                     swapped(fmt::format("cube:{}", n), bit(static_cast<int>(n)), 1));
      }));
  all.push_back(around("list_routing_elements_max", list_routing_elements_max, [](std::uint64_t n) {
    return plans("balanced-lists", swapped("cube:3", 8, n / 8 + (n % 8 == 0 ? 0 : 1)));
  }));
  all.back().below -= 7;
  all.push_back(around("butterfly_list_log2_max", butterfly_list_log2_max, [](std::uint64_t n) {
    return plans("butterfly-list",
                 Request::of(Hypercube{.dimensions = 3},
                             ButterflyNetwork{.index_bits = static_cast<int>(n)}));
  }));
  all.push_back(around("butterfly_memory_log2_max", butterfly_memory_log2_max, [](std::uint64_t n) {
    return taken([&] {
      static_cast<void>(Request::of(Hypercube{.dimensions = 2},
                                    ButterflyNetwork{.index_bits = static_cast<int>(n) + 2}));
    });
  }));
}

void add_other_machines(std::vector<Asked>& all) {
  using namespace limits;
  all.push_back(around("ranks_elements_max", ranks_elements_max, [](std::uint64_t n) {
    return plans("ranks-rounds", Request::of("i:3 -> rev(i)", "ranks:8", n));
  }));
  all.push_back(around("ranks_rules_log2_max", ranks_rules_log2_max, [](std::uint64_t n) {
    return plans("ranks-rounds",
                 Request::of(fmt::format("p:2 | m:{} -> ~p | rot(m, 1)", n), "ranks:4"));
  }));
  all.push_back(
      around("links_elements_log2_max", bit(links_elements_log2_max - 4), [](std::uint64_t n) {
        return plans("links-dimension-order",
                     Request::of("i:4 -> rev(i)", "torus:4x4,all-links", n));
      }));
  all.push_back(
      around("links_negotiated_log2_max", bit(links_negotiated_log2_max - 4), [](std::uint64_t n) {
        return plans("links-congestion", Request::of("i:4 -> rev(i)", "torus:4x4,all-links", n));
      }));
  all.push_back(around("mesh_sweep_log2_max", mesh_sweep_log2_max, [](std::uint64_t n) {
    return plans("mesh-sweep",
                 Request::of("i -> ~i", fmt::format("mesh:{}x1", bit(static_cast<int>(n))), 1));
  }));
  all.push_back(around("mesh_goal_moves_max", mesh_goal_moves_max / 8, [](std::uint64_t n) {
    return plans("mesh-sweep", swapped("mesh:8x1", 8, n));
  }));
  all.push_back(around("one_to_all_processors_max", one_to_all_processors_max, [](std::uint64_t n) {
    return plans("pops-one-to-all", Request::of(Pops{.group_size = n, .groups = 1}, Broadcast{}));
  }));
  all.push_back(around("all_to_all_processors_max", all_to_all_processors_max, [](std::uint64_t n) {
    return plans("pops-all-to-all", Request::of(Pops{.group_size = n, .groups = 1},
                                                Broadcast{.kind = Broadcast::Kind::all_to_all}));
  }));
  all.push_back(
      around("personalised_processors_max", personalised_processors_max, [](std::uint64_t n) {
        return plans("pops-personalised",
                     Request::of(Pops{.group_size = n, .groups = 1},
                                 Broadcast{.kind = Broadcast::Kind::personalised}));
      }));
}

void add_lists_and_layouts(std::vector<Asked>& all) {
  using namespace limits;
  all.push_back(around("layout_depth_max", layout_depth_max, [](std::uint64_t n) {
    return reads_layout("cute:" + repeated("(", n) + "4" + repeated(")", n) + ":" +
                        repeated("(", n) + "1" + repeated(")", n));
  }));
  all.push_back(around("layout_mesh_axes_max", layout_mesh_axes_max, [](std::uint64_t n) {
    return reads_layout("dtensor:DeviceMesh(" + repeated("[", n) + "0" + repeated("]", n) + ") [" +
                            repeated("Replicate(), ", n - 1) + "Replicate()]",
                        {2});
  }));
  all.push_back(doubled("bits_in_turn_slots_max", bits_in_turn_slots_max, [](std::uint64_t n) {
    const std::string map = fmt::format("p:2 | m:{} -> rev(p m)", log2_exact(n));
    return plans("bits-in-turn", Request::of(map, "cube:2"));
  }));
  const auto lists = [](const std::string& machine, std::uint64_t k) {
    return plans("balanced-maps", Request::of("i -> ~i", machine, k));
  };
  all.push_back(around("list_map_dimensions_max", list_map_dimensions_max,
                       [=](std::uint64_t n) { return lists(fmt::format("cube:{}", n), 9); }));
  all.push_back(around("list_map_few_elements_dimensions_max", list_map_few_elements_dimensions_max,
                       [=](std::uint64_t n) { return lists(fmt::format("cube:{}", n), 1); }));
  all.push_back(around("list_map_few_elements_max", list_map_few_elements_max,
                       [=](std::uint64_t k) { return lists("cube:8", k); }));
  all.push_back(
      around("list_map_few_ports_dimensions_max", list_map_few_ports_dimensions_max,
             [=](std::uint64_t n) { return lists(fmt::format("cube:{},one-port", n), 1); }));
  all.push_back(around("list_map_elements_max", list_map_elements_max / 8, [](std::uint64_t n) {
    return plans("balanced-maps", Request::of("i -> rev(i)", "cube:3", n));
  }));
  all.push_back(doubled("list_map_addresses_max", list_map_addresses_max, [](std::uint64_t n) {
    return plans(
        "balanced-maps",
        Request::of(fmt::format("p:2 | m:{} -> ~p | rev(m)", log2_exact(n) - 2), "cube:2"));
  }));
  all.push_back(around("ports_beside_elements_max", ports_beside_elements_max, [](std::uint64_t n) {
    return plans("ports-side-by-side", Request::of("i -> ungray(i)", "cube:3,2-ports", n));
  }));
  all.push_back(
      around("collectives_dimensions_max", collectives_dimensions_max, [](std::uint64_t n) {
        return plans("cube-all-to-all", Request::of(Hypercube{.dimensions = static_cast<int>(n)},
                                                    Broadcast{Broadcast::Kind::all_to_all}));
      }));
  all.push_back(around("mirrored_dimensions_max", mirrored_dimensions_max, [](std::uint64_t n) {
    return plans("affine-mirrored", Request::of("i -> ungray(i)", fmt::format("cube:{}", n), 1));
  }));
  all.push_back(around("mirrored_elements_max", mirrored_elements_max, [](std::uint64_t n) {
    return plans("affine-mirrored", Request::of("i -> ungray(i)", "cube:3", n));
  }));
  all.push_back(around("in_parts_elements_max", in_parts_elements_max, [](std::uint64_t n) {
    return plans("elements-in-parts", Request::of("i -> ungray(i)", "cube:3", n));
  }));
  // With processors left over.
  all.push_back(doubled("matmul_listed_order_max", matmul_listed_order_max, [](std::uint64_t n) {
    return plans("pops-matmul-direct",
                 Request::of(Pops{.group_size = 2, .groups = n * n}, MatrixProduct{.order = n}));
  }));
}

// A schedule of so many steps on this machine, drawn.
bool draws(const Machine& machine, SchedulePicture what, std::uint64_t steps,
           std::uint64_t slots = 1) {
  return taken([&] {
    const auto push = [&](ScheduleSink& sink) {
      ScheduleHeader header;
      header.machine = machine;
      header.goal = MovesGoal{};
      header.slots = slots;
      sink.begin(header);
      if (std::holds_alternative<Pops>(machine)) {
        PopsSlot slot;
        slot.sends.push_back({0, 0, {0}});
        for (std::uint64_t i = 0; i < steps; ++i) sink.step(slot);
      } else {
        CubeStep step;
        step.moves.push_back({0, 0, 1, 0});
        for (std::uint64_t i = 0; i < steps; ++i) sink.step(step);
      }
      sink.finish();
    };
    static_cast<void>(schedule_figure(push, {.what = what}));
  });
}

void add_pictures(std::vector<Asked>& all) {
  using namespace limits;
  const Machine pair = Hypercube{.dimensions = 1};
  all.push_back(doubled("drawn_processors_max", drawn_processors_max, [](std::uint64_t n) {
    return draws(Hypercube{.dimensions = log2_exact(n)}, SchedulePicture::machine, 1);
  }));
  all.push_back(around("drawn_places_max", drawn_places_max / 2, [pair](std::uint64_t n) {
    return draws(pair, SchedulePicture::places, 1, n);
  }));
  all.push_back(around("drawn_places_steps_max", drawn_places_steps_max, [pair](std::uint64_t n) {
    return draws(pair, SchedulePicture::places, n);
  }));
  all.push_back(around("drawn_steps_max", drawn_steps_max,
                       [pair](std::uint64_t n) { return draws(pair, SchedulePicture::links, n); }));
  all.push_back(around("drawn_couplers_max", drawn_couplers_max, [](std::uint64_t n) {
    return draws(Pops{.group_size = 1, .groups = n}, SchedulePicture::links, 1);
  }));
  all.push_back(around("drawn_array_log2_max", drawn_array_log2_max, [](std::uint64_t n) {
    return taken([&] {
      static_cast<void>(map_figure(say(fmt::format("i:{} -> ~i", n)).as_bits(), MapPicture::array));
    });
  }));
}

// Not asked for, and why.
const std::map<std::string, const char*> not_asked = {
    {"symlinks_max", "the kernel refuses a chain of forty links itself; tests/files has a loop"},
    {"replay_elements_log2_max", "memory by construction: 256 MiB and more"},
    {"replay_places_log2_max", "memory by construction: half a gibibyte"},
    {"proof_pieces_of_slot_max", "work by construction; what gives up is in cube/hostile_test"},
    {"proof_pieces_max", "memory by construction; what gives up is in cube/hostile_test"},
    {"proof_work_max", "ten seconds of work by construction"},
    {"proof_states_max", "refuses nothing: the proof forgets and goes on"},
    {"expand_bits_max", "memory by construction: a step of 2^22 moves"},
    {"json_item_nodes_max", "memory by construction: 2^22 values"},
    {"json_item_bytes_max", "memory by construction: 64 MiB of one value"},
    {"step_items_max", "memory by construction: half a gibibyte"},
    {"loop_items_max", "memory by construction: 2^22 rules"},
    {"slots_max", "memory by construction: 2^22 slots of every processor"},
    {"three_fifths_entries_max", "memory by construction: 256 MiB"},
    {"affine_memory_packed_slots_max", "refuses nothing: groups of slots"},
    {"replay_default_log2_max", "refuses nothing: who watches; default_verifiers_test"},
    {"proof_listed_places_log2_max",
     "memory by construction; links/replay_test and pops/rules_test"},
    {"proof_listed_moves_log2_max", "memory by construction: half a gibibyte"},
    {"proof_product_places_log2_max", "memory by construction: some hundred megabytes"},
    {"replay_registers_max", "memory by construction: 2^20 registers"},
    {"claimed_bound_elements_max", "refuses nothing: the bound is called not checked"},
    {"certificate_dual_bits_max", "refuses nothing: the bound is called not checked"},
    {"links_crossings_log2_max", "memory by construction: 2^25 crossings are listed to count them"},
    {"rank_slices_max", "distributed/exchange_test cuts for small buffers"},
    {"c_program_rules_max", "memory by construction: 2^22 rules"},
    {"msccl_blocks_max", "what the format takes: a processor of 32 neighbours"},
    {"msccl_operations_max", "what the format takes: exports/messages_test"},
    {"msccl_processors_max", "memory by construction: 2^14 lists of operations"},
    {"player_moves_max", "memory by construction: 2^21 moves"},
    {"player_processors_max", "of the page alone: .ci/page draws"},
    {"player_channels_max", "refuses nothing: names of links are left out"},
    {"zarr_metadata_bytes_max", "memory by construction: 16 MiB of text"},
    {"zarr_json_depth_max", "disk/stored/array_form_test nests deeper"},
    {"zarr_group_depth_max", "memory by construction: a tree that is walked"},
    {"zarr_element_bytes_max", "memory by construction: a fill value of 1 MiB"},
    {"zarr_shard_chunks_max", "disk/stored/array_form_test asks for more"},
    {"pops_cells_max", "memory by construction: 2.5 GiB"},
    {"pops_slots_max", "a planner's own count of slots, in its refusal: pops/affine_test"},
    {"pops_list_log2_max", "memory by construction: gigabytes while planning"},
    {"pops_data_log2_max", "memory by construction: 2^22 destinations"},
    {"certificate_elements_log2_max", "refuses nothing: the bound is called not checked"},
    {"certificate_processors_log2_max", "refuses nothing: the bound is called not checked"},
    {"certificate_groups_max", "refuses nothing: the bound is called not checked"},
    {"certificate_carries_log2_max", "what the certificate itself speaks of: docs/bounds.md"},
    {"certificate_carries_choices_max", "refuses nothing: the bound is called not checked"},
    {"bound_carries_choices_max", "refuses nothing: a bound is looked for no further"},
    {"bound_departures_log2_max", "refuses nothing: a bound is looked for no further"},
    {"bound_weights_log2_max", "refuses nothing: a bound is looked for no further"},
    {"bound_map_groups_max", "refuses nothing: a bound is looked for no further"},
    {"bound_list_groups_max", "refuses nothing: a bound is looked for no further"},
    {"bound_weights_groups_max", "refuses nothing: the bound is called not checked"},
    {"torus_digit_part_log2_max", "a condition of a search; no refusal names it"},
    {"exchange_counted_log2_max", "refuses nothing: cosets; distributed/cost_test"},
    {"file_cycle_tiles_log2_max", "a condition of a search; no refusal names it"},
    {"file_plan_walked_log2_max", "of the program alone: .ci/program/disk.sh"},
    {"butterfly_rules_max", "ten seconds of work by construction"},
    {"program_pieces_max", "work by construction: seconds"},
    {"program_instructions_max", "memory by construction: a million instructions"},
    {"register_pieces_max", "work by construction: seconds"},
    {"turn_elements_log2_max", "refuses nothing: how large a turn is"},
    {"turn_listed_log2_max", "refuses nothing: how large a turn is"},
    {"mesh_gamma_log2_max", "a search of seconds at the limit"},
    {"mesh_gamma_looked_at_max", "a search of seconds at the limit; mesh/small_test"},
    {"torus_digit_log2_max", "a search of seconds at the limit"},
    {"matmul_order_max", "memory by construction: 2^24 processors"},
    {"exchange_local_log2_max", "more elements than memory: nothing below it is performed either"},
    {"trace_processors_max", "a trace of 2^16 lines"},
    {"figures_max", "pictures/schedule_figure_test draws and refuses"},
    {"page_schedule_bytes_max", "memory by construction: 256 MiB of text"},
};

TEST(Limits, what_is_asked_below_and_at_a_limit_is_taken_and_above_it_refused) {
  std::vector<Asked> all;
  add_words_and_files(all);
  testing::add_loops(all);
  add_cubes(all);
  add_other_machines(all);
  add_lists_and_layouts(all);
  add_pictures(all);
  testing::add_arrays(all);
  testing::add_certificates(all);
  std::set<std::string> seen;
  for (const Asked& asked : all) {
    EXPECT_TRUE(asked.taken(asked.below)) << asked.name;
    EXPECT_TRUE(asked.taken(asked.at)) << asked.name;
    EXPECT_FALSE(asked.taken(asked.above)) << asked.name;
    EXPECT_TRUE(seen.insert(asked.name).second) << asked.name;
  }
  for (const auto& [name, why] : not_asked) EXPECT_TRUE(seen.insert(name).second) << name;
  for (const Limit& limit : limits_of_header()) {
    EXPECT_EQ(seen.erase(limit.name), 1U) << limit.name << " is neither asked for nor excused";
    EXPECT_FALSE(limit.reason.empty()) << limit.name;
  }
  EXPECT_TRUE(seen.empty()) << *seen.begin() << " is no limit of the header";
}

TEST(Limits, the_page_is_that_of_the_header) {
  std::string made = "# Limits\n\n";
  made +=
      "Beyond one of these a request is refused with `Error(limit)`, exit code 4, or a planner "
      "refuses in words. They stand in `include/faro/base/limits.hpp`; this page is made from it "
      "by "
      "`tests/service/limits_test`, which asks for one below, at and one above each where that is "
      "cheap and says why where it is not.\n\n| limit | value | why |\n|---|---|---|\n";
  std::string last;
  for (const Limit& limit : limits_of_header()) {
    made += fmt::format("| `{}` | {} | {} |\n", limit.name, limit.value,
                        limit.reason == last ? "as above" : limit.reason);
    last = limit.reason;
  }
  const std::string path = testing::source_path("docs/limits.md");
  const char* write = std::getenv("FARO_WRITE_DOCS");
  if (write != nullptr && std::string_view(write) == "1") {
    std::ofstream(path) << made;
    return;
  }
  std::ifstream file(path);
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(page, made) << "FARO_WRITE_DOCS=1 writes the page";
}

}  // namespace
}  // namespace faro
