#include "exports/messages.hpp"

#include <algorithm>
#include <unordered_map>

#include "faro/base/error.hpp"

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
    if (step.number > ~std::uint32_t{0})
      throw Error(ErrorCode::limit, "more than 2^32 steps are not written as messages");
  }
  void finish() override {}

  std::vector<std::uint64_t> of_rank;
  std::uint64_t slots = 1;
};

constexpr std::uint64_t held_max = std::uint64_t{1} << 20U;

// A message as it is held: of a rank, in its order.
struct Record {
  std::uint32_t peer;
  std::uint32_t step;
  std::uint32_t card;
  std::uint32_t after;  // the first of its labels; 0: none, `several`: in a list apart
};
constexpr std::uint32_t sends_bit = std::uint32_t{1} << 31U;
constexpr std::uint32_t several = ~std::uint32_t{0};

// The ranks first to last, exclusive.
class Block : public TransferSink {
 public:
  Block(Word first, Word last, const Counter& counter)
      : first_(first),
        last_(last),
        slots_(counter.slots),
        starts_(last - first + 1, 0),
        labels_(last - first, 0),
        places_((last - first) * counter.slots) {
    for (Word rank = first; rank < last; ++rank)
      starts_[rank - first + 1] = starts_[rank - first] + counter.of_rank[rank];
    records_.resize(starts_.back());
  }

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
        reads_.push_back({from, add(true, t.from, t.to, step.number, card)});
      }
      if (owns(t.to)) {
        const std::size_t to = place(t.to, t.to_slot);
        wait_for_readers(to);
        writes_.push_back({to, add(false, t.to, t.from, step.number, card)});
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

  void write(MessageWriter& writer) const {
    std::string text;
    for (Word rank = first_; rank < last_; ++rank) {
      text.clear();
      const std::uint64_t start = starts_[rank - first_];
      for (std::uint64_t i = start; i < starts_[rank - first_ + 1]; ++i) {
        const Record& r = records_[i];
        const std::uint64_t one = r.after;
        std::span<const std::uint64_t> after(&one, one == 0 ? 0 : 1);
        if (r.after == several) after = lists_.at(i);
        writer.add(text, {(r.card & sends_bit) != 0, rank, r.peer, i - start + 1, r.step,
                          r.card & ~sends_bit, after});
      }
      writer.end_rank(rank, text);
    }
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
  // Its label. It waits for what is in after_.
  std::uint64_t add(bool sends, Word rank, Word peer, std::uint64_t step, std::uint64_t card) {
    const std::uint64_t label = ++labels_[rank - first_];
    const std::uint64_t at = starts_[rank - first_] + label - 1;
    std::uint32_t after = after_.empty() ? 0 : static_cast<std::uint32_t>(after_.front());
    if (after_.size() > 1) {
      after = several;
      lists_[at] = after_;
    }
    records_[at] = {static_cast<std::uint32_t>(peer), static_cast<std::uint32_t>(step),
                    static_cast<std::uint32_t>(card) | (sends ? sends_bit : 0), after};
    return label;
  }

  Word first_;
  Word last_;
  std::uint64_t slots_;
  bool cards_ = false;
  std::vector<std::uint64_t> starts_;  // of each rank's records
  std::vector<Record> records_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> lists_;  // of labels, where several
  std::vector<std::uint64_t> labels_;
  std::vector<Place> places_;
  std::unordered_map<std::size_t, std::vector<std::uint64_t>> earlier_;  // readers, where several
  std::vector<std::uint64_t> after_;
  std::vector<Mark> reads_;
  std::vector<Mark> writes_;
};

}  // namespace

void write_messages(const Push& push, MessageWriter& writer) {
  Counter counter;
  push(*transfers_into(counter));
  const std::uint64_t ranks = counter.of_rank.size();
  writer.begin(ranks);
  for (Word first = 0; first < ranks;) {
    Word last = first;
    for (std::uint64_t sum = 0; last < ranks && (last == first || sum <= held_max); ++last)
      sum += counter.of_rank[last];
    Block block(first, last, counter);
    push(*transfers_into(block));
    block.write(writer);
    first = last;
  }
}

}  // namespace faro::inline v1::exports
