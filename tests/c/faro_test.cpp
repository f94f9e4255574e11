// The C API as a C++ program meets it: every call, its refusals and their messages.
#include "faro/c/faro.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "files/scratch.hpp"

namespace {

TEST(C, permutes_and_says_what_it_did) {
  const int places[3] = {2, 1, 0};
  faro_map* map = nullptr;
  ASSERT_EQ(faro_map_from_places(3, places, 0, &map), FARO_OK);
  EXPECT_EQ(faro_map_width(map), 3);
  EXPECT_EQ(faro_map_apply(map, 1), 4U);
  faro_permute_options options = FARO_PERMUTE_OPTIONS;
  options.element_bytes = sizeof(int);
  faro_plan* plan = nullptr;
  ASSERT_EQ(faro_plan_create(map, &options, &plan), FARO_OK);
  const std::vector<int> from{0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<int> to(8);
  ASSERT_EQ(faro_plan_execute(plan, from.data(), to.data(), 32), FARO_OK);
  EXPECT_EQ(to, (std::vector<int>{0, 4, 2, 6, 1, 5, 3, 7}));
  faro_plan_facts facts = FARO_PLAN_FACTS;
  ASSERT_EQ(faro_plan_get_facts(plan, &facts), FARO_OK);
  EXPECT_EQ(facts.data_bytes, 32U);
  EXPECT_EQ(facts.passes, 1U);
  EXPECT_NE(std::string(faro_plan_describe(plan)).find("32 bytes"), std::string::npos);
  faro_plan_free(plan);

  options.in_place = 1;
  ASSERT_EQ(faro_plan_create(map, &options, &plan), FARO_OK);
  ASSERT_EQ(faro_plan_execute_in_place(plan, to.data(), 32), FARO_OK);
  EXPECT_EQ(to, from);
  const auto stop = [](void*, uint64_t, uint64_t) { return 1; };
  EXPECT_EQ(faro_plan_execute_watched(plan, nullptr, to.data(), 32, stop, nullptr), FARO_CANCELLED);
  faro_plan_free(plan);
  faro_map_free(map);
}

TEST(C, composes_and_inverts_maps) {
  const uint64_t columns[2] = {1, 3};
  faro_map* map = nullptr;
  faro_map* inverse = nullptr;
  faro_map* both = nullptr;
  ASSERT_EQ(faro_map_from_columns(2, columns, 2, &map), FARO_OK);
  ASSERT_EQ(faro_map_inverse(map, &inverse), FARO_OK);
  ASSERT_EQ(faro_map_then(map, inverse, &both), FARO_OK);
  for (uint64_t x = 0; x < 4; ++x) EXPECT_EQ(faro_map_apply(both, x), x);
  faro_map_free(map);
  faro_map_free(inverse);
  faro_map_free(both);
}

TEST(C, reads_maps_in_words) {
  const auto text = [](const char* words, std::vector<uint64_t> shape) {
    faro_map* map = nullptr;
    std::string images = "refused";
    if (faro_map_from_words(words, static_cast<int>(shape.size()), shape.data(), &map) == FARO_OK) {
      images.clear();
      for (uint64_t x = 0; x < faro_map_elements(map); ++x)
        images += std::to_string(faro_map_apply(map, x)) + " ";
    }
    faro_map_free(map);
    return images;
  };
  EXPECT_EQ(text("i:3 -> rev(i)", {}), "0 4 2 6 1 5 3 7 ");
  EXPECT_EQ(text("i -> rev(i)", {2, 4}), "0 4 2 6 1 5 3 7 ");
  EXPECT_EQ(text("~i", {4}), "3 2 1 0 ");
  EXPECT_EQ(text("einops:a b -> b a", {2, 4}), text("r:1 c:2 -> c r", {}));
  EXPECT_EQ(text("qiskit:cx(0, 1)", {}), "0 3 2 1 ");
  EXPECT_EQ(text("i -> rev(i)", {}), "refused");
  EXPECT_EQ(text("einops:a b -> b a", {3, 2}), "0 3 1 4 2 5 ");
  EXPECT_EQ(text("numpy:np.roll(a, 2)", {5}), "2 3 4 0 1 ");
  EXPECT_EQ(text("i -> rev(i)", {3}), "refused");
  faro_map* map = nullptr;
  EXPECT_EQ(faro_map_from_words(nullptr, 0, nullptr, &map), FARO_USAGE);
  EXPECT_EQ(faro_map_from_words("~i", 1, nullptr, &map), FARO_USAGE);
  EXPECT_EQ(faro_map_from_words("~i", -1, nullptr, &map), FARO_USAGE);
  EXPECT_EQ(map, nullptr);
}

TEST(C, maps_with_lengths_have_elements_and_no_width) {
  const auto of = [](const char* words, std::vector<uint64_t> shape) {
    faro_map* map = nullptr;
    EXPECT_EQ(faro_map_from_words(words, static_cast<int>(shape.size()), shape.data(), &map),
              FARO_OK);
    return map;
  };
  faro_map* map = of("r c -> c ~r", {3, 5});
  EXPECT_EQ(faro_map_elements(map), 15U);
  EXPECT_EQ(faro_map_width(map), -1);
  EXPECT_NE(std::string(faro_last_error()).find("length"), std::string::npos);
  EXPECT_EQ(faro_map_apply(map, 15), UINT64_MAX);
  EXPECT_STREQ(faro_last_error(), "faro_map_apply: index 15 of a map of 15 elements");
  faro_map* back = nullptr;
  ASSERT_EQ(faro_map_inverse(map, &back), FARO_OK);
  faro_map* both = nullptr;
  ASSERT_EQ(faro_map_then(map, back, &both), FARO_OK);
  for (uint64_t x = 0; x < 15; ++x) EXPECT_EQ(faro_map_apply(both, x), x);
  faro_map* other = of("r c -> c r", {2, 2});
  EXPECT_EQ(faro_map_then(map, other, &both), FARO_USAGE);
  // On the middle axis, from one buffer to another and within one.
  faro_permute_options options = FARO_PERMUTE_OPTIONS;
  options.outer = 2;
  options.inner = 3;
  std::string from(90, '\0');
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<char>(i);
  std::string wanted(90, '\0');
  for (uint64_t i = 0; i < 90; ++i)
    wanted[(i / 45 * 45) + (faro_map_apply(map, i / 3 % 15) * 3) + (i % 3)] = from[i];
  faro_plan* plan = nullptr;
  ASSERT_EQ(faro_plan_create(map, &options, &plan), FARO_OK) << faro_last_error();
  std::string to(90, '\0');
  EXPECT_EQ(faro_plan_execute(plan, from.data(), to.data(), 90), FARO_OK);
  EXPECT_EQ(to, wanted);
  faro_plan_facts facts = FARO_PLAN_FACTS;
  EXPECT_EQ(faro_plan_get_facts(plan, &facts), FARO_OK);
  EXPECT_EQ(facts.shape[1], 15U);
  faro_plan_free(plan);
  faro_map* reversed = of("i -> ~i", {15});
  options.in_place = 1;
  ASSERT_EQ(faro_plan_create(reversed, &options, &plan), FARO_OK) << faro_last_error();
  EXPECT_EQ(faro_plan_execute_in_place(plan, to.data(), 90), FARO_OK);
  for (uint64_t i = 0; i < 90; ++i)
    EXPECT_EQ(to[(i / 45 * 45) + ((14 - (i / 3 % 15)) * 3) + (i % 3)], wanted[i]) << i;
  faro_plan_free(plan);
  // Rolled in place, too much for the stack: 1500 ranges.
  faro_map* rolled = of("i -> roll(i, 4)", {15});
  options.outer = 1500;
  ASSERT_EQ(faro_plan_create(rolled, &options, &plan), FARO_OK) << faro_last_error();
  std::string many(1500 * 45, '\0');
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<char>(i / 3 % 127);
  std::string moved = many;
  EXPECT_EQ(faro_plan_execute_in_place(plan, moved.data(), moved.size()), FARO_OK);
  for (std::size_t i = 0; i < many.size(); ++i)
    ASSERT_EQ(moved[(i / 45 * 45) + ((i / 3 % 15 + 4) % 15 * 3) + (i % 3)], many[i]) << i;
  faro_plan_free(plan);
  EXPECT_EQ(faro_map_elements(nullptr), 0U);
  for (faro_map* one : {map, back, both, other, reversed, rolled}) faro_map_free(one);
}

TEST(C, refuses_with_a_message) {
  faro_map* map = nullptr;
  const uint64_t dependent[2] = {1, 1};
  EXPECT_EQ(faro_map_from_columns(2, dependent, 0, &map), FARO_USAGE);
  EXPECT_FALSE(std::string(faro_last_error()).empty());
  EXPECT_EQ(map, nullptr);
  EXPECT_EQ(faro_map_from_columns(65, dependent, 0, &map), FARO_USAGE);
  EXPECT_EQ(faro_map_from_columns(2, nullptr, 0, &map), FARO_USAGE);
  EXPECT_STREQ(faro_last_error(), "faro_map_from_columns: columns is NULL");
  EXPECT_EQ(faro_plan_create(nullptr, nullptr, nullptr), FARO_USAGE);
  EXPECT_STREQ(faro_last_error(), "faro_plan_create: map is NULL");
  EXPECT_EQ(faro_map_from_words("i:4 -> ~i", 0, nullptr, nullptr), FARO_USAGE);
  EXPECT_STREQ(faro_last_error(), "faro_map_from_words: map is NULL");
  const uint64_t columns[2] = {1, 2};
  ASSERT_EQ(faro_map_from_columns(2, columns, 0, &map), FARO_OK);
  faro_plan* plan = nullptr;
  faro_permute_options options = FARO_PERMUTE_OPTIONS;
  options.struct_size = 4;
  EXPECT_EQ(faro_plan_create(map, &options, &plan), FARO_USAGE);
  options = FARO_PERMUTE_OPTIONS;
  options.version = 99;
  EXPECT_EQ(faro_plan_create(map, &options, &plan), FARO_USAGE);
  // A caller of an older, shorter layout gets the defaults of what it lacks.
  options = FARO_PERMUTE_OPTIONS;
  options.struct_size = offsetof(faro_permute_options, element_bytes);
  options.element_bytes = 1000;
  ASSERT_EQ(faro_plan_create(map, &options, &plan), FARO_OK);
  faro_plan_facts facts = FARO_PLAN_FACTS;
  EXPECT_EQ(faro_plan_get_facts(plan, &facts), FARO_OK);
  EXPECT_EQ(facts.data_bytes, 4U);
  char data[4] = {};
  EXPECT_EQ(faro_plan_execute(plan, data, data, 4), FARO_USAGE);
  EXPECT_EQ(faro_plan_execute(plan, data, data, 3), FARO_USAGE);
  EXPECT_EQ(faro_plan_execute(plan, nullptr, nullptr, 4), FARO_USAGE);
  faro_plan_free(plan);
  faro_map_free(map);
  faro_map_free(nullptr);
  faro_plan_free(nullptr);
}

TEST(C, flags_are_0_or_1_and_what_is_reserved_is_0) {
  faro_map* map = nullptr;
  ASSERT_EQ(faro_map_from_words("i:5 -> rev(i)", 0, nullptr, &map), FARO_OK);
  faro_plan* plan = nullptr;
  faro_permute_options options = FARO_PERMUTE_OPTIONS;
  options.in_place = 7;
  EXPECT_EQ(faro_plan_create(map, &options, &plan), FARO_USAGE);
  EXPECT_STREQ(faro_last_error(), "faro_permute_options.in_place is 0 or 1, not 7");
  options = FARO_PERMUTE_OPTIONS;
  options.reserved = -1;
  EXPECT_EQ(faro_plan_create(map, &options, &plan), FARO_USAGE);
  EXPECT_STREQ(faro_last_error(), "faro_permute_options.reserved is 0 in this version, not -1");
  char* json = nullptr;
  for (auto member : {&faro_exchange_options::relabelled, &faro_exchange_options::in_place,
                      &faro_exchange_options::reserved}) {
    faro_exchange_options exchange = FARO_EXCHANGE_OPTIONS;
    exchange.*member = 7;
    EXPECT_EQ(faro_exchange_cost(map, &exchange, &json), FARO_USAGE);
  }
  faro_map_free(map);
}

TEST(C, an_array_of_no_bytes_is_moved_in_place_too) {
  faro_map* map = nullptr;
  ASSERT_EQ(faro_map_from_words("i:5 -> rev(i)", 0, nullptr, &map), FARO_OK);
  for (const int in_place : {0, 1}) {
    faro_permute_options options = FARO_PERMUTE_OPTIONS;
    options.in_place = in_place;
    options.inner = 0;
    faro_plan* plan = nullptr;
    ASSERT_EQ(faro_plan_create(map, &options, &plan), FARO_OK);
    EXPECT_EQ(faro_plan_execute_watched(plan, nullptr, nullptr, 0, nullptr, nullptr), FARO_OK);
    faro_plan_free(plan);
  }
  faro_map_free(map);
}

TEST(C, arrays_of_any_shape_and_strides) {
  // Columns 1..3 of a 3 x 5 array, the rows backwards, transposed: 3 x 3.
  const uint8_t from[15] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  const uint64_t shape[2] = {3, 3};
  const int64_t strides[2] = {-5, 1};
  faro_array array = FARO_ARRAY;
  array.axes = 2;
  array.shape = shape;
  array.strides = strides;
  array.offset = 11;
  faro_plan* plan = nullptr;
  ASSERT_EQ(faro_plan_create_arrays("r c -> c r", &array, nullptr, nullptr, &plan), FARO_OK);
  uint8_t to[9] = {};
  EXPECT_EQ(faro_plan_execute_arrays(plan, from, 13, to, 9, nullptr, nullptr), FARO_USAGE);
  ASSERT_EQ(faro_plan_execute_arrays(plan, from, 14, to, 9, nullptr, nullptr), FARO_OK);
  const uint8_t expected[9] = {11, 6, 1, 12, 7, 2, 13, 8, 3};
  EXPECT_TRUE(std::equal(std::begin(to), std::end(to), std::begin(expected)));
  faro_plan_free(plan);

  EXPECT_EQ(faro_plan_create_arrays("r c -> c c", &array, nullptr, nullptr, &plan), FARO_USAGE);
  for (const char* words : {"numpy:a.T", "einops:r c -> c r", "r c -> roll(r, 1) c"}) {
    faro_plan* other = nullptr;
    ASSERT_EQ(faro_plan_create_arrays(words, &array, nullptr, nullptr, &other), FARO_OK) << words;
    faro_plan_free(other);
  }
  array.offset = 5;
  EXPECT_EQ(faro_plan_create_arrays("r c -> c r", &array, nullptr, nullptr, &plan), FARO_USAGE);
  array.shape = nullptr;
  EXPECT_EQ(faro_plan_create_arrays("r c -> c r", &array, nullptr, nullptr, &plan), FARO_USAGE);
  EXPECT_EQ(faro_plan_create_arrays("i -> i", nullptr, nullptr, nullptr, &plan), FARO_USAGE);
}

// The text that a call gives out, as JSON.
template <class Call>
nlohmann::json answer(faro_status wanted, Call&& call) {
  char* text = nullptr;
  EXPECT_EQ(call(&text), wanted) << faro_last_error();
  EXPECT_NE(text, nullptr);
  const nlohmann::json json = nlohmann::json::parse(text == nullptr ? "{}" : text);
  faro_text_free(text);
  return json;
}

// A call that fails gives out no text, says why and overwrites what was there.
template <class Call>
void fails(faro_status wanted, const std::string& message, Call&& call) {
  char old[] = "old";
  char* text = old;
  EXPECT_EQ(call(&text), wanted);
  EXPECT_EQ(text, nullptr);
  EXPECT_NE(std::string(faro_last_error()).find(message), std::string::npos) << faro_last_error();
}

TEST(C, explains_a_map) {
  const auto map = answer(FARO_OK, [](char** json) { return faro_explain("i:4 -> rev(i)", json); });
  EXPECT_EQ(map.at("format"), "faro-map/1");
  EXPECT_EQ(map.at("class"), "bit-permutation");
  EXPECT_EQ(map.at("columns"), (std::vector<std::string>{"0x8", "0x4", "0x2", "0x1"}));
  fails(FARO_USAGE, "column", [](char** json) { return faro_explain("i:4 -> rev(j)", json); });
}

TEST(C, plans_writes_and_verifies_a_schedule) {
  const faro::testing::Scratch scratch;
  const std::string path = scratch.path("s.json");
  const auto plan = answer(FARO_OK, [](char** json) {
    return faro_plan_machine("a:6 -> ungray(a)", "cube:6", 100, "", json);
  });
  EXPECT_EQ(plan.at("cost").at("steps"), 61);
  EXPECT_EQ(plan.at("planner"), "conversion-table");
  EXPECT_EQ(plan.at("verified").at("ok"), true);
  const auto written = answer(FARO_OK, [&](char** json) {
    return faro_write_schedule("a:6 -> ungray(a)", "cube:6", 100, "minimum-path", path.c_str(),
                               json);
  });
  EXPECT_EQ(written.at("planner"), "minimum-path");
  EXPECT_GT(written.at("cost").at("steps"), 61);
  const auto verdict =
      answer(FARO_OK, [&](char** json) { return faro_verify_file(path.c_str(), json); });
  EXPECT_EQ(verdict.at("ok"), true);
  EXPECT_EQ(verdict.at("fingerprint"), written.at("fingerprint"));
  EXPECT_EQ(verdict.at("cost"), written.at("cost"));

  std::string schedule = faro::testing::read_all(path);
  const auto again =
      answer(FARO_OK, [&](char** json) { return faro_verify_schedule(schedule.c_str(), json); });
  EXPECT_EQ(again, verdict);
  const std::size_t across = schedule.find("\"across\":");
  ASSERT_NE(across, std::string::npos);
  schedule[across + 9] = schedule[across + 9] == '0' ? '1' : '0';
  const auto wrong = answer(
      FARO_REFUSED, [&](char** json) { return faro_verify_schedule(schedule.c_str(), json); });
  EXPECT_EQ(wrong.at("ok"), false);
  EXPECT_FALSE(wrong.at("violations").empty());
  EXPECT_NE(std::string(faro_last_error()).find("says no"), std::string::npos);
}

// What is told and may be stopped, on the thread that asked for it.
TEST(C, long_calls_are_told_and_stopped) {
  struct Listener {
    int calls = 0;
    int answer = 0;
  } listener;
  const auto listen = [&] {
    faro_listen(
        [](void* context, std::uint64_t, std::uint64_t) {
          Listener& told = *static_cast<Listener*>(context);
          ++told.calls;
          return told.answer;
        },
        &listener);
  };
  const faro::testing::Scratch scratch;
  const std::string path = scratch.path("s.json");
  const std::string later = scratch.path("later.json");
  const auto write = [](const std::string& to) {
    return [&to](char** json) {
      return faro_write_schedule("a:6 -> ungray(a)", "cube:6", 100, "", to.c_str(), json);
    };
  };
  const auto plan = [](char** json) {
    return faro_plan_machine("i:10 -> rev(i)", "torus:32x32,all-links", 1, "", json);
  };
  const auto verify_file = [&](char** json) { return faro_verify_file(path.c_str(), json); };
  listen();
  answer(FARO_OK, write(path));
  EXPECT_GT(listener.calls, 0);
  const std::string schedule = faro::testing::read_all(path);
  const auto verify = [&](char** json) { return faro_verify_schedule(schedule.c_str(), json); };

  listener.answer = 1;
  // Told twenty times a second.
  const auto stopped = [&](const auto& call) {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    const int before = listener.calls;
    fails(FARO_CANCELLED, "", call);
    EXPECT_EQ(listener.calls, before + 1);
  };
  stopped(plan);
  stopped(verify);
  stopped(verify_file);
  stopped(write(later));
  EXPECT_FALSE(std::filesystem::exists(later));
  std::thread([&] { answer(FARO_OK, verify); }).join();

  faro_listen(nullptr, nullptr);
  answer(FARO_OK, verify);
  answer(FARO_OK, plan);
}

TEST(C, refuses_requests_in_words) {
  const auto plan = [](const char* map, const char* machine, std::uint64_t elements,
                       const char* algorithm) {
    return [=](char** json) { return faro_plan_machine(map, machine, elements, algorithm, json); };
  };
  fails(FARO_USAGE, "cube", plan("i:4 -> rev(i)", "cub:4", 1, ""));
  fails(FARO_USAGE, "there are 32 processors", plan("i:4 -> rev(i)", "cube:5", 1, ""));
  fails(FARO_USAGE, "no algorithm", plan("i:4 -> rev(i)", "cube:4", 1, "best"));
  fails(FARO_IMPOSSIBLE, "Gray", plan("i:4 -> rev(i)", "cube:4", 1, "minimum-path"));
  fails(FARO_USAGE, "each processor has 3 elements", plan("p:2 | m:2 -> m | p", "cube:2", 3, ""));
  fails(FARO_USAGE, "", [](char** json) { return faro_verify_schedule("{", json); });
  fails(FARO_ENVIRONMENT, "absent",
        [](char** json) { return faro_verify_file("/absent/schedule.json", json); });
  fails(FARO_ENVIRONMENT, "absent", [](char** json) {
    return faro_write_schedule("i:4 -> rev(i)", "cube:4", 1, "", "/absent/s.json", json);
  });
}

// One request at every place, as `faro plan --on PLACE --json` prints it.
TEST(C, plans_at_any_place) {
  const std::uint64_t shape[] = {721, 1440};
  const auto at = [&](const char* place, std::uint64_t bytes, int axes, const char* words) {
    return
        [=, &shape](char** json) { return faro_plan_at(words, axes, shape, place, bytes, json); };
  };
  const char* transpose = "r c -> c r";
  const auto memory = answer(FARO_OK, at("memory", 4, 2, transpose));
  EXPECT_EQ(memory.at("format"), "faro-memory-plan/1");
  const auto disk = answer(FARO_OK, at("disk:memory=60MiB", 4, 2, transpose));
  EXPECT_EQ(disk.at("passes_bound"), 1);
  answer(FARO_OK, at("ranks:12", 4, 2, "dtensor:(12,) [Shard(0)] => dtensor:(12,) [Shard(1)]"));
  answer(FARO_OK, at("ranks:4", 8, 0, "i:10 -> rev(i)"));
  EXPECT_EQ(answer(FARO_OK, at("cube:6", 0, 0, "a:6 -> ungray(a)")),
            answer(FARO_OK, [](char** json) {
              return faro_plan_machine("a:6 -> ungray(a)", "cube:6", 0, "", json);
            }));
  fails(FARO_USAGE, "--element-bytes", at("cube:6", 4, 0, "a:6 -> ungray(a)"));
  fails(FARO_USAGE, "axes", at("memory", 4, -1, transpose));
  fails(FARO_USAGE, "words is NULL", at("memory", 4, 2, nullptr));
  fails(FARO_USAGE, "place is NULL", at(nullptr, 4, 2, transpose));
  fails(FARO_USAGE, "shape is NULL",
        [](char** json) { return faro_plan_at("r c -> c r", 2, nullptr, "memory", 4, json); });
}

// The square transpose of 2^20 elements on 4 ranks: each sends a quarter of its part to each other.
TEST(C, exact_costs_of_an_exchange) {
  std::vector<int> places;
  for (int i = 0; i < 20; ++i) places.push_back((i + 10) % 20);
  faro_map* map = nullptr;
  ASSERT_EQ(faro_map_from_places(20, places.data(), 0, &map), FARO_OK);
  faro_exchange_options options = FARO_EXCHANGE_OPTIONS;
  options.rank_bits = 2;
  options.element_bytes = 16;
  options.node_bits = 1;
  const auto cost = [&](faro_status wanted) {
    return answer(wanted, [&](char** json) { return faro_exchange_cost(map, &options, json); });
  };
  const auto json = cost(FARO_OK);
  EXPECT_EQ(json.at("format"), "faro-exchange/1");
  EXPECT_EQ(json.at("rho"), 2);
  EXPECT_EQ(json.at("partners"), 3);
  EXPECT_EQ(json.at("rounds"), 3);
  EXPECT_EQ(json.at("moved_bytes"), 16U * (1U << 20U) * 3 / 4);
  EXPECT_EQ(json.at("least_bytes"), json.at("moved_bytes"));
  EXPECT_EQ(json.at("most_sent_bytes"), 16U * (1U << 18U) * 3 / 4);
  EXPECT_EQ(json.at("keepers"), 4);
  EXPECT_EQ(json.at("nodes").at("moved_bytes"), 16U * (1U << 20U) / 2);
  const auto refused = [&](faro_status wanted, const std::string& words) {
    fails(wanted, words, [&](char** out) { return faro_exchange_cost(map, &options, out); });
  };
  options.rank_bits = 21;
  refused(FARO_USAGE, "rank bits");
  options.rank_bits = -1;
  refused(FARO_USAGE, "rank bits");
  options.rank_bits = 2;
  options.buffer_bytes = 1;
  refused(FARO_USAGE, "buffer");
  options.buffer_bytes = 4096;
  options.element_bytes = 0;
  refused(FARO_USAGE, "element");
  options.element_bytes = 16;
  options.version = 99;
  refused(FARO_USAGE, "version");
  options.version = FARO_C_VERSION;
  fails(FARO_USAGE, "NULL", [&](char** out) { return faro_exchange_cost(nullptr, &options, out); });
  fails(FARO_USAGE, "NULL", [&](char** out) { return faro_exchange_cost(map, nullptr, out); });
  EXPECT_EQ(faro_exchange_cost(map, &options, nullptr), FARO_USAGE);
  faro_map_free(map);
}

TEST(C, refuses_null_everywhere) {
  char* text = nullptr;
  const char* map = "i:4 -> rev(i)";
  const char* cube = "cube:4";
  for (const faro_status status :
       {faro_explain(nullptr, &text), faro_explain(map, nullptr),
        faro_plan_machine(nullptr, cube, 1, "", &text),
        faro_plan_machine(map, nullptr, 1, "", &text),
        faro_plan_machine(map, cube, 1, nullptr, &text),
        faro_plan_machine(map, cube, 1, "", nullptr),
        faro_write_schedule(nullptr, cube, 1, "", "s", &text),
        faro_write_schedule(map, nullptr, 1, "", "s", &text),
        faro_write_schedule(map, cube, 1, nullptr, "s", &text),
        faro_write_schedule(map, cube, 1, "", nullptr, &text),
        faro_write_schedule(map, cube, 1, "", "s", nullptr), faro_verify_schedule(nullptr, &text),
        faro_verify_schedule("{}", nullptr), faro_verify_file(nullptr, &text),
        faro_verify_file("s", nullptr)}) {
    EXPECT_EQ(status, FARO_USAGE);
  }
  EXPECT_NE(std::string(faro_last_error()).find("NULL"), std::string::npos);
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(faro_map_width(nullptr), -1);
  EXPECT_EQ(faro_map_apply(nullptr, 3), UINT64_MAX);
  EXPECT_NE(std::string(faro_last_error()).find("faro_map_apply"), std::string::npos);
  faro_text_free(nullptr);
}

}  // namespace
