// From one placement of an array to another, on any number of ranks: the messages, stated before
// anything runs, and the packing.
//
//   const GridMove move(from, to, {.element_bytes = 8});
//   move.facts().moved_bytes        what leaves its rank: no move can send less
//   move.sends(3)                   {to rank 5: 1200 elements in 4 pieces}, ..
//
// An element that its new rank holds already does not travel; every other one is sent once to every
// rank that needs it. So the bytes are the least possible, whoever counts: each rank receives what
// it lacks and nothing else. Where the old side has copies, the copy is sent by the rank whose
// place among the copies is that of the receiver (modulo their number), which spreads the work and
// stays within the receiver's own set of ranks.
//
// Digits of axes move too: a Map of the array's index, whose axes are split, joined, put into
// another order, reversed and rolled. Both sides are then placements of the digits, each an axis of
// its own, if their parts are products of digits' parts: (12000, 10) split as (8, 1500, 10) on 8
// ranks that have 1500 rows each, but not on 7.
//
// The new array's axis k is the old one's axis order[k], reversed if `reversed[k]` and then rolled
// by roll[k]: index x arrives at x + roll modulo the length. A rolled axis is cut at its seam, and
// each of the two intervals moves as an axis that is not rolled. The two sides
// may have different numbers of ranks; rank r of one is rank r of the other. With Relabel::least
// the new side's ranks change places: the result of rank relabelling()[r] lies on rank r, so that
// as much as possible stays. Up to 2048 ranks that is an exact assignment on all pairs of ranks;
// beyond, axis by axis, or, where the sides have other parts, rank by rank, and
// facts().kept_bytes_at_most says what no relabelling exceeds.
//
//   6 x 6 elements on 2 x 2 ranks, whose parts share [2 1; 2 1] and [2 2; 1 1] indices of the axes:
//   9 stay axis by axis, 10 can.
//
// A message's elements are in the order of the old side's memory. Any range of them is packed or
// unpacked by itself, so buffers are as small as the caller likes.
//
// Immutable: any number of threads may use a move at the same time. Planning takes time by the
// number of ranks, not by their pairs; sends() and receives() by the messages of one rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faro/algebra/map.hpp"
#include "faro/layouts/placement.hpp"

namespace faro::inline v1 {

enum class Relabel { never, least };

struct GridMoveOptions {
  std::uint64_t element_bytes = 1;
  std::vector<std::size_t> order = {};  // of axes or digits; empty: every axis stays
  std::vector<bool> reversed = {};      // by new axis or digit; empty: none
  Relabel relabel = Relabel::never;
  std::vector<std::uint64_t> roll = {};  // by new axis or digit, below its length; empty: none
};

struct GridMessage {
  std::uint64_t peer = 0;
  std::uint64_t elements = 0;
  std::uint64_t pieces = 0;  // boxes of elements that are neighbours on every axis on both sides
};

// Elements first, first + 1, .. of a message.
struct GridSlice {
  std::uint64_t peer = 0;
  std::uint64_t first = 0;
  std::uint64_t elements = 0;
  // Its first byte in the rank's array, where it lies there as one run in its order: it is sent
  // from there, or received there, without packing.
  std::optional<std::uint64_t> place = {};
};

struct GridMoveFacts {
  std::uint64_t ranks = 1;  // the greater of both numbers
  std::uint64_t bytes = 0;  // of the array, once
  // What all new ranks hold together: kept on their rank, or moved there.
  std::uint64_t kept_bytes = 0;
  std::uint64_t moved_bytes = 0;
  std::uint64_t most_received_bytes = 0;  // by one rank
  enum class Relabelled { no, exactly, by_axis, by_rank } relabelled = Relabelled::no;
  // No relabelling keeps more. What it keeps when exact, else the sum over ranks of the most that
  // each could.
  std::uint64_t kept_bytes_at_most = 0;
};

// "no", "exactly", "by axis", "by rank"
const char* name_of(GridMoveFacts::Relabelled how);

class GridMove {
 public:
  struct State;

  // Throws Error(usage) for shapes that do not agree and orders that are none, Error(limit) for
  // more than 2^63 bytes with all copies.
  GridMove(const GridPlacement& from, const GridPlacement& to, const GridMoveOptions& options = {});
  // Of an index in C order of from.shape() to one of to.shape(). options.order, .reversed and
  // .roll must be empty; options() says them of the digits. Throws Error(impossible) where no
  // digits are common to the map and to both placements, and for maps that add bits.
  GridMove(const GridPlacement& from, const GridPlacement& to, const Map& map,
           const GridMoveOptions& options = {});

  const GridPlacement& from() const;
  const GridPlacement& to() const;
  const GridMoveOptions& options() const;
  const GridMoveFacts& facts() const;
  // By rank: whose result it gets.
  const std::vector<std::uint64_t>& relabelling() const;

  // Of what goes as one, the old side's axes or digits; options() says where they go.
  std::vector<std::uint64_t> digit_lengths() const;

  // What a rank holds before and after; 0 for ranks that a side has not.
  std::uint64_t from_bytes(std::uint64_t rank) const;
  std::uint64_t to_bytes(std::uint64_t rank) const;
  std::vector<std::uint64_t> from_shape(std::uint64_t rank) const;
  std::vector<std::uint64_t> to_shape(std::uint64_t rank) const;

  // By rising peer; never to itself. Together they are each other's: what r sends to s is what s
  // receives from r.
  std::vector<GridMessage> sends(std::uint64_t rank) const;
  std::vector<GridMessage> receives(std::uint64_t rank) const;
  std::uint64_t kept_elements(std::uint64_t rank) const;
  // Elements between two ranks, one message; 0 where none goes.
  std::uint64_t elements_between(std::uint64_t sender, std::uint64_t receiver) const;

  // The messages of a rank cut into slices, in the order in which they are to be sent, or received:
  // every rank goes through the others in turn, so that the earliest slice of all that is not done
  // has both its sender and its receiver at it, however few a rank has under way. Both cut a
  // message alike. Slices that need a buffer on either side have `elements_max` at most; what is
  // one run of memory on both sides goes in slices of at most 2^30 bytes.
  std::vector<GridSlice> slices_sent(std::uint64_t rank, std::uint64_t elements_max) const;
  std::vector<GridSlice> slices_received(std::uint64_t rank, std::uint64_t elements_max) const;

  // Elements first, first + 1, .. of the message from `sender` to `receiver`, as many as fit
  // `buffer`, between the rank's array and the buffer. Throws Error(usage) for spans of other
  // sizes than from_bytes, to_bytes, and for ranges beyond the message.
  void pack(std::uint64_t sender, std::uint64_t receiver, std::uint64_t first,
            std::span<const std::byte> from, std::span<std::byte> buffer) const;
  void unpack(std::uint64_t sender, std::uint64_t receiver, std::uint64_t first,
              std::span<const std::byte> buffer, std::span<std::byte> to) const;
  // What stays on the rank.
  void keep(std::uint64_t rank, std::span<const std::byte> from, std::span<std::byte> to) const;

  std::string describe() const;

 private:
  std::shared_ptr<const State> state_;
};

// All ranks in one process: parts[r] of rank r before, and as it returns after. Through buffers of
// at most `buffer_bytes`. Returns the bytes that went between ranks.
std::uint64_t move_in_process(const GridMove& move,
                              const std::vector<std::vector<std::byte>>& parts,
                              std::vector<std::vector<std::byte>>& results,
                              std::uint64_t buffer_bytes = std::uint64_t{1} << 20U);

// A move between placements of any lengths, as users say it.
//
//   const GridMoveOptions how{.element_bytes = 8};
//   grid_move("dtensor:(3,) [Shard(0)] => dtensor:(3,) [Shard(1)]", {100, 50257}, how)
//   grid_move("dtensor:(3,) [Shard(0)] => (t i=4) c -> t c i => jax:mesh x=2, P(None, 'x')",
//             {24, 10}, how)
//
// FROM => TO, or FROM => MAP => TO where the new array has its axes, or digits of them, in another
// order or reversed; both sides are words of systems that place arrays on ranks
// (layouts/grid_words.hpp). The shape is the old array's.

// Throws what the words' readers do, and Error(impossible) as the GridMove of a Map does.
// options.order and .reversed must be empty.
GridMove grid_move(std::string_view words, const std::vector<std::uint64_t>& shape,
                   GridMoveOptions options);

// Whether every side of the words is a placement on ranks, so that grid_move reads them.
bool says_grid_move(std::string_view words);

}  // namespace faro::inline v1
