// The ring of services: code conversion without the n-3 steps that other plans of rate 3/5 pay.
//
// A field of n bits, m = n-3 low ones. An element walks a path of its three top bits and is served
// somewhere on it: crosses the low dimensions ascending, a step each, where it must. A service that
// begins in step t fills the diagonal step - dimension = t; at one position of the top bits
// there is room on it for two, one of each class (the parity of the top bits of the source).
// Services that begin in steps 0 .. T-m fill T-m+1 of T diagonals. The others are filled by
// pairs of parts:
//
//   m = 3, pivot 1:   stages 1, 2 in steps 0, 1, stage 0 in step T-1: one diagonal modulo T
//
//   first part, stages i >= s:  cross i where parity(v & bits i+1 .. m-1) ^ class = 1, as a service
//   second part, stages i < s:  cross i where parity(v & bits i+1 .. s) = 1
// v the present address. Proof of the second: bit s has its final value b_s, the bits below are the
// original ones, and the final bit i+1 is a_(i+1) ^ .. ^ a_(s-1) ^ b_s. It holds at any position
// and for either class, so two elements of one position cannot share a second part; all of them are
// performed at home, where there is one a source.
//
// Patterns say what the elements of a source do: time in Z zones, a bundle of as many elements as a
// zone has steps, each crossing a top dimension or being served once in a zone. P1 carries one
// bundle of every source in one zone, P2 three in two, P3 five in three; every link of the top
// three dimensions carries one bundle in every zone, every (position, class, zone) serves one.
// Zones may have any length, and zones of two neighbouring patterns may alternate:
//
//   K >= 5m           P3, zones of ceil(K/5)
//   3m <= K < 5m      P3 and P2, together m long
//   K < 3m            P2 and P1, together m long
//
// Surplus elements are left out in several ways, events are put at their first free step in
// order of zones, then moved late and early again by list scheduling; the best is kept. The same
// always.
//
//   cost: at most max(n-1, ceil((3K+1)/5), floor((K+n-1)/2)) + 2  (n <= 60, sampled K <= 1000)
#pragma once

#include "planners/cube/codes/three_fifths_program.hpp"

namespace faro::inline v1::three_fifths {

// Requires a length of 4 or more, 1 to 2^17 elements.
Program ring_program(int length, std::uint64_t elements);

}  // namespace faro::inline v1::three_fifths
