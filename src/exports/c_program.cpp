// A schedule of rules as a C function that each processor asks with its own address: what do I send
// in this step, from this slot? The program is as long as the rules, whatever the number of
// processors. [Johnsson, Ho 1991 (codes): "each node can determine its own actions from its
// address"]
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "exports/formats.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/machines/verifier.hpp"
#include "schedules/turns.hpp"

namespace faro::inline v1::exports {
namespace {

class Program : public ScheduleSink {
 public:
  explicit Program(ByteSink& to) : to_(to) {}

  void begin(const ScheduleHeader& header) override {
    refuse_turns(header, "a C program");
    if (!std::holds_alternative<Hypercube>(header.machine))
      throw Error(ErrorCode::usage,
                  fmt::format("a C program for each processor is made of schedules for cubes, and "
                              "this one is for {}",
                              to_string(header.machine)));
    header_ = header;
  }

  void step(const CubeStep& step) override {
    if (!step.moves.empty() || !step.butterflies.empty() || !step.butterfly_rules.empty())
      throw Error(ErrorCode::usage,
                  step.moves.empty()
                      ? "this schedule computes; a C program only says who sends what"
                      : "this schedule lists single moves; a C program is made of rules, which "
                        "schedules for maps have (leave --expand out)");
    // By slot, so that a processor looks only at the rules of the slot it asks for.
    std::map<Slot, std::vector<const Rule*>> by_slot;
    for (const Rule& rule : step.rules) by_slot[rule.from].push_back(&rule);
    for (const auto& [slot, rules] : by_slot)
      for (const Rule* rule : rules) add(*rule);
    ends_.push_back(rules_);
  }

  void finish() override {
    std::string text = fmt::format(
        "/* {} on {}, {} elements in each processor, {} slots.\n"
        "   Made by faro from a schedule of {} steps; C99, nothing else needed.\n\n"
        "   In step t (0 .. FARO_STEPS - 1) every processor p asks, for each of its slots s,\n\n"
        "     for (k = 0; faro_send(p, s, t, k, &across, &to); ++k) ..\n\n"
        "   and sends what s holds to slot `to` of processor p ^ (1 << across); across = -1: to a\n"
        "   slot of its own. All slots are read before any is written. */\n",
        header_.map_text.empty() ? "a map" : header_.map_text, to_string(header_.machine),
        header_.elements, header_.slots, ends_.size());
    text += "#include <stdint.h>\n\n";
    text +=
        fmt::format("#define FARO_DIMENSIONS {}\n#define FARO_SLOTS {}\n#define FARO_STEPS {}\n",
                    std::get<Hypercube>(header_.machine).dimensions, header_.slots, ends_.size());
    text +=
        "\n/* The bits of an address that are summed, and the sum that is wanted. */\n"
        "static const struct { uint64_t mask; int sum; } faro_where[] = {\n" +
        or_none(wheres_, "  {0, 0}\n") + "};\n";
    text +=
        "/* A rule: slots, dimension, and where its conditions begin and end. */\n"
        "static const struct { uint32_t from, to; int across; uint32_t first, last; } "
        "faro_rule[] = {\n" +
        or_none(lines_, "  {0, 0, 0, 0, 0}\n") + "};\n";
    text += "static const uint32_t faro_begin[FARO_STEPS + 1] = {0";
    for (const std::uint64_t end : ends_) text += fmt::format(", {}", end);
    text += R"(};

static int faro_sum(uint64_t bits) {
  int shift;
  for (shift = 32; shift > 0; shift /= 2) bits ^= bits >> shift;
  return (int)(bits & 1);
}

/* Whether the processor sends this slot in this step a k-th time, and where to. For whoever
   includes this file: alone nobody asks. */
#ifdef __GNUC__
__attribute__((unused))
#endif
static int faro_send(uint64_t processor, uint32_t slot, uint64_t step, int k, int *across,
                     uint32_t *to) {
  uint32_t low = faro_begin[step], high = faro_begin[step + 1], i, c;
  while (low < high) { /* the first rule of this slot */
    const uint32_t middle = low + (high - low) / 2;
    if (faro_rule[middle].from < slot) low = middle + 1; else high = middle;
  }
  for (i = low; i < faro_begin[step + 1] && faro_rule[i].from == slot; ++i) {
    for (c = faro_rule[i].first; c < faro_rule[i].last; ++c)
      if (faro_sum(processor & faro_where[c].mask) != faro_where[c].sum) break;
    if (c < faro_rule[i].last || k-- > 0) continue;
    *across = faro_rule[i].across;
    *to = faro_rule[i].to;
    return 1;
  }
  return 0;
}
)";
    to_.write(text);
  }

 private:
  static std::string or_none(const std::string& lines, const char* none) {
    return lines.empty() ? none : lines;
  }

  // The conditions of one rule are written once for all rules that have the same.
  void add(const Rule& rule) {
    const int dimensions = std::get<Hypercube>(header_.machine).dimensions;
    if (rule.from >= header_.slots || rule.to >= header_.slots || rule.across < inside ||
        rule.across >= dimensions)
      throw Error(
          ErrorCode::refused,
          fmt::format("step {}: a rule names slots {} and {} and dimension {}; there are {} "
                      "slots and {} dimensions",
                      ends_.size(), rule.from, rule.to, rule.across, header_.slots, dimensions));
    std::string key;
    for (const Parity& c : rule.where)
      key += fmt::format("  {{UINT64_C({:#x}), {}}},\n", c.mask, c.value ? 1 : 0);
    const auto [place, is_new] = where_at_.try_emplace(key, conditions_);
    if (is_new) {
      wheres_ += key;
      conditions_ += rule.where.size();
    }
    lines_ += fmt::format("  {{{}, {}, {}, {}, {}}},\n", rule.from, rule.to,
                          rule.across == inside ? -1 : rule.across, place->second,
                          place->second + rule.where.size());
    if (++rules_ > limits::c_program_rules_max)
      throw Error(ErrorCode::limit,
                  fmt::format("a C program holds at most {} rules, and this schedule has more",
                              limits::c_program_rules_max));
  }

  ByteSink& to_;
  ScheduleHeader header_;
  std::string wheres_;
  std::string lines_;
  std::map<std::string, std::uint64_t> where_at_;
  std::uint64_t conditions_ = 0;
  std::uint64_t rules_ = 0;
  std::vector<std::uint64_t> ends_;
};

}  // namespace

void c_program(const Push& push, ByteSink& to) {
  Program program(to);
  push(program);
}

}  // namespace faro::inline v1::exports
