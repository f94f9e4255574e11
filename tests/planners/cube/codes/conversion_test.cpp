// Every planner of code conversion over a grid of sizes: counted steps equal the promise, both
// verifiers agree, and none is above the best costs known.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "draft.hpp"
#include "full.hpp"
#include "judged.hpp"
#include "machines/bounds.hpp"
#include "papers/printed/printed.hpp"
#include "paths.hpp"
#include "planners/cube/codes/exchange_sequence.hpp"
#include "planners/cube/codes/minimum_path.hpp"
#include "planners/cube/codes/one_port_half.hpp"
#include "planners/cube/codes/services.hpp"
#include "planners/cube/codes/several_fields.hpp"
#include "planners/cube/codes/two_thirds.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

using nlohmann::json;
using testing::built_and_verified;
using testing::cube_request_of;
using testing::full_run;
using testing::gray_to_binary;

const json& golden() {
  static const json data =
      json::parse(std::ifstream(testing::source_path("tests/data/conversion.json")));
  return data;
}

const std::vector<const Planner*> all_ports{&minimum_path,  &non_minimum_path,
                                            &two_bits,      &conversion_table,
                                            &services_ring, &fields_by_phases};
const std::vector<const Planner*> one_port{&exchange_sequence, &one_port_half};

bool by_replay(int dimensions, std::uint64_t elements) {
  return full_run() || (elements << dimensions) <= (testing::sanitized() ? 512U : 4096U);
}

// Every planner that applies, forwards and backwards; `judged` counts them.
void check_all(int dimensions, const BitMap& map, std::uint64_t elements, testing::Judged& judged) {
  for (const auto& m : {map, map.inverse()})
    for (const auto ports : {Hypercube::Ports::all, Hypercube::Ports::one}) {
      const testing::Draft request = cube_request_of(dimensions, m, elements, ports);
      for (const Planner* planner : ports == Hypercube::Ports::all ? all_ports : one_port)
        if (!planner->refusal(request)) {
          ++judged;
          built_and_verified(*planner, request, by_replay(dimensions, elements));
        }
    }
}

TEST(Conversion, one_field_costs_what_is_promised) {
  testing::Judged judged(500);
  for (int n = 2; n <= (full_run() ? 10 : 8); ++n)
    for (std::uint64_t k = 1; k <= 64; k += full_run() ? 1 : k < 12 ? 2 : 11) {
      SCOPED_TRACE(::testing::Message() << "n=" << n << " K=" << k);
      check_all(n, gray_to_binary({n}), k, judged);
    }
}

TEST(Conversion, a_field_inside_a_larger_cube) {
  testing::Judged judged(40);
  for (const std::uint64_t k : {1U, 5U, 10U, 23U}) {
    check_all(6, gray_to_binary({1, 4, 1}), k, judged);
    check_all(5, gray_to_binary({3, 1, 1}), k, judged);
    check_all(5, gray_to_binary({1, 2, 1, 1}), k, judged);
  }
}

// All ways to write `width` as fields.
void for_each_composition(int width, const std::function<void(const std::vector<int>&)>& visit) {
  for (Word cuts = 0; cuts < bit(width - 1); ++cuts) {
    std::vector<int> lengths{1};
    for (int i = 0; i < width - 1; ++i) {
      if (has_bit(cuts, i))
        lengths.push_back(1);
      else
        ++lengths.back();
    }
    visit(lengths);
  }
}

TEST(Conversion, several_fields_cost_what_is_promised) {
  testing::Judged judged(500);
  for (int n = 4; n <= 6; ++n)
    for_each_composition(n, [n, &judged](const std::vector<int>& lengths) {
      for (std::uint64_t k = 1; k <= 64; k += full_run() ? 1 : 13)
        check_all(n, gray_to_binary(lengths), k, judged);
    });
}

TEST(Conversion, sixty_dimensions_are_proved) {
  testing::Judged judged(10);
  for (const std::uint64_t k : {1U, 10U, 30U}) {
    for (const BitMap& map : {gray_to_binary({60}), gray_to_binary({20, 20, 20})})
      for (const Planner* planner : all_ports)
        if (!planner->refusal(cube_request_of(60, map, k))) {
          ++judged;
          built_and_verified(*planner, cube_request_of(60, map, k), false);
        }
  }
}

Count best_of(const testing::Draft& request) {
  std::optional<Count> best;
  for (const Planner* p : all_ports)
    if (!p->refusal(request)) {
      const Count cost = p->offer(request).estimate.cost.value;
      if (!best || cost < *best) best = cost;
    }
  EXPECT_TRUE(best.has_value()) << "no planner applies";
  return best.value_or(0);
}

// As known, or one more where all that goes far must leave in time, which was not looked at.
void expect_bound(const testing::Draft& request, Count known) {
  const Count bound =
      lower_bound(std::get<Hypercube>(request.machine), request.map, request.elements).value;
  EXPECT_GE(bound, known);
  EXPECT_LE(bound, known + 1);
  EXPECT_LE(bound, best_of(request));
}

TEST(Conversion, costs_are_those_known) {
  const auto cell = [](const json& row, std::size_t i) -> std::optional<Count> {
    if (row.at(i).is_null()) return {};
    return row.at(i).get<std::uint64_t>();
  };
  for (const json& row : golden().at("grid").at("rows")) {
    const int n = row.at(0).get<int>();
    const auto k = row.at(1).get<std::uint64_t>();
    SCOPED_TRACE(::testing::Message() << "n=" << n << " K=" << k);
    const testing::Draft request = cube_request_of(n, gray_to_binary({n}), k);
    const testing::Draft single = cube_request_of(n, gray_to_binary({n}), k, Hypercube::Ports::one);
    const auto cost = [&](const Planner& p, const testing::Draft& r) -> std::optional<Count> {
      if (p.refusal(r)) return {};
      return p.offer(r).estimate.cost.value;
    };
    EXPECT_TRUE(cost(minimum_path, request) == cell(row, 2));
    EXPECT_TRUE(non_minimum_path_printed(n, k) == cell(row, 3));
    EXPECT_TRUE(cost(non_minimum_path, request) == cell(row, 4));
    EXPECT_TRUE(short_elements(n, k) == cell(row, 5));
    EXPECT_TRUE(cost(two_bits, request) == cell(row, 6));
    EXPECT_TRUE(best_of(request) <= cell(row, 9));
    EXPECT_TRUE(best_of(request) >= cell(row, 11));
    expect_bound(request, *cell(row, 11));
    EXPECT_TRUE(cost(exchange_sequence, single) == cell(row, 12));
    EXPECT_TRUE(cost(one_port_half, single) == cell(row, 13));
  }
}

TEST(Conversion, several_fields_are_never_above_what_was_known) {
  for (const json& row : golden().at("fields").at("rows")) {
    const int n = row.at(1).get<int>();
    std::vector<int> lengths;
    int filled = 0;  // from bit 0 up
    for (const json& field : row.at(0)) {
      for (; filled < field.at(0).get<int>(); ++filled) lengths.insert(lengths.begin(), 1);
      lengths.insert(lengths.begin(), field.at(1).get<int>());
      filled += field.at(1).get<int>();
    }
    for (; filled < n; ++filled) lengths.insert(lengths.begin(), 1);
    const auto k = row.at(2).get<std::uint64_t>();
    const BitMap map = gray_to_binary(lengths);
    const testing::Draft request = cube_request_of(n, map, k);
    const testing::Draft single = cube_request_of(n, map, k, Hypercube::Ports::one);
    EXPECT_TRUE(minimum_path.offer(request).estimate.cost.value == row.at(3).get<std::uint64_t>());
    EXPECT_TRUE(exchange_sequence.offer(single).estimate.cost.value ==
                row.at(4).get<std::uint64_t>());
    EXPECT_TRUE(one_port_half.offer(single).estimate.cost.value == row.at(5).get<std::uint64_t>());
    EXPECT_TRUE(best_of(request) >= row.at(6).get<std::uint64_t>());
    expect_bound(request, row.at(6).get<std::uint64_t>());
  }
}

// The loops of the paper, and every other order.
TEST(ExchangeSequence, any_order_of_the_dimensions_converts) {
  for (int n = 2; n <= (full_run() ? 6 : 5); ++n) {
    const std::vector<CodeField> fields{{.lo = 0, .length = n}};
    std::vector<int> order = ascending_order(fields[0]);
    do {
      for (const auto direction : {Direction::forward, Direction::inverse}) {
        const BitMap map = gray_to_binary({n});
        const testing::Draft request = cube_request_of(
            n, direction == Direction::forward ? map : map.inverse(), 2, Hypercube::Ports::one);
        const ExchangeInOrder planner(order);
        ASSERT_FALSE(planner.refusal(request));
        built_and_verified(planner, request, true);
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

// The baseline of the paper: K + n - 2 steps for one field, both ways, several fields one after
// another in the pipeline.
TEST(ExchangeSequence, in_a_pipeline_takes_n_minus_2_more_than_elements) {
  for (int n = 2; n <= (full_run() ? 8 : 5); ++n)
    for (const std::uint64_t k : {1U, 2U, 5U, 8U})
      for (const BitMap& map : {gray_to_binary({n}), gray_to_binary({n}).inverse()}) {
        const testing::Draft request = cube_request_of(n, map, k);
        ASSERT_FALSE(exchange_pipeline.refusal(request));
        EXPECT_EQ(exchange_pipeline.offer(request).estimate.cost.value,
                  k + static_cast<unsigned>(n) - 2);
        built_and_verified(exchange_pipeline, request, true);
      }
  built_and_verified(exchange_pipeline, cube_request_of(7, gray_to_binary({3, 1, 3}), 4), true);
  EXPECT_TRUE(
      exchange_pipeline.refusal(cube_request_of(3, gray_to_binary({3}), 1, Hypercube::Ports::one)));
}

TEST(ExchangeSequence, an_order_names_each_dimension_once) {
  const testing::Draft request = cube_request_of(4, gray_to_binary({3, 1}), 2);
  EXPECT_FALSE(ExchangeInOrder({1, 2}).refusal(request));
  for (const std::vector<int>& order :
       {std::vector<int>{}, {1}, {1, 1}, {0, 1}, {1, 2, 3}, {2, 1, 0}})
    EXPECT_TRUE(ExchangeInOrder(order).refusal(request)) << order.size();
  EXPECT_TRUE(
      ExchangeInOrder({1, 2}).refusal(cube_request_of(4, BitMap::identity(4).inverse(), 1)));
}

TEST(ExchangeSequence, the_paper_s_loops_are_orders) {
  const CodeField field{.lo = 0, .length = 4};
  EXPECT_EQ(descending_order(field), (std::vector<int>{2, 1, 0}));
  EXPECT_EQ(cyclic_order(field, 1), (std::vector<int>{1, 0, 2}));
  EXPECT_EQ(ascending_order(field), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(exchange_mask(field, 1, 0b100), Word{0b100});
  EXPECT_EQ(exchange_mask(field, 1, 0), Word{0b1100});
}

}  // namespace
}  // namespace faro
