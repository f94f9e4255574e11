#include "pictures/link_loads.hpp"

#include <fmt/format.h>

#include <cmath>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/schedules/cost.hpp"
#include "machines/mesh/geometry.hpp"
#include "schedules/turns.hpp"

namespace faro::inline v1::pictures {

// Counts transfers by row.
class LinkLoads::Counter : public TransferSink {
 public:
  explicit Counter(LinkLoads& loads) : loads_(loads) {}

  void begin(const ScheduleHeader& header) override {
    if (const auto* mesh = std::get_if<Mesh>(&header.machine)) {
      const MeshGeometry geometry(*mesh);
      for (int d = 0; d < geometry.dimensions(); ++d)
        for (const char direction : {'+', '-'}) {
          loads_.rows_.push_back(fmt::format("{}{}", direction, d));
          // Of a line the last processor has no way on.
          const auto side = static_cast<double>(geometry.side(d));
          const bool ring = mesh->wrap != Mesh::Wrap::none;
          links_.push_back(static_cast<double>(geometry.processors()) *
                           (ring || side < 2 ? 1.0 : (side - 1) / side));
        }
    } else if (const auto* pops = std::get_if<Pops>(&header.machine)) {
      groups_ = pops->groups;
      by_coupler_ = groups_ * groups_ <= limits::drawn_couplers_max;
      if (!by_coupler_ && groups_ > limits::drawn_couplers_max)
        throw Error(ErrorCode::limit,
                    fmt::format("the couplers of {} groups are too many to draw", groups_));
      for (std::uint64_t c = 0; c < (by_coupler_ ? groups_ * groups_ : groups_); ++c) {
        loads_.rows_.push_back(by_coupler_ ? channel_name(header.machine, c).substr(8)
                                           : fmt::format("group {}", c));
        links_.push_back(by_coupler_ ? 1.0 : static_cast<double>(groups_));
      }
    } else {
      loads_.rows_.emplace_back("ports");
      links_.push_back(to_double(processors(header.machine)));
    }
  }

  void step(const TransferStep& step) override {
    Step now{step.number, std::vector<double>(links_.size(), 0)};
    bool any = false;
    for (const Transfer& t : step.transfers) {
      if (t.is_inside() && groups_ == 0) continue;
      const std::uint64_t row = groups_ != 0 && !by_coupler_ ? t.channel % groups_ : t.channel;
      now.used[row] += 1 / links_[row];
      any = true;
    }
    if (any) loads_.add(std::move(now));
  }
  void finish() override {}

 private:
  static double to_double(const Count& count) { return std::stod(to_string(count)); }

  LinkLoads& loads_;
  std::vector<double> links_;  // by row
  std::uint64_t groups_ = 0;   // of a POPS network
  bool by_coupler_ = false;
};

LinkLoads::LinkLoads() = default;
LinkLoads::~LinkLoads() = default;

void LinkLoads::begin(const ScheduleHeader& header) {
  refuse_turns(header, "a picture");
  header_ = header;
  if (const auto* cube = std::get_if<Hypercube>(&header.machine)) {
    for (int d = cube->dimensions - 1; d >= 0; --d) rows_.push_back(std::to_string(d));
    return;
  }
  counter_ = std::make_unique<Counter>(*this);
  transfers_ = transfers_into(*counter_);
  transfers_->begin(header);
}

void LinkLoads::step(const CubeStep& step) {
  if (transfers_) {
    transfers_->step(step);
    return;
  }
  const int n = static_cast<int>(rows_.size());
  Step now{cube_steps_++, std::vector<double>(rows_.size(), 0)};
  bool any = false;
  const auto row = [&](int dimension) { return static_cast<std::size_t>(n - 1 - dimension); };
  for (const Rule& rule : step.rules) {
    if (rule.across < 0 || rule.across >= n) continue;
    const AffineSpace senders = AffineSpace::where(n, rule.where);
    if (senders.empty()) continue;
    now.used[row(rule.across)] += std::exp2(senders.dimension() - n);
    any = true;
  }
  for (const Move& move : step.moves) {
    const Word crossed = move.from_processor ^ move.to_processor;
    if (crossed == 0 || highest_bit(crossed) >= n) continue;
    now.used[row(highest_bit(crossed))] += std::exp2(-n);
    any = true;
  }
  if (any) add(std::move(now));
}

void LinkLoads::loop(const CubeLoop& loop) {
  constexpr std::uint64_t steps_max = 256;
  const std::uint64_t drawn = 2;
  if (transfers_ || loop.laps <= drawn || Count{loop.body.size()} * loop.laps <= steps_max)
    return ScheduleSink::loop(loop);
  loops_.push_back({steps_.size(), loop.laps});
  for (std::uint64_t lap = 0; lap < drawn; ++lap)
    for (const CubeLoop::Entry& entry : loop.body) step(entry.first);
  cube_steps_ += (loop.laps - drawn) * loop.body.size();
}

void LinkLoads::step(const MeshInstruction& instruction) {
  if (transfers_) transfers_->step(instruction);
}
void LinkLoads::step(const PopsSlot& slot) {
  if (transfers_) transfers_->step(slot);
}
void LinkLoads::finish() {
  if (transfers_) transfers_->finish();
}

void LinkLoads::add(Step step) {
  if (steps_.size() == limits::drawn_steps_max)
    throw Error(ErrorCode::limit,
                fmt::format("a schedule of more than {} steps is too long to draw",
                            limits::drawn_steps_max));
  steps_.push_back(std::move(step));
}

}  // namespace faro::inline v1::pictures
