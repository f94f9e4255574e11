// The registers of a simulated POPS network, as bytes, and the messages of a slot carried out. It
// checks nothing that a verifier checks; run it on schedules that are verified.
//
//   PopsRegisters registers(pops, {.element_bytes = 8});
//   std::memcpy(registers.at(p, 0), &value, 8);        before
//   registers.move(slot);                              sends and receives of one slot
//   std::memcpy(&value, registers.at(q, 1), 8);        after
//
// A register costs processors·element_bytes bytes from its first use on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "faro/schedules/steps.hpp"

namespace faro::inline v1 {

class PopsRegisters {
 public:
  struct Options {
    std::size_t element_bytes = 1;
  };
  // Throws Error(limit) for more processors than can be spelled out.
  PopsRegisters(const Pops& machine, const Options& options);

  // Where the register lies; the first use of a register makes it, zero everywhere.
  std::byte* at(Word processor, Slot reg);
  // Asks for a register that will soon be read; nothing happens if it was never used.
  void fetch_ahead(Word processor, Slot reg) const {
    if (reg < banks_.size() && !banks_[reg].empty())
      __builtin_prefetch(banks_[reg].data() + processor * bytes_);
  }
  std::uint64_t processors() const { return processors_; }
  void move(const PopsSlot& slot);

 private:
  void drive(std::uint64_t to_group, Word sender);
  std::size_t driver(std::uint64_t to_group, std::uint64_t from_group) const;
  void receive(Word processor, std::uint64_t from_group, Slot reg);

  Pops machine_;
  std::uint64_t processors_ = 0;
  std::size_t bytes_ = 0;
  std::vector<std::vector<std::byte>> banks_;

  struct Write {
    Word processor = 0;
    Slot reg = 0;
    std::size_t message = 0;
  };
  std::vector<std::byte> messages_;  // of the slot, read before anything is written
  std::size_t message_count_ = 0;
  std::vector<Write> writes_;
  std::vector<std::size_t> dense_couplers_;
  std::unordered_map<std::uint64_t, std::size_t> sparse_couplers_;
};

}  // namespace faro::inline v1
