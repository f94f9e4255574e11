#include "schedules/expand.hpp"

#include <fmt/format.h>

#include "base/working.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1 {

void UnrollingSink::begin(const ScheduleHeader& header) {
  ScheduleHeader unrolled = header;
  unrolled.entries = ScheduleHeader::Entries::steps;
  next_.begin(unrolled);
}

void ExpandingSink::begin(const ScheduleHeader& header) {
  const std::optional<int> bits = address_bits(header.machine);
  if (bits && *bits > limits::expand_bits_max)
    throw Error(ErrorCode::limit,
                fmt::format("rules are spelled out up to 2^{} processors; this machine has 2^{}. "
                            "Write the rules themselves instead.",
                            limits::expand_bits_max, *bits));
  width_ = bits.value_or(0);
  if (const auto* pops = std::get_if<Pops>(&header.machine)) group_size_ = pops->group_size;
  UnrollingSink(next_).begin(header);
}

void ExpandingSink::step(const CubeStep& step) {
  cube_.clear();
  cube_.moves = step.moves;
  cube_.butterflies = step.butterflies;
  for (const Rule& r : step.rules) {
    still_working();
    const Word flip = r.across == inside ? 0 : bit(r.across);
    AffineSpace::where(width_, r.where).for_each([&](Word p) {
      cube_.moves.push_back({p, r.from, p ^ flip, r.to});
    });
  }
  for (const ButterflyRule& r : step.butterfly_rules) {
    still_working();
    AffineSpace::where(width_, r.where).for_each([&](Word p) {
      cube_.butterflies.push_back({p, r.low, r.high, r.stage, r.result, r.to});
    });
  }
  next_.step(cube_);
}

void ExpandingSink::step(const PopsSlot& slot) {
  pops_.clear();
  pops_.sends = slot.sends;
  pops_.receives = slot.receives;
  pops_.operations = slot.operations;
  for (const PopsRule& r : slot.rules) {
    still_working();
    AffineSpace::where(width_, r.where).for_each([&](Word p) {
      Word q = 0;
      for (const Parity& row : r.to) q = (q << 1U) | (parity(p & row.mask) ^ row.value);
      pops_.sends.push_back({p, r.reg, {q / group_size_}});
      pops_.receives.push_back({q, p / group_size_, r.into});
    });
  }
  next_.step(pops_);
}

}  // namespace faro::inline v1
