// Guest networks placed on a POPS network: in a step of the guest every node hands its datum to a
// neighbour, and the fewer of these pairs share two groups, the fewer slots that takes.
//
//   ring of 8 nodes on POPS(4, 2):   groups 0 1 1 0 0 1 1 0 ..: every pair of groups twice, 2 slots
//   in the order of the processors:  groups 0 0 0 0 1 1 1 1: three pairs inside group 0
//
// No placement takes fewer than ceil(d/g) slots a step: n = dg data move over g² couplers.
//   rings        that, for every d and g: an Euler circuit through the groups in which each group
//                has d ways out, to the groups after it in turn
//   de Bruijn    that, for d >= 2 or g >= 4: the bits of the group are every other bit of the node,
//                so that group bits move onto local bits
//   tori         searched: pairs of nodes exchange groups while fewer data wait for couplers
// [Gravenstreter, Melhem 1998 and Berthome, Ferreira 1996, as in Sahni 2000, section 1; the
// constructions are faro's]
#pragma once

#include <span>
#include <vector>

#include "faro/schedules/steps.hpp"

namespace faro::inline v1::pops {

// The processor of every node. Rings and tori require that the sides make up all processors, the
// de Bruijn network of 2^k nodes powers of two.
std::vector<Word> ring_placement(const Pops& machine);
std::vector<Word> torus_placement(const Pops& machine, std::span<const std::uint64_t> sides);
std::vector<Word> de_bruijn_placement(const Pops& machine);

// Where each node of a torus, row-major, hands its datum: one on along a side.
std::vector<Word> torus_step(std::span<const std::uint64_t> sides, std::size_t side);
// Node x to 2x plus its top bit, or plus the complement of it: a step's two edges of every node.
std::vector<Word> de_bruijn_step(std::uint64_t nodes, bool complement);

// What the step asks of the processors: their destinations.
std::vector<Word> placed(std::span<const Word> processor, std::span<const Word> step);

}  // namespace faro::inline v1::pops
