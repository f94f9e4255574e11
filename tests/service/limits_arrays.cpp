// Limits of loops, of arrays and their files, of other systems' words and of certificates.
#include <fmt/format.h>

#include "disk/box_journal.hpp"
#include "disk/journal.hpp"
#include "disk/verify.hpp"
#include "faro/base/limits.hpp"
#include "faro/disk/permute_file.hpp"
#include "faro/engine/permute_plan.hpp"
#include "faro/layouts/placement.hpp"
#include "faro/schedules/cost.hpp"
#include "faro/schedules/json.hpp"
#include "faro/words/say.hpp"
#include "layouts/foreign.hpp"
#include "machines/certificates/check.hpp"
#include "schedules/quiet_sink.hpp"
#include "service/limits.hpp"
#include "service/reports.hpp"

namespace faro::testing {
namespace {

// What is refused in words of its own, by a code of its own.
bool accepted(const std::function<void()>& ask, ErrorCode code) {
  try {
    ask();
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == code) << error.what();
    return false;
  }
  return true;
}

bool checked(const ScheduleHeader& header) {
  const certificates::BoundCheck check = certificates::check_bound(header);
  return !check.refuted && check.answer == Verdict::BoundAnswer::checked;
}

ScheduleHeader header_of(const char* machine, const std::string& map, Bound bound) {
  const Request request = Request::of(map, machine);
  ScheduleHeader header;
  header.machine = request.machine();
  header.goal = request.map();
  header.elements = request.elements();
  header.slots = request.elements();
  header.bound = std::move(bound);
  return header;
}

// A loop of one step with one rule that nobody meets.
bool loops(std::uint64_t laps, ScheduleSink& sink) {
  const std::string file =
      fmt::format(R"({{"format":"faro-schedule/2","machine":{{"kind":"hypercube","dimensions":0,)"
                  R"("ports":"all"}},)"
                  R"("goal":[],"elements":1,"slots":1,"steps":[{{"loop":{{"laps":{},"body":[)"
                  R"({{"rules":[{{"if":[[0,1]],"slot":0,"to":0}}]}}]}}}}]}})",
                  laps);
  struct Listener : ReadListener {
    void breach(Count, const std::string&, const std::string& message) override {
      ADD_FAILURE() << message;
    }
    void warning(const std::string&) override {}
  };
  return taken([&] {
    TextSource source(file);
    Listener listener;
    read_schedule(source, sink, {}, listener);
  });
}

}  // namespace

void add_loops(std::vector<Asked>& all) {
  using namespace limits;
  all.push_back(around("loop_laps_max", loop_laps_max, [](std::uint64_t n) {
    CostCounter counter;
    return loops(n, counter);
  }));
  // A rule, its condition and a step a lap.
  all.push_back(doubled("loop_moves_max", loop_moves_max, [](std::uint64_t n) {
    QuietSink quiet;
    return loops(n / 3, quiet);
  }));
}

void add_arrays(std::vector<Asked>& all) {
  using namespace limits;
  all.push_back(around("array_log2_max", array_log2_max, [](std::uint64_t n) {
    return taken([&] {
      static_cast<void>(
          read_foreign("cute:Sw<1,4,3>", {.shape = {}, .width = int(n), .devices = {}}));
    });
  }));
  all.push_back(around("tensor_elements_log2_max", tensor_elements_log2_max, [](std::uint64_t n) {
    return taken([&] { static_cast<void>(say(fmt::format("a:{} b=3 -> b a", n - 2))); });
  }));
  all.push_back(around("permute_bits_max", permute_bits_max, [](std::uint64_t n) {
    return taken([&] {
      static_cast<void>(PermutePlan::out_of_place(BitMap::identity(static_cast<int>(n))));
    });
  }));
  all.push_back(around("threads_max", threads_max, [](std::uint64_t n) {
    return taken([&] {
      static_cast<void>(PermutePlan::out_of_place(BitMap::identity(10), {.element_bytes = 8},
                                                  {.threads = static_cast<int>(n)}));
    });
  }));
  all.push_back(
      around("layout_listed_devices_log2_max", layout_listed_devices_log2_max, [](std::uint64_t n) {
        const std::string bits = fmt::format("r:{} -> gray(r) |", n);
        ForeignLayout layout;
        layout.notation = say(bits).as_bits();
        return accepted([&] { static_cast<void>(write_foreign("xla", layout)); },
                        ErrorCode::impossible);
      }));
  all.push_back(doubled(
      "layout_read_devices_log2_max", bit(layout_read_devices_log2_max), [](std::uint64_t n) {
        return taken([&] {
          static_cast<void>(
              read_foreign(fmt::format("xla:{{mesh['a'={0}], device_ids=([{0}]), [{{'a'}}]}}", n),
                           {.shape = {n}, .width = {}, .devices = {}}));
        });
      }));
  all.push_back(around("journal_header_bytes_max", journal_header_bytes_max, [](std::uint64_t n) {
    constexpr std::size_t checksum_bytes = 19;  // "  # crc32c ", eight digits
    MemoryFile file("journal");
    file.reserve(n);
    disk::Journal(file).begin(std::string(n - 1 - checksum_bytes, ' '));
    return !disk::Journal(file).is_blank();
  }));
  all.push_back(around("rechunk_journal_bytes_max", rechunk_journal_bytes_max, [](std::uint64_t n) {
    MemoryFile file("journal");
    file.reserve(n);  // zeros: one line that was not ended
    return taken([&] { static_cast<void>(disk::BoxJournal(file)); });
  }));
  all.push_back(
      around("profile_run_nanoseconds_max", profile_run_nanoseconds_max, [](std::uint64_t n) {
        DiskProfile profile = DiskProfile::ssd();
        profile.read_run_nanoseconds = n;
        return accepted([&] { static_cast<void>(DiskProfile::parse(profile.text(), "profile")); },
                        ErrorCode::usage);
      }));
  all.push_back(
      around("explained_processors_log2_max", explained_processors_log2_max, [](std::uint64_t n) {
        return !map_bounds(say(fmt::format("i:{} -> ~i", n)).as_bits()).empty();
      }));
  all.push_back(around("explained_memory_log2_max", explained_memory_log2_max, [](std::uint64_t n) {
    return !map_bounds(say(fmt::format("p:1 | m:{} -> ~p | m", n)).as_bits()).empty();
  }));
}

void add_certificates(std::vector<Asked>& all) {
  using namespace limits;
  // A weight of w on either link of two processors that exchange: 2w for 2w.
  all.push_back(around("certificate_weight_max", certificate_weight_max, [](std::uint64_t w) {
    return checked(header_of("mesh:2x1,all-links", "i:1 -> ~i",
                             {1, "weights", certificate::Weights{{{0, 1, w}, {1, 0, w}}}}));
  }));
  // 2^n elements go three links far over three of them, and none may be the last to leave.
  all.push_back(around(
      "certificate_departures_log2_max", certificate_departures_log2_max, [](std::uint64_t n) {
        return checked(header_of("cube:3", fmt::format("p:3 | m:{} -> ~p | m", n),
                                 {ceil_div(bit(static_cast<int>(n)), 3) + 2, "departures",
                                  certificate::Port{0, certificate::Way::out}}));
      }));
}

}  // namespace faro::testing
