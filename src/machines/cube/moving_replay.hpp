// What replays do whose machine works all its links at once: the cube, and the mesh with all links,
// which knows moves alone. Memory is kept slot by slot, a plane of one token a processor; a rule is
// carried out on blocks of 64 processors at a time: the rules of the machine are questions of
// 64-bit words, the tokens are copied one by one. What a step read waits in `staged_` until all its
// reads are done. What a token says is the replay's: where an element began (cube/replay.cpp), or
// which result it is (cube/butterfly_replay.cpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "machines/judge.hpp"
#include "machines/mesh/geometry.hpp"

namespace faro::inline v1 {

// A result of a butterfly network on its way: its index, and how many stages it has done.
struct ButterflyToken {
  static constexpr std::uint16_t nothing = 0xFFFF;  // in an empty slot

  std::uint32_t index = 0;
  std::uint16_t done = nothing;
};

// Requires Token = std::uint32_t or ButterflyToken.
template <class Token>
class MovingReplay : public Judge {
 protected:
  MovingReplay() : Judge("replay") {}

  // One slot of all processors. Bits by processor: `filled` something is there, `written` in this
  // step.
  struct Plane {
    explicit Plane(Word processors)
        : tokens(processors), filled(blocks_of(processors)), written(blocks_of(processors)) {}
    static std::size_t blocks_of(Word processors) { return (processors + 63) / 64; }

    std::vector<Token> tokens;
    std::vector<Word> filled;
    std::vector<Word> written;
  };

  // Where members of a block are after a move.
  struct Landing {
    Word block;
    Word members;
  };

  // A link is known by its sender and its way: of a cube the dimension, of a mesh each direction of
  // one. On a mesh also neighbours' rules are asked where no link is: there the way is `no_link`.
  static constexpr int no_link = inside - 1;

  // What the moves of one rule share, looked up once.
  struct Route {
    const Plane* from;
    Plane* to;
    Slot from_slot;
    Slot to_slot;
    int across;
    Word single_to = 0;  // where one move on a mesh ends
  };

  // The members of one block that move along a route; their tokens wait in the stage.
  struct Transfer {
    Word block;
    Word members;
  };

  // One explicit move that is read and not yet written.
  struct Single {
    Plane* to;
    Word from_processor;
    Word to_processor;
    int across;
    Token token;
  };

  // The transfers of one route in a step, up to the place `end` in the list of all.
  struct Group {
    Route route;
    std::size_t end;
  };

  // Reads the machine; no slot holds anything yet. Throws Error(limit) for too many slots.
  void prepare(const ScheduleHeader& header);
  // The moves and rules of a step, performed.
  void move(const CubeStep& step);
  bool fits(const std::vector<Parity>& where);
  Plane& plane(Slot slot);
  // What lies there, nothing if nothing does.
  const Token* held(Word processor, Slot slot) const;
  void put(Word processor, Slot slot, Token token);

  std::optional<MeshGeometry> mesh_;  // else a cube
  int dimensions_ = 0;                // address bits
  Word processors_ = 1;
  std::vector<std::unique_ptr<Plane>> planes_;

 private:
  bool well_formed(const Rule& rule);
  bool well_formed(const Move& move);
  Route route(Slot from, Slot to, int across);
  void check(const Route& route, Word block, Word members, const Landing& there);
  void transfer(const Route& route, Word block, Word members);
  void spell_out(const Rule& rule);
  void move_one(const Move& move);
  void close_books(int across, Word block, const Landing& there, Plane& to);
  int way_of(const Move& move) const;
  static Landing landing(Word block, Word members, int across);
  Violation::Place at(const Route& route, Word processor, std::optional<Slot> slot) const;
  void use_link(const Route& route, Word block, Word members, const Landing& there);
  void land();
  void use_port(int across, Word block, Word members);

  int ports_ = 0;  // that count: fewer than links, else 0
  std::size_t planes_made_ = 0;
  std::vector<std::vector<Word>> sent_;      // by way: who has sent across it in this step
  std::vector<std::vector<Word>> involved_;  // where ports count: who sends or receives across it
  std::vector<std::vector<Word>> busy_;      // [j]: who uses more than j dimensions
  std::vector<Token> staged_;
  std::vector<Transfer> transfers_;
  std::vector<Group> groups_;
  std::vector<Single> singles_;
  std::uint64_t remote_moves_ = 0;  // of this step
};

}  // namespace faro::inline v1
