// `faro gpu devices`, `bench` and `tune`: kernels on the devices that are here. Every output is
// compared with the engine's; times stand beside the best copy of the same bytes on the device.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/random.hpp"
#include "base/require.hpp"
#include "cli/gpu_words.hpp"
#include "cli/map_text.hpp"
#include "faro/engine/permute_plan.hpp"
#include "gpu/driver.hpp"
#include "gpu/text.hpp"

namespace faro::cli {
namespace {

constexpr std::array<gpu::Language, 3> languages = {gpu::Language::cuda, gpu::Language::hip,
                                                    gpu::Language::opencl};
constexpr std::array<const char*, 3> language_names = {"cuda", "hip", "opencl"};
constexpr std::uint64_t bytes_log2 = 28;  // of an array, where nobody says how many
constexpr int batches = 7;                // of which the median counts
constexpr double batch_seconds = 0.02;    // of calls that are waited for once

const char* name_of_language(gpu::Language language) {
  return language_names[static_cast<std::size_t>(language)];
}

// Those of all languages; why one has none is said to `why`.
std::vector<gpu::Device> all_devices(std::vector<std::string>& why) {
  std::vector<gpu::Device> out;
  for (const gpu::Language language : languages) {
    try {
      const std::vector<gpu::Device> some = gpu::devices(language);
      out.insert(out.end(), some.begin(), some.end());
      if (some.empty()) why.push_back(fmt::format("{}: no device", name_of_language(language)));
    } catch (const Error& error) {
      why.push_back(fmt::format("{}: {}", name_of_language(language), error.what()));
    }
  }
  return out;
}

gpu::Device chosen_device(const std::optional<std::string>& asked) {
  std::vector<std::string> why;
  const std::vector<gpu::Device> devices = all_devices(why);
  for (const gpu::Device& device : devices)
    if (!asked || *asked == fmt::format("{}:{}", name_of_language(device.language), device.number))
      return device;
  if (!devices.empty())
    throw Error(ErrorCode::usage,
                fmt::format("there is no device {}; `faro gpu devices` lists them", *asked));
  throw Error(ErrorCode::impossible, fmt::format("no device here: {}", fmt::join(why, "; ")));
}

// Two arrays on a device, and what is in the first.
class Workplace {
 public:
  Workplace(const gpu::Device& device, std::uint64_t bytes)
      : driver_(gpu::Driver::of(device.language)),
        stream_(driver_.open(device.number)),
        data_(bytes),
        back_(bytes) {
    Random random(1);
    for (std::byte& b : data_) b = static_cast<std::byte>(random.next() >> 56U);
    from_ = driver_.allocate(bytes, stream_);
    to_ = driver_.allocate(bytes, stream_);
    driver_.write(from_, data_.data(), bytes, stream_);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  ~Workplace() {
    driver_.release(from_, stream_);
    driver_.release(to_, stream_);
    driver_.close(stream_);
  }

  std::uint64_t bytes() const { return data_.size(); }
  const gpu::Stream& stream() const { return stream_; }

  // Whether a plan's kernel does what the engine does, in an array that was poisoned before.
  bool right(const gpu::Plan& plan, const gpu::Executable& run) {
    const std::uint64_t bytes = plan.to_bytes();
    std::vector<std::byte> poison(bytes, std::byte{0xA5});
    if (plan.asked.in_place) {
      driver_.write(to_, data_.data(), bytes, stream_);
      run(to_);
    } else {
      driver_.write(to_, poison.data(), bytes, stream_);
      run(from_, to_);
    }
    driver_.read(back_.data(), to_, bytes, stream_);
    std::vector<std::byte> wanted(bytes);
    permute_bytes(plan.map_asked, plan.asked.element_bytes, std::span(data_).first(bytes), wanted);
    const gpu::Only& only = plan.asked.only;
    const std::byte* const others = plan.asked.in_place ? data_.data() : poison.data();
    for (std::size_t i = 0; only.mask != 0 && i < bytes; ++i)
      if ((i / plan.asked.element_bytes & only.mask) != only.value) wanted[i] = others[i];
    return std::equal(wanted.begin(), wanted.end(), back_.begin());
  }

  double seconds(const gpu::Plan& plan, const gpu::Executable& run) {
    return median([&] { plan.asked.in_place ? run(to_) : run(from_, to_); });
  }

  // The better of the driver's copy and of a kernel that copies.
  double copy_seconds(std::uint64_t bytes) {
    const double driver = median([&] { driver_.copy(to_, from_, bytes, stream_); });
    const int width = highest_bit(bytes / 16);
    const gpu::Plan plan = gpu::plan(BitMap::identity(width), {.element_bytes = 16});
    const gpu::Executable run(plan, stream_);
    const double scale = static_cast<double>(bytes) / static_cast<double>(plan.bytes());
    return std::min(driver, scale * seconds(plan, run));
  }

 private:
  template <class Call>
  double median(Call&& call) {
    const auto timed = [&](int calls) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < calls; ++i) call();
      driver_.finish(stream_);
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    timed(1);
    const int calls = static_cast<int>(std::clamp(batch_seconds / timed(1), 1.0, 1000.0));
    std::array<double, batches> times{};
    for (double& t : times) t = timed(calls) / calls;
    std::sort(times.begin(), times.end());
    return times[batches / 2];
  }

  gpu::Driver& driver_;
  gpu::Stream stream_;
  std::vector<std::byte> data_, back_;
  void* from_ = nullptr;
  void* to_ = nullptr;
};

struct Job {
  Map map;
  gpu::Options options;
};

struct Outcome {
  bool right = false;
  double seconds = 0;
  double percent = 0;  // of the speed of the best copy
  const char* kind = "";
};

// copy_seconds: of all bytes of the place.
Outcome outcome_of(Workplace& place, const gpu::Plan& plan, double copy_seconds) {
  const double scale = static_cast<double>(plan.bytes()) / static_cast<double>(place.bytes());
  const gpu::Executable run(plan, place.stream());
  Outcome out;
  out.right = place.right(plan, run);
  out.seconds = place.seconds(plan, run);
  out.kind = run.from_table() ? "table" : gpu::name_of(plan.kind);
  out.percent = 100 * scale * copy_seconds / out.seconds;
  return out;
}

Report outcome_report(const gpu::Plan& plan, const Outcome& outcome) {
  return {{"map", gpu::notation_of(plan.map_asked)},
          {"element_bytes", plan.asked.element_bytes},
          {"in_place", plan.asked.in_place},
          {"kind", outcome.kind},
          {"tile", bit(plan.asked.tile_log2)},
          {"threads", bit(plan.asked.threads_log2)},
          {"equal", outcome.right},
          {"seconds", outcome.seconds},
          {"percent_of_copy", outcome.percent}};
}

// Bit reversals of every size, transposes, a random map, Gray: where nobody says a map.
std::vector<Job> usual_jobs(const GpuWords& words, int log2) {
  std::vector<Job> jobs;
  const auto add = [&](const char* map, int width, std::uint64_t element, bool in_place = false) {
    gpu::Options options = words.options();
    options.element_bytes = element;
    options.in_place = in_place;
    jobs.push_back({say(map, sizes_from({}, static_cast<std::uint64_t>(width))).map, options});
  };
  for (int e = 0; e <= 4; ++e) add("i -> rev(i)", log2 - e, bit(e));
  for (int e = 2; e <= 4; ++e) add("i -> gray(i)", log2 - e, bit(e));
  for (int e = 2; e <= 4; ++e) {
    const int rows = (log2 - e) / 2;
    const std::string transpose = fmt::format("r:{} c:{} -> c r", rows, log2 - e - rows);
    add(transpose.c_str(), log2 - e, bit(e));
  }
  Random random(45);
  for (int e = 2; e <= 3; ++e) {
    BitMatrix matrix(log2 - e, log2 - e);
    do
      for (int i = 0; i < log2 - e; ++i) matrix.set_column(i, random.next() & low_mask(log2 - e));
    while (matrix.rank() != log2 - e);
    gpu::Options options = words.options();
    options.element_bytes = bit(e);
    jobs.push_back({BitMap::from_matrix(matrix, 0), options});
  }
  add("i -> rev(i)", log2 - 4, 12);
  for (int e = 2; e <= 3; ++e) {  // axes of no power of two
    const std::uint64_t side = bit((log2 - e) / 2) - 7;
    gpu::Options options = words.options();
    options.element_bytes = bit(e);
    jobs.push_back({say(fmt::format("r={} c={} -> c r", side, side)).map, options});
  }
  for (int e = 2; e <= 3; ++e) add("i -> rev(i)", log2 - e, bit(e), true);
  return jobs;
}

std::vector<Job> jobs_of(const GpuWords& words) {
  const std::uint64_t log2 = words.log2_bytes.value_or(bytes_log2);
  require(log2 >= 12 && log2 <= 40, "--log2-bytes {}: wanted 12 to 40", log2);
  if (!words.map) return usual_jobs(words, static_cast<int>(log2));
  require(words.element.has_value(), "--element BYTES: say the bytes of an element");
  require(*words.element >= 1 && *words.element <= 64, "elements of {} bytes: wanted 1 to 64",
          *words.element);
  std::optional<std::uint64_t> width = words.width;
  if (!width && words.log2_bytes)
    width = log2 - static_cast<std::uint64_t>(highest_bit(*words.element));
  return {{say(*words.map, sizes_from({}, width)).map, words.options()}};
}

std::uint64_t bytes_of(const std::vector<Job>& jobs) {
  std::uint64_t bytes = 16;  // the least that the kernel of copy_seconds() moves
  for (const Job& job : jobs)
    bytes =
        std::max(bytes, static_cast<std::uint64_t>(job.options.element_bytes * job.map.elements()));
  return bytes;
}

const gpu::Machine& planned_for(const GpuWords& words, const gpu::Device& device) {
  const bool amd = device.language == gpu::Language::hip && words.on == "any";
  return gpu::machine(amd ? "mi300" : words.on);
}

Report head_of(const char* format, const gpu::Device& device) {
  Report report{{"format", format}, {"language", name_of_language(device.language)}};
  report.row("device", device.name, "{} ({}:{}, {})\n", device.name,
             name_of_language(device.language), device.number, device.target);
  return report;
}

// Of the bytes read and written.
double rate_of(std::uint64_t bytes, double seconds) {
  return 2e-9 * static_cast<double>(bytes) / seconds;
}

}  // namespace

int list_devices(Output& out) {
  std::vector<std::string> why;
  const std::vector<gpu::Device> devices = all_devices(why);
  if (devices.empty())
    throw Error(ErrorCode::impossible, fmt::format("no device here: {}", fmt::join(why, "; ")));
  Report report{{"format", "faro-gpu-devices/1"}, {"devices", Report::list()}, {"missing", why}};
  for (const gpu::Device& device : devices) {
    report["devices"].push_back({{"language", name_of_language(device.language)},
                                 {"number", device.number},
                                 {"name", device.name},
                                 {"target", device.target},
                                 {"memory_bytes", device.memory_bytes}});
    report.say("{}:{}  {}, {}, {}\n", name_of_language(device.language), device.number, device.name,
               bytes_text(device.memory_bytes), device.target);
  }
  for (const std::string& words : why) report.say("{}\n", words);
  out.report(report);
  return 0;
}

int bench_kernels(const GpuWords& words, Output& out) {
  const std::vector<Job> jobs = jobs_of(words);
  const gpu::Device device = chosen_device(words.device);
  Workplace place(device, bytes_of(jobs));
  const double copy = place.copy_seconds(place.bytes());
  Report report = head_of("faro-gpu-bench/1", device);
  report.row("copy_gigabytes_per_second", rate_of(place.bytes(), copy),
             "best copy of {} bytes: {:.1f} GB/s, read and written\n", place.bytes(),
             rate_of(place.bytes(), copy));
  report["rows"] = Report::list();
  bool right = true;
  for (const Job& job : jobs) {
    const gpu::Plan plan = gpu::plan(job.map, job.options, planned_for(words, device));
    const Outcome outcome = outcome_of(place, plan, copy);
    right = right && outcome.right;
    report["rows"].push_back(outcome_report(plan, outcome));
    const std::string map = gpu::notation_of(plan.map_asked);
    report.say("{:5.1f} % of copy  {:9.3f} ms  {:3} bytes{}  {:7}  {}  {}\n", outcome.percent,
               1e3 * outcome.seconds, plan.asked.element_bytes,
               plan.asked.in_place ? ", in place" : "", outcome.kind,
               outcome.right ? "equal" : "WRONG",
               map.size() > 60 ? map.substr(0, 57) + "..." : map);
  }
  report["equal"] = right;
  out.report(report);
  return right ? 0 : 1;
}

int tune_kernel(const GpuWords& words, Output& out) {
  require(words.map.has_value(), "tune: say the MAP");
  const Job job = jobs_of(words).front();
  const gpu::Device device = chosen_device(words.device);
  Workplace place(device, bytes_of({job}));
  const double copy = place.copy_seconds(place.bytes());
  struct Try {
    gpu::Plan plan;
    Outcome outcome;
  };
  std::vector<Try> tries;
  Report report = head_of("faro-gpu-tune/1", device);
  std::vector<std::string> refused;
  for (int tile = 10; tile <= 14; ++tile)
    for (int threads = 6; threads <= 10; ++threads) {
      gpu::Options options = job.options;
      options.tile_log2 = tile;
      options.threads_log2 = threads;
      try {
        const gpu::Plan plan = gpu::plan(job.map, options, planned_for(words, device));
        tries.push_back({plan, outcome_of(place, plan, copy)});
      } catch (const Error& error) {  // a device may have less room than the plan's machine
        refused.push_back(
            fmt::format("tile {}, {} threads: {}", bit(tile), bit(threads), error.what()));
      }
    }
  if (tries.empty()) throw Error(ErrorCode::environment, refused.front());
  std::stable_sort(tries.begin(), tries.end(), [](const Try& a, const Try& b) {
    return a.outcome.seconds < b.outcome.seconds;
  });
  bool right = true;
  report["rows"] = Report::list();
  for (const Try& one : tries) {
    right = right && one.outcome.right;
    report["rows"].push_back(outcome_report(one.plan, one.outcome));
    report.say("{:5.1f} % of copy  --tile {} --threads {}  {}\n", one.outcome.percent,
               bit(one.plan.asked.tile_log2), bit(one.plan.asked.threads_log2),
               one.outcome.right ? "equal" : "WRONG");
  }
  report["refused"] = refused;
  for (const std::string& text : refused) report.say("refused: {}\n", text);
  report["equal"] = right;
  out.report(report);
  return right ? 0 : 1;
}

}  // namespace faro::cli
