// Programs of the three-fifths kind as rules. A token (source, e) stands for element e of all
// processors whose field had the two top bits `source`; it always fills one node, the processors
// with two given top bits now. Inside a node elements are exchanged in place; hops 1 and 2 go to
// another node.
//
// A field of two bits has one node bit, its top, and one low dimension. Programs that route more
// top bits freely have more node bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "planners/cube/codes/code_fields.hpp"
#include "planners/cube/codes/three_fifths_program.hpp"
#include "planners/node_slots.hpp"

namespace faro::inline v1 {

class FieldTokens {
 public:
  // Nodes of `node_bits` top bits; the dimension below them is routed too.
  FieldTokens(const CodeField& field, int node_bits, std::uint64_t elements);

  // The rules of one step's entries, appended.
  void step(std::span<const three_fifths::Entry> entries, CubeStep& out);
  // Local rules that bring elements first..end-1 back to their slots.
  void settle(std::uint64_t first, std::uint64_t end, CubeStep& out);
  std::uint64_t slots() const { return slots_.slots(); }

 private:
  struct Token {
    std::uint8_t node = 0;
    unsigned low_flips = 0;  // parity of hops across the bit below the node's
    Slot slot = 0;
  };
  static std::vector<Token> at_home(int node_bits, std::uint64_t elements);
  Token& token(std::size_t source, std::uint64_t e) { return tokens_[source * elements_ + e]; }
  void serve(const three_fifths::Entry& entry, const Token& t, CubeStep& out) const;
  void rule(std::size_t node, std::vector<Parity> more, Slot from, int across, Slot to,
            CubeStep& out) const;

  CodeField field_;
  int node_bits_;  // the field's top ones
  int low_top_;    // the dimension below them
  std::uint64_t elements_;
  std::vector<Token> tokens_;
  NodeSlots slots_;
};

}  // namespace faro::inline v1
