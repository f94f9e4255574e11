#include "exports/messages.hpp"

#include <algorithm>
#include <unordered_map>

namespace faro::inline v1::exports {
namespace {

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
  Block(Word first, Word last, std::uint64_t slots, MessageWriter& writer)
      : first_(first),
        last_(last),
        slots_(slots),
        writer_(writer),
        text_(last - first),
        labels_(last - first, 0),
        places_((last - first) * slots) {}

  void begin(const ScheduleHeader& header) override {
    cards_ = std::holds_alternative<Hypercube>(header.machine) ||
             std::holds_alternative<Mesh>(header.machine);
  }

  void step(const TransferStep& step) override {
    for (const Transfer& t : step.transfers) {
      if (t.is_inside()) {
        if (owns(t.from))
          writes_.push_back({place(t.to, t.to_slot), places_[place(t.from, t.from_slot)].by});
        continue;
      }
      const std::uint64_t card = cards_ ? t.channel : 0;
      if (owns(t.from)) {
        const std::size_t from = place(t.from, t.from_slot);
        after_.clear();
        if (places_[from].by != 0) after_.push_back(places_[from].by);
        reads_.push_back({from, add({true, t.from, t.to, 0, step.number, card, after_})});
      }
      if (owns(t.to)) {
        const std::size_t to = place(t.to, t.to_slot);
        wait_for_readers(to);
        writes_.push_back({to, add({false, t.to, t.from, 0, step.number, card, after_})});
      }
    }
    for (const Mark& read : reads_) {
      std::uint64_t& reader = places_[read.place].read;
      if (reader != 0) earlier_[read.place].push_back(reader);
      reader = read.label;
    }
    for (const Mark& write : writes_) {
      places_[write.place] = {write.label, 0};
      earlier_.erase(write.place);
    }
    reads_.clear();
    writes_.clear();
  }
  void finish() override {}

  void write() const {
    for (std::size_t r = 0; r < text_.size(); ++r) writer_.end_rank(first_ + r, text_[r]);
  }

 private:
  // Labels of what wrote it last and of what read it last since; 0: nothing.
  struct Place {
    std::uint64_t by = 0;
    std::uint64_t read = 0;
  };
  struct Mark {
    std::size_t place;
    std::uint64_t label;
  };

  bool owns(Word rank) const { return rank >= first_ && rank < last_; }
  std::size_t place(Word rank, Slot slot) const {
    return static_cast<std::size_t>((rank - first_) * slots_ + slot);
  }
  void wait_for_readers(std::size_t to) {
    after_.clear();
    const Place& there = places_[to];
    if (there.read == 0) {
      if (there.by != 0) after_.push_back(there.by);
      return;
    }
    if (const auto more = earlier_.find(to); more != earlier_.end()) after_ = more->second;
    after_.push_back(there.read);
  }
  std::uint64_t add(Message message) {
    message.label = ++labels_[message.rank - first_];
    writer_.add(text_[message.rank - first_], message);
    return message.label;
  }

  Word first_;
  Word last_;
  std::uint64_t slots_;
  MessageWriter& writer_;
  bool cards_ = false;
  std::vector<std::string> text_;
  std::vector<std::uint64_t> labels_;
  std::vector<Place> places_;
  std::unordered_map<std::size_t, std::vector<std::uint64_t>> earlier_;  // readers, where several
  std::vector<std::uint64_t> after_;
  std::vector<Mark> reads_;
  std::vector<Mark> writes_;
};

}  // namespace

void write_messages(const Push& push, std::uint64_t held, MessageWriter& writer) {
  Counter counter;
  push(*transfers_into(counter));
  const std::uint64_t ranks = counter.of_rank.size();
  writer.begin(ranks);
  for (Word first = 0; first < ranks;) {
    Word last = first;
    for (std::uint64_t sum = 0; last < ranks && (last == first || sum <= held); ++last)
      sum += counter.of_rank[last];
    Block block(first, last, counter.slots, writer);
    push(*transfers_into(block));
    block.write();
    first = last;
  }
}

}  // namespace faro::inline v1::exports
