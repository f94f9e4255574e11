#include "mpi_cli/schedule_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/check.hpp"
#include "base/mixing.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/machines/verifier.hpp"
#include "mpi/sums.hpp"
#include "schedules/turns.hpp"

namespace faro::mpi_cli {
namespace {

void need_machine(const Machine& machine) {
  const auto* mesh = std::get_if<Mesh>(&machine);
  if (std::holds_alternative<Hypercube>(machine) || std::holds_alternative<Crossbar>(machine) ||
      (mesh != nullptr && mesh->links == Mesh::Links::all)) {
    return;
  }
  throw Error(
      ErrorCode::impossible,
      fmt::format("{} is not performed over MPI; cubes, meshes with all links and ranks are",
                  to_string(machine)));
}

// The word that fills an element which says where it began.
std::uint64_t origin_word(Word processor, std::uint64_t slot, std::uint64_t k) {
  return mixed(mixed(processor + 1) + slot) + k;
}

Word place_word(Word processor, std::uint64_t slot) {
  return mixed(processor) + slot;
}

}  // namespace

ScheduleRanks::ScheduleRanks(const mpi::Communicator& ranks, std::span<const std::byte> data,
                             std::uint64_t element_bytes)
    : ranks_(ranks),
      data_(data),
      element_bytes_(element_bytes),
      rank_(static_cast<Word>(ranks.rank())) {}

void ScheduleRanks::begin(const ScheduleHeader& header) {
  ranks_.agree({}, "schedule", [&] {
    need_machine(header.machine);
    if (!std::holds_alternative<MapGoal>(header.goal) &&
        !std::holds_alternative<MovesGoal>(header.goal)) {
      throw Error(ErrorCode::impossible,
                  "this schedule computes; only those that move data are performed over MPI");
    }
    refuse_turns(header, "what is performed over MPI");
    const auto size = static_cast<Word>(ranks_.size());
    const Count processors = faro::processors(header.machine);
    if (processors > bit(limits::expand_bits_max) || processors % size != 0) {
      throw Error(ErrorCode::impossible,
                  fmt::format("{} has {} processors; {} ranks cannot have as many each: start a "
                              "power of two of them, up to one a processor",
                              to_string(header.machine), to_string(processors), size));
    }
    if (element_bytes_ == 0 ||
        element_bytes_ > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) {
      throw Error(ErrorCode::limit, fmt::format("elements of {} bytes; a message has from 1 to {}",
                                                element_bytes_, std::numeric_limits<int>::max()));
    }
    if (header.slots < header.elements || header.slots > limits::slots_max) {
      throw Error(ErrorCode::limit, fmt::format("{} slots a processor; from {} to {} may be there",
                                                header.slots, header.elements, limits::slots_max));
    }
    header_ = header;
    processors_ = static_cast<Word>(processors);
    hosted_ = processors_ / size;
    const std::uint64_t bytes =
        size_product(hosted_, size_product(header.elements, element_bytes_, "bytes of a processor"),
                     "bytes of a rank");
    if (!data_.empty() && data_.size() != bytes) {
      throw Error(ErrorCode::usage,
                  fmt::format("a rank has {} bytes of data; {} with {} elements "
                              "a processor wants {}",
                              data_.size(), to_string(header.machine), header.elements, bytes));
    }
    first_.resize(bytes);
    fill(data_);
  });
}

void ScheduleRanks::fill(std::span<const std::byte> data) {
  slots_.assign(header_.slots, {});
  std::byte* element = first_.data();
  for (Word p = rank_ * hosted_; p < (rank_ + 1) * hosted_; ++p) {
    for (std::uint64_t s = 0; s < header_.elements; ++s, element += element_bytes_) {
      for (std::uint64_t b = 0; data.empty() && b < element_bytes_; b += 8) {
        const std::uint64_t word = origin_word(p, s, b);
        std::memcpy(element + b, &word, std::min<std::uint64_t>(8, element_bytes_ - b));
      }
    }
  }
  if (!data.empty()) std::copy(data.begin(), data.end(), first_.begin());
  element = first_.data();
  for (Word p = rank_ * hosted_; p < (rank_ + 1) * hosted_; ++p) {
    for (std::uint64_t s = 0; s < header_.elements; ++s, element += element_bytes_) {
      std::memcpy(at(Place{p, s}), element, element_bytes_);
    }
  }
}

std::byte* ScheduleRanks::at(const Place& place) {
  FARO_CHECK(place.slot < slots_.size() && mine(place.processor));
  std::vector<std::byte>& plane = slots_[place.slot];
  if (plane.empty()) plane.resize(hosted_ * element_bytes_);
  return plane.data() + place.processor % hosted_ * element_bytes_;
}

const std::byte* ScheduleRanks::at(const Place& place) const {
  FARO_CHECK(place.slot < slots_.size() && mine(place.processor));
  const std::vector<std::byte>& plane = slots_[place.slot];
  return plane.empty() ? nullptr : plane.data() + place.processor % hosted_ * element_bytes_;
}

void ScheduleRanks::step(const CubeStep& step) {
  FARO_CHECK(step.rules.empty() && step.butterflies.empty() && step.butterfly_rules.empty());
  moves_.clear();
  for (const Move& m : step.moves) {
    if (mine(m.from_processor) || mine(m.to_processor)) moves_.push_back(m);
  }
  perform();
}

// A switch: what a processor receives is what the one that it listens to sends to it.
void ScheduleRanks::step(const PopsSlot& slot) {
  FARO_CHECK(slot.rules.empty() && slot.operations.empty());
  std::vector<const PopsSend*> sends;
  for (const PopsSend& send : slot.sends) sends.push_back(&send);
  std::sort(sends.begin(), sends.end(),
            [](const PopsSend* a, const PopsSend* b) { return a->processor < b->processor; });
  moves_.clear();
  for (const PopsReceive& receive : slot.receives) {
    if (!mine(receive.processor) && !mine(receive.from_group)) continue;
    const auto send = std::lower_bound(
        sends.begin(), sends.end(), receive.from_group,
        [](const PopsSend* a, Word processor) { return a->processor < processor; });
    FARO_CHECK(send != sends.end() && (*send)->processor == receive.from_group);
    moves_.push_back({receive.from_group, (*send)->reg, receive.processor, receive.reg});
  }
  perform();
}

void ScheduleRanks::perform() {
  ++sent_.steps;
  stage_.resize(moves_.size() * element_bytes_);
  arrivals_.clear();
  requests_.clear();
  const int bytes = static_cast<int>(element_bytes_);
  const int tag = static_cast<int>(sent_.steps % 2);
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    const Move& m = moves_[i];
    if (mine(m.to_processor)) arrivals_.push_back({i, {m.to_processor, m.to_slot}});
    if (mine(m.from_processor)) continue;
    requests_.emplace_back();
    mpi::check(MPI_Irecv(stage_.data() + i * element_bytes_, bytes, MPI_BYTE,
                         host(m.from_processor), tag, ranks_.handle(), &requests_.back()),
               "MPI_Irecv");
  }
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    const Move& m = moves_[i];
    if (!mine(m.from_processor)) continue;
    std::byte* const value = stage_.data() + i * element_bytes_;
    std::memcpy(value, at(Place{m.from_processor, m.from_slot}), element_bytes_);
    if (mine(m.to_processor)) {
      ++sent_.copies;
      continue;
    }
    requests_.emplace_back();
    mpi::check(MPI_Isend(value, bytes, MPI_BYTE, host(m.to_processor), tag, ranks_.handle(),
                         &requests_.back()),
               "MPI_Isend");
    ++sent_.messages;
    sent_.bytes += element_bytes_;
  }
  mpi::check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
             "MPI_Waitall");
  for (const Arrival& arrival : arrivals_) {
    std::memcpy(at(arrival.to), stage_.data() + arrival.stage * element_bytes_, element_bytes_);
  }
}

void ScheduleRanks::finish() {}

// What the goal says of elements that begin or end on this rank.
std::vector<ScheduleRanks::Delivery> ScheduleRanks::deliveries() const {
  std::vector<Delivery> all;
  const auto add = [&](const Place& from, const Place& to) {
    if (mine(from.processor) || mine(to.processor)) all.push_back({from, to});
  };
  if (const auto* goal = std::get_if<MovesGoal>(&header_.goal)) {
    for (const Move& m : goal->moves) {
      add({m.from_processor, m.from_slot}, {m.to_processor, m.to_slot});
    }
    return all;
  }
  const MapGoal& goal = std::get<MapGoal>(header_.goal);
  const std::vector<Slot>& result = header_.result;
  for (Word p = 0; p < processors_; ++p) {
    for (std::uint64_t s = 0; s < header_.elements; ++s) {
      const Word to = goal.cut ? goal.map(p << goal.memory_bits | s) : goal.map(p);
      const Word processor = goal.cut ? to >> goal.memory_bits : to;
      const std::uint64_t base = result.empty()       ? 0
                                 : result.size() == 1 ? result[0]
                                                      : result[processor];
      add({p, s}, {processor, base + (goal.cut ? to & low_mask(goal.memory_bits) : s)});
    }
  }
  return all;
}

bool ScheduleRanks::arrived() const {
  mpi::Sums began{};
  mpi::Sums ended{};
  const std::vector<std::byte> nothing(element_bytes_);
  for (const Delivery& d : deliveries()) {
    const Word place = place_word(d.to.processor, d.to.slot);
    if (mine(d.from.processor)) {
      const std::uint64_t index = d.from.processor % hosted_ * header_.elements + d.from.slot;
      mpi::add_element(began, place, first_.data() + index * element_bytes_, element_bytes_);
    }
    if (mine(d.to.processor)) {
      const std::byte* value = at(d.to);
      mpi::add_element(ended, place, value == nullptr ? nothing.data() : value, element_bytes_);
    }
  }
  return mpi::agree_sums(ranks_, began, ended);
}

std::vector<std::byte> ScheduleRanks::result() const {
  std::vector<std::byte> out = first_;
  const bool registers = std::holds_alternative<Crossbar>(header_.machine);
  const auto keep = [&](Word processor, std::uint64_t s, std::uint64_t slot) {
    const std::byte* value = at(Place{processor, slot});
    if (value == nullptr) return;
    std::memcpy(out.data() + (processor % hosted_ * header_.elements + s) * element_bytes_, value,
                element_bytes_);
  };
  if (const auto* goal = std::get_if<MovesGoal>(&header_.goal); goal != nullptr && registers) {
    // What arrives at a processor, in the order of the registers that the goal names.
    std::vector<Place> places;
    for (const Move& m : goal->moves) {
      if (mine(m.to_processor)) places.push_back({m.to_processor, m.to_slot});
    }
    std::sort(places.begin(), places.end());
    std::uint64_t s = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      s = i > 0 && places[i].processor == places[i - 1].processor ? s + 1 : 0;
      if (s < header_.elements) keep(places[i].processor, s, places[i].slot);
    }
    return out;
  }
  for (Word p = rank_ * hosted_; p < (rank_ + 1) * hosted_; ++p) {
    const std::vector<Slot>& result = header_.result;
    const std::uint64_t base = !registers || result.empty() ? 0
                               : result.size() == 1         ? result[0]
                                                            : result[p];
    for (std::uint64_t s = 0; s < header_.elements; ++s) keep(p, s, base + s);
  }
  return out;
}

}  // namespace faro::mpi_cli
