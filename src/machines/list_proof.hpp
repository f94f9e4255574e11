// Proof of schedules that list what moves, on every machine: each step is held against the links or
// couplers by what it uses, and the goal is followed back from the end: no place is ever filled.
// After the first step that breaks a rule only the cost is counted.
//
// Here is what lists have in common: what begins where, and what must end where. What carries
// elements is told by links/list_proof.cpp, for a mesh with all links and a cube, which is the mesh
// whose sides are all 2, and by pops/list_proof.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "machines/proof_reading.hpp"

namespace faro::inline v1 {

// Whether this machine has few enough places (processor, slot) and links for it.
bool is_listed(const ScheduleHeader& header);

// Of maps and lists of moves on links. Rules of a cube are spelled out. Answers unprovable beyond
// limits::proof_listed_places_log2_max and _moves_log2_max.
std::unique_ptr<Verifier> list_proof();

// Of any goal of a POPS network of any number of groups; of products of matrices up to
// limits::proof_product_places_log2_max.
std::unique_ptr<Verifier> pops_list_proof();

// Where what lies somewhere at the end began, found from the end back: what a place ends with is
// what the last move into it read, before that move's step, and so on to the beginning. For proofs
// of listed moves: no place's contents are followed, so nothing here is done as replay does it.
//
//   step 0: 0 -> 1, 1 -> 0;  step 1: 1 -> 2       place 2 at the end: 1 before step 1, 0 before
//                                                 step 0: it began at 0
class Backtrace {
 public:
  using Place = std::uint32_t;
  static constexpr Place nowhere = ~Place{0};

  Backtrace() = default;
  explicit Backtrace(std::size_t places);

  // Something lies there at the beginning.
  void begins(Place place) { full_[place] = begun_[place] = true; }
  // Something lies there before the step whose moves are being told.
  bool holds(Place place) const { return full_[place]; }
  // All reads of a step come before its writes. False, and nothing done, if the step wrote `to`
  // before. Requires that `from` holds something.
  bool move(Place from, Place to);
  void end_step();

  std::size_t moves() const { return moves_.size(); }

  // For each end the place where what lies there began; `nowhere` if nothing does.
  std::vector<Place> starts_of(std::span<const Place> ends) const;

 private:
  struct Listed {
    Place from;
    Place to;
  };
  std::vector<bool> begun_;
  std::vector<bool> full_;
  std::vector<std::uint32_t> written_;  // the last step that wrote it, counted from 1
  std::vector<Listed> moves_;
  std::vector<std::size_t> first_of_step_ = {0};
};

class ListProof : public Judge {
 public:
  ListProof() : Judge("proof") {}
  void begin(const ScheduleHeader& header) override;
  void finish() override;

 protected:
  using Place = Backtrace::Place;

  void give_up_lists();
  Place place(Word processor, std::uint64_t slot) const {
    return static_cast<Place>(processor * header_.slots + slot);
  }
  std::string words(Place place) const;

  Word processors_ = 0;
  bool registers_ = false;  // of a POPS network, else slots
  Backtrace trace_;

 private:
  bool is_product() const { return registers_ && std::holds_alternative<MatmulGoal>(header_.goal); }
  void fill();
  std::uint64_t result_of(Word processor) const;
  void expect(Word processor, std::uint64_t slot, Place start);
  void expect(Word processor, const std::vector<Place>& starts, bool in_order);
  void deliver(const MapGoal& goal);
  void deliver(const MovesGoal& goal);
  void deliver(const BroadcastGoal& goal);
  void deliver(const MatmulGoal& goal) { deliver_product(goal); }
  void deliver(const ButterflyGoal&) {}
  virtual void deliver_product(const MatmulGoal&) {}

  std::vector<Place> starts_;  // at the end, by place
};

}  // namespace faro::inline v1
