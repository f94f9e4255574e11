// Plans of boxes performed on arrays in memory, against plain loops over the elements.
#include "disk/box_run.hpp"

#include <gtest/gtest.h>

#include "box_problem.hpp"
#include "box_stores.hpp"
#include "faro/base/error.hpp"
#include "full.hpp"

namespace faro::disk {
namespace {

using testing::Bytes;
using testing::Lengths;

struct BoxCase {
  BoxProblem problem;
  Bytes fill;
  Bytes other_fill;
  Bytes before;
  Bytes wanted;
};

// The definition: element x of the output is the one of the input at the place whose axis axes[k]
// is x_k, or n - 1 - x_k.
Bytes moved(const BoxProblem& problem, const Bytes& before) {
  const Lengths& shape = problem.to.shape;
  const std::uint64_t e = problem.to.element_bytes;
  Bytes after(before.size());
  for (std::uint64_t i = 0; i < before.size() / e; ++i) {
    Lengths at(shape.size());
    std::uint64_t rest = i;
    for (std::size_t k = shape.size(); k-- > 0; rest /= shape[k]) {
      const std::uint64_t x = rest % shape[k];
      at[problem.axes[k]] = problem.reversed[k] ? shape[k] - 1 - x : x;
    }
    std::uint64_t from = 0;
    for (std::size_t a = 0; a < at.size(); ++a) from = from * problem.from.shape[a] + at[a];
    std::memcpy(&after[i * e], &before[from * e], e);
  }
  return after;
}

BoxCase random_case(Random& random) {
  BoxCase c;
  c.problem = testing::random_problem(random);
  const auto make_plain = [](StoredGrid& grid) {
    grid = {.shape = grid.shape,
            .chunks = grid.shape,
            .shards = {},
            .element_bytes = grid.element_bytes,
            .encoding = StoredGrid::Encoding::run};
  };
  if (random.below(6) == 0) {
    make_plain(c.problem.from);
    auto& order = c.problem.from.order;
    if (random.below(2) == 0) order.resize(c.problem.from.shape.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.mix(order);
  }
  if (random.below(6) == 0) make_plain(c.problem.to);
  const std::uint64_t e = c.problem.from.element_bytes;
  for (std::uint64_t b = 0; b < e; ++b) c.fill.push_back(static_cast<std::byte>(random.below(2)));
  c.other_fill = c.fill;
  if (random.below(3) == 0) c.other_fill[0] ^= std::byte{1};
  c.before.resize(testing::product_of(c.problem.from.shape) * e);
  const std::uint64_t present = random.below(3);
  for (std::uint64_t i = 0; i < c.before.size(); i += e)
    for (std::uint64_t b = 0; b < e; ++b)
      c.before[i + b] =
          present == 0 || i / e % 64 < 40 ? c.fill[b] : static_cast<std::byte>(random.next());
  if (present == 2)
    for (std::byte& b : c.before) b = static_cast<std::byte>(random.next());
  c.wanted = moved(c.problem, c.before);
  c.problem.passes = static_cast<int>(random.below(4));
  c.problem.only_walks = c.problem.passes == 1 && random.below(4) != 0;
  return c;
}

std::optional<BoxPlan> plan_of(const BoxProblem& problem) {
  try {
    return BoxPlan::make(problem);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::impossible) << error.what();
    return std::nullopt;
  }
}

Digest digest_of(const Bytes& bytes) {
  Digest digest;
  digest.run(0, bytes);
  return digest;
}

void expect_counts(const BoxRun& run, const BoxPlan& plan) {
  Count reads;
  Count bytes;
  std::uint64_t peak = 0;
  for (const BoxPass& pass : plan.facts().passes) {
    reads += pass.reads;
    bytes += pass.bytes_read;
    peak = std::max(peak, pass.peak_bytes - plan.facts().fixed_bytes);
  }
  EXPECT_EQ(run.counts().reads, reads);
  EXPECT_EQ(run.counts().bytes_read, bytes);
  EXPECT_EQ(run.counts().peak_bytes, peak);
}

TEST(BoxRun, random_arrays_are_what_plain_loops_make_of_them) {
  const int rounds = testing::full_run() ? 5000 : testing::sanitized() ? 120 : 400;
  Random random(1);
  int passes[4] = {};
  int walks = 0;
  int again = 0;
  int sub_shards = 0;
  int absent = 0;
  int overlapped = 0;
  for (int round = 0; round < rounds; ++round) {
    const BoxCase c = random_case(random);
    const auto plan = plan_of(c.problem);
    if (!plan) {
      ++passes[0];
      continue;
    }
    testing::SimulatedDisk disk;
    testing::MemorySource from(c.problem.from, c.fill, c.before);
    testing::SimulatedTarget to(disk, c.problem.to, c.other_fill);
    testing::SimulatedBoxStorage storage(disk);
    testing::SimulatedFile file(disk, "journal");
    BoxJournal journal(file);
    journal.begin("{}");
    BoxRun run(*plan, from, to, storage, {.threads = c.problem.threads});
    const Digest digest = finish_run(run, *plan, journal, {}, {});
    ASSERT_EQ(to.content(), c.wanted) << round << "\n" << plan->describe();
    ASSERT_EQ(digest.value(), digest_of(c.wanted).value()) << round;
    expect_counts(run, *plan);
    ASSERT_FALSE(HasFailure()) << round << "\n" << plan->describe();
    // Each file got its name once, and nothing is left of what lay between.
    ASSERT_EQ(to.parts(), c.problem.to.encoding == StoredGrid::Encoding::run
                              ? 0U
                              : static_cast<std::uint64_t>(plan->facts().passes.back().writes));
    ASSERT_EQ(disk.find(tile_name(0, 0)), nullptr);
    const BoxPass& first = plan->facts().passes[0];
    ++passes[plan->facts().passes.size()];
    walks += first.kept_bytes != 0 ? 1 : 0;
    again += first.bytes_read > plan->facts().data_bytes ? 1 : 0;
    sub_shards += plan->facts().passes.back().tiles > plan->facts().passes.back().jobs ? 1 : 0;
    absent += from.absent > 0 ? 1 : 0;
    overlapped += plan->facts().tiles_at_once == 2 ? 1 : 0;
  }
  for (const int count : {passes[1], passes[2], passes[3]}) EXPECT_GT(count, rounds / 15);
  for (const int count : {walks, again, sub_shards, absent, overlapped}) EXPECT_GT(count, 0);
}

TEST(BoxRun, jobs_may_be_done_in_any_order_and_twice) {
  const int rounds = testing::full_run() ? 1000 : testing::sanitized() ? 20 : 100;
  Random random(2);
  int judged = 0;
  for (int round = 0; round < rounds; ++round) {
    const BoxCase c = random_case(random);
    const auto plan = plan_of(c.problem);
    if (!plan) continue;
    ++judged;
    testing::SimulatedDisk disk;
    testing::MemorySource from(c.problem.from, c.fill, c.before);
    testing::SimulatedTarget to(disk, c.problem.to, c.other_fill);
    testing::SimulatedBoxStorage storage(disk);
    BoxRun run(*plan, from, to, storage, {.threads = c.problem.threads});
    std::map<BoxJournal::JobId, BoxShare> shares;
    for (std::size_t pass = 0; pass < plan->facts().passes.size(); ++pass) {
      std::vector<std::uint64_t> jobs;
      for (std::uint64_t job = 0; job < run.jobs(pass); ++job) jobs.push_back(job);
      for (int twice = 0; twice < 3; ++twice) jobs.push_back(random.below(run.jobs(pass)));
      random.mix(jobs);
      run.run(pass, jobs, [&](std::uint64_t job, const BoxShare& share) {
        const auto [at, is_new] = shares.try_emplace({pass, job}, share);
        if (is_new) return;
        EXPECT_EQ(at->second.read.value(), share.read.value());
        EXPECT_EQ(at->second.written.value(), share.written.value());
      });
    }
    BoxShare all;
    for (const auto& [job, share] : shares) all.add(share);
    const Digest& read = all.read;
    const Digest& written = all.written;
    ASSERT_EQ(to.content(), c.wanted) << round;
    ASSERT_EQ(read.value(), digest_of(c.wanted).value()) << round;
    ASSERT_EQ(written.value(), read.value()) << round;
    ASSERT_EQ(read.bytes(), Count{c.wanted.size()}) << round;
  }
  EXPECT_GT(judged, rounds / 2);
}

TEST(BoxRun, nothing_gets_a_name_where_the_look_before_it_refuses) {
  Random random(5);
  int judged = 0;
  for (int round = 0; round < 30; ++round) {
    const BoxCase c = random_case(random);
    const auto plan = plan_of(c.problem);
    if (!plan) continue;
    ++judged;
    testing::SimulatedDisk disk;
    testing::MemorySource from(c.problem.from, c.fill, c.before);
    testing::SimulatedTarget to(disk, c.problem.to, c.other_fill);
    testing::SimulatedBoxStorage storage(disk);
    bool refuses = false;
    const auto look = [&] {
      if (refuses) throw Error(ErrorCode::usage, "the request is gone");
    };
    BoxRun run(*plan, from, to, storage, {.threads = c.problem.threads, .before_names = look});
    const std::size_t passes = plan->facts().passes.size();
    for (std::size_t pass = 0; pass < passes; ++pass) {
      refuses = true;
      EXPECT_THROW(run.run(pass, {0}, [](std::uint64_t, const BoxShare&) { ADD_FAILURE(); }),
                   Error);
      if (pass + 1 < passes) {
        EXPECT_FALSE(storage.exists(tile_name(pass, 0))) << round;
      } else if (c.problem.to.encoding != StoredGrid::Encoding::run) {
        EXPECT_TRUE(to.files().empty()) << round;
      }
      refuses = false;
      std::vector<std::uint64_t> jobs(run.jobs(pass));
      std::iota(jobs.begin(), jobs.end(), std::uint64_t{0});
      run.run(pass, jobs, [](std::uint64_t, const BoxShare&) {});
    }
    ASSERT_EQ(to.content(), c.wanted) << round;
  }
  EXPECT_GT(judged, 10);
}

// A run, or what is left of it, gone on with until it ends.
struct Outcome {
  int resumed = 0;
  std::uint64_t operations = 0;
};

void one_run(testing::SimulatedDisk& disk, const BoxCase& c, const BoxPlan& plan,
             testing::MemorySource& from) {
  testing::SimulatedTarget to(disk, c.problem.to, c.other_fill);
  testing::SimulatedBoxStorage storage(disk);
  testing::SimulatedFile file(disk, "journal");
  BoxJournal journal(file);
  if (journal.is_blank()) {
    journal.begin("{}");
    disk.sync_names();
  }
  BoxRun run(plan, from, to, storage, {.threads = c.problem.threads});
  (void)finish_run(run, plan, journal, {}, {});
}

// Every file under its name is one that a run without faults makes: none is torn.
void expect_whole(
    testing::SimulatedDisk& disk, const BoxCase& c,
    const std::map<std::string, std::shared_ptr<testing::SimulatedDisk::Content>>& good) {
  const testing::SimulatedTarget to(disk, c.problem.to, c.other_fill);
  for (const auto& [name, file] : to.files()) {
    ASSERT_TRUE(good.contains(name)) << name;
    ASSERT_EQ(file->now.size(), good.at(name)->now.size()) << name;
  }
}

TEST(BoxRun, no_fault_at_any_operation_leaves_a_wrong_byte) {
  const int rounds = testing::full_run() ? 120 : testing::sanitized() ? 3 : 12;
  Random random(3);
  int cut = 0;
  int resumed = 0;
  for (int round = 0; round < rounds; ++round) {
    BoxCase c = random_case(random);
    c.problem.to.encoding = StoredGrid::Encoding::unit;
    const auto plan = plan_of(c.problem);
    if (!plan || c.before.size() > 4000) continue;
    testing::MemorySource from(c.problem.from, c.fill, c.before);
    testing::SimulatedDisk clean;
    one_run(clean, c, *plan, from);
    const std::uint64_t operations = clean.operations();
    const auto good = testing::SimulatedTarget(clean, c.problem.to, c.other_fill).files();
    if (operations > 300) continue;
    for (std::uint64_t at = 1; at <= operations; ++at) {
      using Fault = testing::SimulatedDisk::Fault;
      testing::SimulatedDisk disk;
      disk.arm(at % 3 == 0 ? Fault::error : Fault::power, at);
      bool failed = false;
      for (int attempt = 0; attempt < 4; ++attempt) {
        try {
          one_run(disk, c, *plan, from);
          break;
        } catch (const testing::PowerCut&) {
          failed = true;
          ++cut;
        } catch (const Error& error) {
          ASSERT_EQ(error.code(), ErrorCode::environment) << error.what();
          failed = true;
        }
        disk.restart(random);
        expect_whole(disk, c, good);
        if (attempt < 2) disk.arm(Fault::power, 1 + random.below(operations));
      }
      resumed += failed ? 1 : 0;
      disk.disarm();
      const testing::SimulatedTarget to(disk, c.problem.to, c.other_fill);
      ASSERT_EQ(to.content(), c.wanted) << round << " at " << at << "\n" << plan->describe();
    }
  }
  EXPECT_GT(cut, 10);
  EXPECT_GT(resumed, 10);
}

TEST(BoxRun, what_fails_to_be_read_is_an_error_and_the_rest_is_done_later) {
  Random random(4);
  int failed = 0;
  for (int round = 0; round < 60; ++round) {
    const BoxCase c = random_case(random);
    const auto plan = plan_of(c.problem);
    if (!plan) continue;
    testing::SimulatedDisk disk;
    testing::MemorySource from(c.problem.from, c.fill, c.before);
    from.fails_in =
        static_cast<int>(1 + random.below(std::min<std::uint64_t>(
                                 500, static_cast<std::uint64_t>(plan->facts().passes[0].reads))));
    try {
      one_run(disk, c, *plan, from);
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::environment);
      ++failed;
    }
    one_run(disk, c, *plan, from);
    ASSERT_EQ(testing::SimulatedTarget(disk, c.problem.to, c.other_fill).content(), c.wanted);
  }
  EXPECT_GT(failed, 20);
}

TEST(BoxRun, files_between_passes_that_are_gone_are_made_again) {
  Random random(5);
  int judged = 0;
  for (int round = 0; round < 300 && judged < 10; ++round) {
    BoxCase c = random_case(random);
    c.problem.passes = 2;
    const auto plan = plan_of(c.problem);
    if (!plan || plan->facts().passes.size() != 2) continue;
    ++judged;
    testing::SimulatedDisk disk;
    testing::MemorySource from(c.problem.from, c.fill, c.before);
    testing::SimulatedTarget to(disk, c.problem.to, c.other_fill);
    testing::SimulatedBoxStorage storage(disk);
    testing::SimulatedFile file(disk, "journal");
    BoxJournal journal(file);
    journal.begin("{}");
    BoxRun run(*plan, from, to, storage, {});
    std::vector<std::uint64_t> jobs;
    for (std::uint64_t job = 0; job < run.jobs(0); ++job) jobs.push_back(job);
    run.run(0, jobs, [&](std::uint64_t job, const BoxShare& share) {
      journal.note({0, job}, share);
    });
    storage.remove(tile_name(0, random.below(run.jobs(0))));
    (void)finish_run(run, *plan, journal, {}, {});
    ASSERT_EQ(to.content(), c.wanted) << round;
  }
  EXPECT_EQ(judged, 10);
}

// The judge of a run is that what was read and what was written are the same.
TEST(BoxRun, a_changed_byte_between_the_passes_is_refused) {
  Random random(6);
  int judged = 0;
  for (int round = 0; round < 300 && judged < 10; ++round) {
    BoxCase c = random_case(random);
    c.problem.passes = 2;
    const auto plan = plan_of(c.problem);
    if (!plan) continue;
    ++judged;
    testing::SimulatedDisk disk;
    testing::MemorySource from(c.problem.from, c.fill, c.before);
    testing::SimulatedTarget to(disk, c.problem.to, c.other_fill);
    testing::SimulatedBoxStorage storage(disk);
    testing::SimulatedFile file(disk, "journal");
    BoxJournal journal(file);
    journal.begin("{}");
    BoxRun run(*plan, from, to, storage, {});
    const auto damage = [&] {
      auto content = disk.find(tile_name(0, random.below(run.jobs(0))));
      content->now[random.below(content->now.size())] ^= std::byte{4};
    };
    EXPECT_THROW((void)finish_run(run, *plan, journal, damage, {}), Error);
    EXPECT_FALSE(journal.is_complete());
  }
  EXPECT_EQ(judged, 10);
}

}  // namespace
}  // namespace faro::disk
