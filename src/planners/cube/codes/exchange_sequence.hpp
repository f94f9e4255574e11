// Code conversion as exchanges, dimension after dimension.
//
//   field of 4 bits, descending order: across 2 where a3 = 1, across 1 where a2 = 1, across 0 where
//   a1 = 1. The paper's loops are orders: descending; cyclically descending from any dimension m;
//   ascending, where the condition is the parity of all bits above. Backwards they convert binary
//   to Gray code.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "planners/cube/codes/code_fields.hpp"
#include "planners/entry.hpp"

namespace faro::inline v1 {

// The processors that exchange across `dimension` once the dimensions `done` of the field have been
// exchanged: those with an odd number of ones among bits dimension+1..x of their own number, x the
// lowest dimension done above, or the top of the field. The dimensions below the top may come in
// any order. [Johnsson, Ho 1991: Lemma 2 and Theorem 1; the upper end printed there, x-1, is one
// too low: with descending dimensions the range would be empty.]
Word exchange_mask(const CodeField& field, int dimension, Word done);

// Orders of the dimensions lo..top-1 of a field.
std::vector<int> descending_order(const CodeField& field);
std::vector<int> ascending_order(const CodeField& field);
// first, first-1, .., lo, top-1, .., first+1: the paper's second loop.
std::vector<int> cyclic_order(const CodeField& field, int first);

// Of all working fields of the request.
std::vector<int> descending_order(const Request& request);

struct Exchange {
  int dimension;
  Word mask;  // of a processor that takes part: an odd number of ones
  Rule of(Slot slot) const {
    return {.where = {{mask, 1}}, .from = slot, .across = dimension, .to = slot};
  }
};
std::vector<Exchange> exchanges_of(std::span<const CodeField> fields, std::span<const int> order);

// All elements across order[0], one a step, then all across order[1], and so on: elements times
// order.size() steps, in place, one dimension in use a step. `order` names every dimension below
// the top of every field once.
StepSource exchange_steps(std::span<const CodeField> fields, std::span<const int> order,
                          std::uint64_t elements);

// Descending order, for machines with one port.
extern const PlannerEntry exchange_sequence;

// Theorem 1: the same in any order, which names every dimension below the top of every field once.
class ExchangeInOrder : public Planner {
 public:
  explicit ExchangeInOrder(std::vector<int> order) : order_(std::move(order)) {}
  const About& about() const override;
  std::optional<std::string> refusal(const Request& request) const override;
  Offer offer(const Request& request) const override;

 private:
  std::vector<int> order_;
};

}  // namespace faro::inline v1
