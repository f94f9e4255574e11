// What the engine finds out about the machine, and the settings that a file may give it.
#include "engine/tuning.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/kernels/kernels.hpp"
#include "engine/moves.hpp"
#include "engine/tuned.hpp"
#include "faro/base/error.hpp"
#include "faro/engine/permute_plan.hpp"
#include "forked.hpp"

namespace faro {
namespace {

using namespace testing;

TEST(Machine, says_what_it_is) {
  const MachineFacts facts = machine_facts();
  EXPECT_GE(facts.cores, 1);
  EXPECT_GE(facts.page_bytes, 4096U);
  ASSERT_FALSE(facts.kernels.empty());
  EXPECT_EQ(facts.kernels.front(), "scalar");
  EXPECT_EQ(facts.kernels.back(), engine::kernel_set(Simd::automatic).name);
#if defined(__x86_64__)
  EXPECT_EQ(facts.maker.size(), 12U);
  EXPECT_FALSE(facts.cpu.empty());
#endif
}

TEST(Machine, what_is_built_in_follows_the_second_cache_and_the_vectors) {
  constexpr std::uint64_t mib = std::uint64_t{1} << 20U;
  EXPECT_EQ(built_in_tuning(2 * mib).ordinary_bytes_max, 16 * mib - 1);
  EXPECT_EQ(built_in_tuning(mib).ordinary_bytes_max, 4 * mib - 1);
  EXPECT_FALSE(built_in_tuning(2 * mib).stage_sources);
  EXPECT_TRUE(built_in_tuning(mib).stage_sources);
  EXPECT_TRUE(built_in_tuning(mib).in_place_blocks);
  EXPECT_FALSE(built_in_tuning(0).stage_sources);
  EXPECT_NE(built_in_tuning(0).origin.find("not known"), std::string::npos);
  // Vectors below a line stage nothing, whatever the cache.
  EXPECT_FALSE(built_in_tuning(mib, 32).stage_sources);
  EXPECT_EQ(built_in_tuning(mib, 32).lines_ahead, 64U);
  EXPECT_EQ(built_in_tuning(2 * mib, 16).origin, "built in for vectors of 16 bytes");
}

TEST(Machine, settings_are_read_as_they_are_written) {
  const MachineTuning tuning{123456789, true, 48, false, ""};
  const std::string text = tuning_text(tuning, "A CPU @ 2 GHz");
  EXPECT_EQ(text,
            "faro-machine 1\ncpu A CPU @ 2 GHz\nordinary_bytes_max 123456789\nstage_sources yes\n"
            "lines_ahead 48\nin_place_blocks no\n");
  const MachineTuning again = tuning_from_text(text, "A CPU @ 2 GHz");
  EXPECT_EQ(again.ordinary_bytes_max, 123456789U);
  EXPECT_TRUE(again.stage_sources);
  EXPECT_EQ(again.lines_ahead, 48U);
  EXPECT_FALSE(again.in_place_blocks);
  EXPECT_THROW(tuning_from_text(text, "another CPU"), Error);
}

TEST(Machine, malformed_settings_are_refused_with_their_line) {
  const std::string good = tuning_text({1, true, 48, false, ""}, "x");
  EXPECT_NO_THROW(tuning_from_text(good, "x"));
  const auto refused = [&](const std::string& text, const std::string& word) {
    try {
      tuning_from_text(text, "x");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  refused("", "line 1");
  refused("faro-machine 2\n", "line 1");
  refused(with("machine 1", "machine 10"), "line 1");
  refused(with("max 1", "max -1"), "line 3");
  refused(with("max 1", "max 99999999999999999999999"), "line 3");
  refused(with("sources yes", "sources maybe"), "line 4");
  refused(with("ahead 48", "ahead 1025"), "line 5");
  refused(with("ahead 48", "ahead 48 "), "line 5");
  refused(with("in_place_blocks no\n", ""), "line 6");
  refused(with("blocks no", "blocksno"), "line 6");
  refused(good + "more\n", "line 7");
  for (std::size_t cut = 0; cut + 1 < good.size(); ++cut) {
    EXPECT_THROW(tuning_from_text(good.substr(0, cut), "x"), Error) << cut;
  }
  EXPECT_THROW(use_machine_tuning({1, true, 5000, false, ""}), Error);
}

// In children, for their environment is changed.
TEST(Machine, settings_are_found_where_the_environment_says) {
  if (!follows_children()) GTEST_SKIP() << "the sanitizer follows no such child";
  const auto folder =
      std::filesystem::path(::testing::TempDir()) / ("faro-machine-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder / "faro");
  const MachineFacts facts = machine_facts();
  const auto write = [&](const std::string& text) {
    std::ofstream(folder / "faro" / "machine") << text;
  };
  const auto origin_has = [&](const char* variable, const std::string& value,
                              const std::string& word) {
    return works_in_child(10, [&] {
      ::unsetenv("FARO_MACHINE");
      ::setenv(variable, value.c_str(), 1);
      return engine::tuning_found().origin.find(word) != std::string::npos;
    });
  };
  const std::string named = (folder / "faro" / "machine").string();
  EXPECT_TRUE(origin_has("FARO_MACHINE", named, "cannot be read"));
  EXPECT_TRUE(origin_has("XDG_CONFIG_HOME", folder.string(), "built in"));
  write(tuning_text({99, true, 7, false, ""}, facts.cpu));
  EXPECT_TRUE(origin_has("FARO_MACHINE", named, named));
  EXPECT_TRUE(origin_has("XDG_CONFIG_HOME", folder.string(), named));
  EXPECT_TRUE(works_in_child(10, [&] {
    ::setenv("FARO_MACHINE", named.c_str(), 1);
    const MachineTuning tuning = engine::tuning_found();
    return tuning.ordinary_bytes_max == 99 && tuning.lines_ahead == 7;
  }));
  write(tuning_text({99, true, 7, false, ""}, "another CPU"));
  EXPECT_TRUE(origin_has("FARO_MACHINE", named, "another CPU"));
  write("nonsense");
  EXPECT_TRUE(origin_has("FARO_MACHINE", named, "passed over"));
  EXPECT_TRUE(origin_has("FARO_MACHINE", named, "built in"));
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

TEST(Machine, the_threshold_decides_the_stores) {
  const auto stores = [](int width) {
    return PermutePlan::out_of_place(bit_reversal(width), {.element_bytes = 8})
        .facts()
        .passes[0]
        .stores;
  };
  const Tuned tuned({bit(20), false, 32, false, "test"});
  EXPECT_EQ(stores(17), Stores::ordinary);
  EXPECT_EQ(stores(18), Stores::streaming);
}

TEST(Machine, no_number_changes_the_bytes) {
  Random random(21);
  for (const std::uint64_t threshold : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    for (const bool stage : {false, true}) {
      for (const std::uint32_t ahead : {0U, 1U, 7U, 1024U}) {
        for (const bool blocks : {false, true}) {
          const Tuned tuned({threshold, stage, ahead, blocks, "test"});
          for (const std::uint64_t element : {1U, 4U, 8U}) {
            for (const BitMap& map : {bit_reversal(14), random_affine(14, random)}) {
              ASSERT_TRUE(moves_right(map, {.element_bytes = element}, {}));
            }
          }
        }
      }
    }
  }
}

TEST(Machine, measuring_gives_numbers_in_range_and_tells_its_steps) {
  EXPECT_THROW(measure_machine(12345), Error);
  EXPECT_THROW(measure_machine(bit(20)), Error);
  EXPECT_THROW(measure_machine(bit(41)), Error);
  std::uint64_t last = 0;
  const MachineTuning tuning = measure_machine(bit(24), [&](std::uint64_t done, std::uint64_t all) {
    EXPECT_EQ(done, last + 1);
    EXPECT_LE(done, all);
    last = done;
    return Continue::yes;
  });
  EXPECT_EQ(last, 10U);
  EXPECT_EQ(tuning.origin, "measured");
  EXPECT_LE(tuning.ordinary_bytes_max, bit(26));
  EXPECT_NO_THROW(use_machine_tuning(machine_tuning()));
  EXPECT_THROW(measure_machine(bit(24), [](std::uint64_t, std::uint64_t) { return Continue::no; }),
               Error);
}

}  // namespace
}  // namespace faro
