// What the replay of a POPS network does with slots, whatever the goal: the registers, and one slot
// after another performed on them, every rule R1 to R9 of machines/pops/model.hpp checked.
//
//   prepare(header);
//   put(p, 0, token);               before the first slot
//   perform(slot);                  breach("R1", {}, "coupler c(0,0) has two senders ...")
//   holds(q, 1), token(q, 1)        afterwards
//
// A slot with a breach is left half done: ask nothing of the registers after one.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "machines/judge.hpp"

namespace faro::inline v1 {

class PopsExecutor : public Judge {
 protected:
  PopsExecutor() : Judge("replay") {}
  // Reads the machine; no register holds anything yet. In products of matrices a token is an
  // integer, operations are allowed, and a real goes beside each token. Throws Error(limit) for
  // more processors than replay spells out.
  void prepare(const ScheduleHeader& header);

  void put(Word processor, Slot reg, Word token, double real = 0);
  bool holds(Word processor, Slot reg) const;
  Word token(Word processor, Slot reg) const { return banks_[reg].cells[processor * width_]; }
  double real(Word processor, Slot reg) const {
    double value = 0;
    std::memcpy(&value, &banks_[reg].cells[processor * width_ + 1], sizeof value);
    return value;
  }
  std::size_t banks() const { return banks_.size(); }

  struct Work {
    bool sends = false;
    std::uint64_t busiest = 0;  // operations of the busiest processor
  };
  Work perform(const PopsSlot& slot);

  std::uint64_t processors_ = 0;

 private:
  // One register of every processor: its token, beside it the bits of its real if there are reals;
  // a bit says whether it is full. One place in memory for what is read and written together.
  struct Bank {
    std::vector<Word> cells;
    std::vector<Word> full;
  };
  struct Sent {
    Word processor = 0;
    Word token = 0;
    double real = 0;
  };
  struct Write {
    Word processor = 0;
    std::uint64_t from_group = 0;
    Slot reg = 0;
    std::size_t sent = 0;
  };

  Bank& bank_for_writing(Slot reg);
  bool in_range(Word processor, const char* what);
  void send(Word processor, Slot reg);
  void drive(std::uint64_t to_group);
  void receive(Word processor, std::uint64_t from_group, Slot reg);
  void send_by(const PopsRule& rule);
  void receive_by(const PopsRule& rule);
  bool well_formed(const PopsRule& rule);
  void check_writes();
  void operate(const PopsOperation& operation);
  void fetch_ahead(const PopsOperation& operation) const;
  // The message that drives a coupler in this slot, nothing if none does.
  std::optional<std::size_t> driver(std::uint64_t to_group, std::uint64_t from_group) const;

  Pops machine_;
  bool numbers_ = false;
  std::size_t width_ = 1;  // words of a cell
  std::vector<Bank> banks_;
  std::uint64_t cells_ = 0;  // processors times banks in use

  // Of the current slot. A mark equal to slot_ says "in this slot", so that nothing is cleared.
  std::uint32_t slot_ = 0;
  std::vector<std::uint32_t> sends_mark_;
  std::vector<std::uint32_t> receives_mark_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> dense_couplers_;  // mark, index into sent_
  std::unordered_map<std::uint64_t, std::size_t> sparse_couplers_;       // for many groups
  std::vector<Sent> sent_;
  std::vector<Write> writes_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> work_;  // mark, operations
  std::uint64_t busiest_ = 0;
};

}  // namespace faro::inline v1
