// GOAL, the messages of a parallel program with their dependences (Hoefler, Schneider, Lumsdaine,
// LogGOPSim, 2010): a rank a processor, a network card a channel, the step as the tag.
//
//   rank 2 {
//   l1: send 8b to 3 tag 0 cpu 0 nic 0
//   l2: recv 8b from 3 tag 0 cpu 0 nic 0
//   l3: send 8b to 6 tag 1 cpu 0 nic 2
//   l3 requires l2
//   }
//
// A message waits for the one that brought its element, and an element lands only when what was in
// its place has left, in an earlier step. Nothing else orders the messages: not the steps.
#include <fmt/format.h>

#include <algorithm>

#include "exports/formats.hpp"

namespace faro::inline v1::exports {
namespace {

constexpr int element_bytes = 8;
// Operations whose text is held at a time: some 16 MiB.
constexpr std::uint64_t operations_max = std::uint64_t{1} << 18U;

class Counter : public TransferSink {
 public:
  void begin(const ScheduleHeader& header) override {
    of_rank.assign(static_cast<std::size_t>(processors(header.machine)), 0);
    // Three registers on the SIMD mesh, whatever the header says.
    slots = std::max<std::uint64_t>({header.slots, header.elements, 3});
  }
  void step(const TransferStep& step) override {
    for (const Transfer& t : step.transfers)
      if (!t.is_inside()) {
        ++of_rank[t.from];
        ++of_rank[t.to];
      }
  }
  void finish() override {}

  std::vector<std::uint64_t> of_rank;
  std::uint64_t slots = 1;
};

// The ranks first to last, exclusive.
class Block : public TransferSink {
 public:
  Block(Word first, Word last, std::uint64_t slots)
      : first_(first),
        last_(last),
        slots_(slots),
        text_(last - first),
        labels_(last - first, 0),
        places_((last - first) * slots) {}

  void begin(const ScheduleHeader& header) override {
    const bool ways = std::holds_alternative<Hypercube>(header.machine) ||
                      std::holds_alternative<Mesh>(header.machine);
    cards_ = ways;
  }

  void step(const TransferStep& step) override {
    now_.clear();
    for (const Transfer& t : step.transfers) {
      if (t.is_inside()) {
        if (owns(t.from))
          now_.push_back({place(t.to, t.to_slot), {place(t.from, t.from_slot).by, 0}});
        continue;
      }
      const std::uint64_t card = cards_ ? t.channel : 0;
      if (owns(t.from)) {
        Place& from = place(t.from, t.from_slot);
        const std::uint64_t label = operation(t.from, "send", "to", t.to, step.number, card);
        if (from.by != 0) require(t.from, label, from.by);
        left_.emplace_back(&from, label);
      }
      if (owns(t.to)) {
        Place& to = place(t.to, t.to_slot);
        const std::uint64_t label = operation(t.to, "recv", "from", t.from, step.number, card);
        const std::uint64_t before = to.read != 0 ? to.read : to.by;
        if (before != 0) require(t.to, label, before);
        now_.push_back({to, {label, 0}});
      }
    }
    for (const auto& [from, label] : left_) from->read = label;
    for (const Write& write : now_) write.to = write.value;
    left_.clear();
  }
  void finish() override {}

  void write(ByteSink& to) const {
    for (std::size_t r = 0; r < text_.size(); ++r)
      to.write(fmt::format("\nrank {} {{\n{}}}\n", first_ + r, text_[r]));
  }

 private:
  // Labels of what wrote it last and of what read it since; 0: nothing.
  struct Place {
    std::uint64_t by = 0;
    std::uint64_t read = 0;
  };
  struct Write {
    Place& to;
    Place value;
  };

  bool owns(Word rank) const { return rank >= first_ && rank < last_; }
  Place& place(Word rank, Slot slot) { return places_[(rank - first_) * slots_ + slot]; }
  std::uint64_t operation(Word rank, const char* verb, const char* preposition, Word peer,
                          std::uint64_t tag, std::uint64_t card) {
    const std::uint64_t label = ++labels_[rank - first_];
    fmt::format_to(std::back_inserter(text_[rank - first_]),
                   "l{}: {} {}b {} {} tag {} cpu 0 nic {}\n", label, verb, element_bytes,
                   preposition, peer, tag, card);
    return label;
  }
  void require(Word rank, std::uint64_t label, std::uint64_t before) {
    fmt::format_to(std::back_inserter(text_[rank - first_]), "l{} requires l{}\n", label, before);
  }

  Word first_;
  Word last_;
  std::uint64_t slots_;
  bool cards_ = false;
  std::vector<std::string> text_;
  std::vector<std::uint64_t> labels_;
  std::vector<Place> places_;
  std::vector<Write> now_;
  std::vector<std::pair<Place*, std::uint64_t>> left_;
};

}  // namespace

void goal(const Push& push, ByteSink& to) {
  Counter counter;
  push(*transfers_into(counter));
  const std::uint64_t ranks = counter.of_rank.size();
  to.write(fmt::format("num_ranks {}\n", ranks));
  for (Word first = 0; first < ranks;) {
    Word last = first;
    for (std::uint64_t held = 0; last < ranks && (last == first || held <= operations_max); ++last)
      held += counter.of_rank[last];
    Block block(first, last, counter.slots);
    push(*transfers_into(block));
    block.write(to);
    first = last;
  }
}

}  // namespace faro::inline v1::exports
