// What proofs of cube schedules do, whatever a goal wants: moves and rules as affine subspaces,
// slots as partitions (cube/proof_states.hpp). Nothing here grows with the number of processors.
// What a step writes waits in `writes_` until all its reads are done. What an element is called is
// the proof's: the place where it began (cube/proof.cpp), or its index in a butterfly network and
// how many stages it has done (cube/butterfly_proof.cpp).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "faro/base/limits.hpp"
#include "machines/cube/proof_states.hpp"
#include "machines/judge.hpp"

namespace faro::inline v1::cube_proof_states {

// Pairwise disjoint sets of processors; single processors are looked up, not compared.
class DisjointSets {
 public:
  // Some processor that is in `set` and in one of those here, nothing if there is none. Adds what
  // it compared to `work`, where that is counted.
  std::optional<Word> common(SpaceId set, Spaces& spaces, std::uint64_t& work, bool counted) const;
  void add(SpaceId set, const Spaces& spaces);

 private:
  std::vector<SpaceId> spaces_;
  std::set<Word> points_;
};

// What a step writes into one slot.
struct Writes {
  DisjointSets sets;
  std::vector<Write> writes;
};

class MovingProof : public Judge {
 protected:
  MovingProof() : Judge("proof") {}

  // Reads the machine; no slot holds anything yet.
  void prepare(const ScheduleHeader& header);
  // The moves and rules of a step, performed. After the first step that breaks a rule, and after
  // giving up, only the cost is still counted: what slots hold is meaningless or unknown then.
  void move(const CubeStep& step);
  Held held(Slot slot) const;
  // From now on a slot holds that.
  void keep(Slot slot, Held result);

  int dimensions_ = 0;
  int ports_ = 0;            // that count: fewer than links, else 0
  std::uint64_t begun_ = 0;  // so many slots hold elements of their own until they are written
  bool bounded_ = true;      // gives up where all slots together need many pieces or comparisons
  std::optional<Spaces> spaces_;
  std::optional<States> states_;
  std::unordered_map<Slot, Held> slots_;  // those that were written
  std::uint64_t work_ = 0;
  std::uint64_t port_meets_ = 0;

 private:
  bool well_formed(const Move& move);
  void perform(SpaceId where, Slot from, int across, Slot to);
  void use_link(SpaceId where, int across);
  void use_port(SpaceId where, int across);
  void use_ports(SpaceId where, int across);
  std::optional<Word> crowded(const AffineSpace& space, int across, int after, int others);
  Violation::Place empty_at(SpaceId where, const Held& source, Slot from, int across) const;
  bool overworked() const { return bounded_ && work_ > limits::proof_work_max; }
  void land();
  void forget();

  std::map<Slot, Writes> writes_;
  std::map<int, DisjointSets> sent_;              // by dimension
  std::map<int, DisjointSets> involved_;          // one port
  std::map<int, std::vector<SpaceId>> crossing_;  // several: who sends or receives, by dimension
  bool remote_ = false;
  bool broken_before_ = false;  // the step that is performed began like that
  std::size_t pieces_max_ = limits::proof_pieces_max;
  std::size_t stored_max_ = limits::proof_states_max;
};

}  // namespace faro::inline v1::cube_proof_states
