#include <fmt/format.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "faro/engine/permute_plan.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "base/cores.hpp"
#include "base/memory.hpp"
#include "base/system_text.hpp"
#include "engine/kernels/kernels.hpp"
#include "engine/tuning.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1 {
namespace {

constexpr std::uint32_t lines_ahead_max = 1024;
constexpr std::string_view first_line = "faro-machine 1";

// What is built in: rows by the second cache of a core, as CPUs were measured (docs/engine.md has
// the figures). That it is the cache which decides is a guess; it is what tells those CPUs apart.
//   More than 1 MiB: Xeon with 2 MiB. With the destination in a cache, streaming and reading it
//     again take 1.1 to 1.5 times what ordinary stores and reading take up to 8 MiB, the same at
//     16 MiB (0.8 without a reader), 0.65 at 32 MiB; reading directly, 64 lines ahead, beats
//     staging by 15 to 25 %; tiles in place beat blocks.
//   Up to 1 MiB: EPYC of Zen 3 and Zen 4. Where rows lie far apart staging beats reading directly
//     by 20 to 40 %, blocks beat tiles. The first number was seen with the destination out of the
//     caches, and on Zen 5, on busy cores, with a reader too: at 4 and 8 MiB streaming won.
//   Not known: the smaller threshold, and sources are read directly.
//   Vectors below a line: 32 bytes and less (EPYC, Zen 1 and Zen 3). Neighbours that complete lines
//     beat every stage but that of bit reversal on Zen 1, where both are near; 64 lines ahead as
//     good as 32 or better; tiles in place.
constexpr std::uint64_t small_l2_max = std::uint64_t{1} << 20U;
constexpr std::uint64_t ordinary_small = (std::uint64_t{4} << 20U) - 1;
constexpr std::uint64_t ordinary_large = (std::uint64_t{16} << 20U) - 1;

#if defined(__x86_64__) || defined(__i386__)
void name_cpu(MachineFacts& facts) {
  std::array<unsigned, 4> r{};
  if (__get_cpuid(0, &r[0], &r[1], &r[2], &r[3]) == 0) return;
  for (const unsigned part : {r[1], r[3], r[2]}) {
    std::array<char, 4> letters;
    std::memcpy(letters.data(), &part, letters.size());
    facts.maker.append(letters.data(), letters.size());
  }
  std::array<char, 49> name{};
  for (unsigned leaf = 0; leaf < 3; ++leaf) {
    if (__get_cpuid(0x80000002U + leaf, &r[0], &r[1], &r[2], &r[3]) == 0) return;
    std::memcpy(name.data() + leaf * sizeof r, r.data(), sizeof r);
  }
  facts.cpu = name.data();
  while (!facts.cpu.empty() && facts.cpu.back() == ' ') facts.cpu.pop_back();
}
#else
// "key : value" of /proc/cpuinfo, the first of its name.
std::string cpuinfo(const std::string& text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    const std::size_t colon = line.find(':');
    if (line.starts_with(key) && colon != std::string_view::npos && colon + 2 < line.size()) {
      return std::string(line.substr(colon + 2));
    }
    at = end + 1;
  }
  return {};
}

void name_cpu(MachineFacts& facts) {
  const std::string text = system_text("/proc/cpuinfo").value_or("");
  const std::string implementer = cpuinfo(text, "CPU implementer");
  facts.maker = implementer.empty() ? "" : "implementer " + implementer;
  facts.cpu = cpuinfo(text, "model name");
  if (facts.cpu.empty() && !implementer.empty()) {
    facts.cpu = facts.maker + ", part " + cpuinfo(text, "CPU part");
  }
}
#endif

// "48K", "2048K", "105M" of /sys, 0 if it is none of these.
std::uint64_t cache_size(const std::string& text) {
  std::uint64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end == text.data() + text.size()) return 0;
  const int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
  return size << shift;
}

void find_caches(MachineFacts& facts) {
  for (int i = 0; i < 8; ++i) {
    const std::string at = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", i);
    const auto level = system_text(at + "level");
    const auto type = system_text(at + "type");
    const auto size = system_text(at + "size");
    if (!level || !type || !size) return;
    if (type->starts_with("Instruction")) continue;
    if (level->starts_with('1')) facts.l1_bytes = cache_size(*size);
    if (level->starts_with('2')) facts.l2_bytes = cache_size(*size);
    if (level->starts_with('3')) facts.l3_bytes = cache_size(*size);
  }
}

// ---- the settings file ----

[[noreturn]] void malformed(std::size_t line, std::string_view what) {
  throw Error(
      ErrorCode::usage,
      fmt::format("machine settings, line {}: {}; `faro tune` writes them anew", line, what));
}

bool yes_or_no(std::string_view value, std::size_t line) {
  if (value == "yes") return true;
  if (value != "no") malformed(line, fmt::format("wanted yes or no, found '{}'", value));
  return false;
}

template <class Number>
Number number_up_to(Number most, std::string_view value, std::size_t line) {
  Number number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number > most) {
    malformed(line, fmt::format("wanted a number up to {}, found '{}'", most, value));
  }
  return number;
}

// What the settings file, if there is one, says for this CPU; a word about one that is passed over.
struct Found {
  std::optional<MachineTuning> tuning;
  std::string passed_over;
};

Found find_settings(std::string_view cpu) {
  const std::string path = machine_tuning_path();
  if (path.empty()) return {};
  const auto text = system_text(path);
  if (!text) {
    const bool named = std::getenv("FARO_MACHINE") != nullptr;
    return {std::nullopt, named ? fmt::format("; {} cannot be read", path) : ""};
  }
  try {
    MachineTuning tuning = tuning_from_text(*text, cpu);
    tuning.origin = path;
    return {tuning, ""};
  } catch (const Error& error) {
    return {std::nullopt, fmt::format("; {} passed over: {}", path, error.what())};
  }
}

// The tuning in effect. What was in effect before stays, for a plan may be reading it; there are as
// many as calls of use_machine_tuning.
struct InEffect {
  MachineTuning tuning;
  const InEffect* before = nullptr;
};
std::atomic<const InEffect*> in_effect{nullptr};

}  // namespace

MachineFacts machine_facts() {
  MachineFacts facts;
  name_cpu(facts);
  find_caches(facts);
  facts.page_bytes = page_bytes();
  facts.cores = cores_available();
  for (const engine::KernelSet* set : engine::kernel_sets()) facts.kernels.emplace_back(set->name);
  return facts;
}

MachineTuning built_in_tuning(std::uint64_t l2_bytes, std::uint64_t vector_bytes) {
  if (vector_bytes < engine::line_bytes) {
    return {ordinary_small, false, 64, false,
            fmt::format("built in for vectors of {} bytes", vector_bytes)};
  }
  if (l2_bytes == 0) {
    return {ordinary_small, false, 32, false, "built in for a second cache that is not known"};
  }
  const std::string origin = fmt::format("built in for a second cache of {} KiB", l2_bytes >> 10U);
  if (l2_bytes <= small_l2_max) return {ordinary_small, true, 32, true, origin};
  return {ordinary_large, false, 64, false, origin};
}

namespace engine {

MachineTuning tuning_found() {
  MachineFacts facts;
  name_cpu(facts);
  find_caches(facts);
  const Found found = find_settings(facts.cpu);
  const std::uint64_t vector_bytes = bit(kernel_set(Simd::automatic).vector_log2);
  MachineTuning tuning =
      found.tuning ? *found.tuning : built_in_tuning(facts.l2_bytes, vector_bytes);
  tuning.origin += found.passed_over;
  return tuning;
}

const MachineTuning& tuning() {
  const InEffect* here = in_effect.load(std::memory_order_acquire);
  if (here != nullptr) return here->tuning;
  const auto* const made = new InEffect{tuning_found()};
  if (in_effect.compare_exchange_strong(here, made)) return made->tuning;
  delete made;
  return here->tuning;
}

}  // namespace engine

MachineTuning machine_tuning() {
  return engine::tuning();
}

void use_machine_tuning(const MachineTuning& tuning) {
  if (tuning.lines_ahead > lines_ahead_max) {
    throw Error(ErrorCode::usage, fmt::format("machine settings: {} lines ahead; at most {}",
                                              tuning.lines_ahead, lines_ahead_max));
  }
  auto* const made = new InEffect{tuning, in_effect.load()};
  while (!in_effect.compare_exchange_weak(made->before, made)) {
  }
}

std::string machine_tuning_path() {
  if (const char* path = std::getenv("FARO_MACHINE")) return path;
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config != '\0') {
    return std::string(config) + "/faro/machine";
  }
  const char* home = std::getenv("HOME");
  return home == nullptr ? "" : std::string(home) + "/.config/faro/machine";
}

std::string tuning_text(const MachineTuning& tuning, std::string_view cpu) {
  const auto word = [](bool yes) { return yes ? "yes" : "no"; };
  return fmt::format(
      "{}\ncpu {}\nordinary_bytes_max {}\nstage_sources {}\nlines_ahead {}\nin_place_blocks {}\n",
      first_line, cpu, tuning.ordinary_bytes_max, word(tuning.stage_sources), tuning.lines_ahead,
      word(tuning.in_place_blocks));
}

MachineTuning tuning_from_text(std::string_view text, std::string_view cpu) {
  constexpr std::array<std::string_view, 6> keys{
      first_line, "cpu", "ordinary_bytes_max", "stage_sources", "lines_ahead", "in_place_blocks"};
  std::array<std::string_view, keys.size()> values;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!line.starts_with(keys[i])) malformed(i + 1, fmt::format("wanted '{}'", keys[i]));
    values[i] = line.substr(keys[i].size());
    const bool valued = i > 0;
    if (valued ? !values[i].starts_with(' ') : !values[i].empty()) {
      malformed(i + 1, fmt::format("wanted '{}'", keys[i]));
    }
    if (valued) values[i].remove_prefix(1);
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
  }
  if (!text.empty()) malformed(keys.size() + 1, "wanted nothing more");
  if (values[1] != cpu) {
    throw Error(ErrorCode::impossible,
                fmt::format("machine settings of '{}', and this CPU is '{}'; `faro tune` "
                            "measures this one",
                            values[1], cpu));
  }
  MachineTuning tuning;
  tuning.ordinary_bytes_max = number_up_to<std::uint64_t>(~std::uint64_t{0}, values[2], 3);
  tuning.stage_sources = yes_or_no(values[3], 4);
  tuning.lines_ahead = number_up_to<std::uint32_t>(lines_ahead_max, values[4], 5);
  tuning.in_place_blocks = yes_or_no(values[5], 6);
  return tuning;
}

}  // namespace faro::inline v1
