// Rows: everything that a butterfly plan says about places is linear over GF(2). Bit j of the
// processor that holds index v is parity(v & row.mask) ^ row.value.
//
//   n 2, p 3, cyclic, binary||gray:   rows, bit 0 first: {0b011}, {0b010}; slot row {0b100}
//   index 0b101 starts at processor 0b01, slot 1
#pragma once

#include <span>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/planners/planner.hpp"

namespace faro::inline v1::butterfly {

using Output = ButterflyNetwork::Output;
using Finish = ButterflyNetwork::Finish;

// An affine form of the index or of an address.
using Form = Parity;
Form sum(const Form& a, const Form& b);
Form bit_form(int index_bit);
std::vector<Word> masks_of(std::span<const Form> rows);

// The field of index bits that start in the processors: base .. base+n-1.
int base_of(const ButterflyNetwork& request);
// The index bits that start in memory, lowest first.
std::vector<int> memory_index_bits(const ButterflyNetwork& request);
// Index bits, lowest first, as their stages come.
std::vector<int> in_stage_order(const ButterflyNetwork& request, std::vector<int> bits);
// The number of an index bit's stage, and the index bit of a stage.
int stage_of(const ButterflyNetwork& request, int index_bit);
// Whether all memory stages come before all processor stages. This, not the allocation, decides
// what a plan costs.
bool memory_first(const ButterflyNetwork& request);
bool most_significant_first(const ButterflyNetwork& request);
bool coded(const ButterflyNetwork& request);  // processors not in binary code
// The code of the whole index in cyclic allocation: the top processor row takes a memory bit.
bool whole_cyclic(const ButterflyNetwork& request);
// One control bit is enough: no stage needs two dimensions at once.
bool one_control(const ButterflyNetwork& request);

// Where element v starts (Table 1), bit 0 first.
std::vector<Form> start_rows(const ButterflyNetwork& request);
std::vector<Form> start_memory_rows(const ButterflyNetwork& request);

// d_0, d_1, ..: the processor dimensions in the order of their stages.
std::vector<int> stage_dimensions(const ButterflyNetwork& request);
// The form of index bit base+j in the output code, by bit; gray_through is the planner's matter and
// here the same as gray.
std::vector<Form> output_forms(const ButterflyNetwork& request);

// Unit forms that complete `rows` to a basis, highest index bit first: the slot rows of a plan that
// leaves `rows` in the processors. Bit 0 of the slot first.
std::vector<Form> completing_rows(std::span<const Form> rows, int index_bits);

// How a plan ends, and what it takes: rows bit 0 first, without constants.
struct Ending {
  std::vector<Form> processor;
  std::vector<Form> memory;
  bool in_place = false;
  std::uint64_t slots = 0;
};
ScheduleHeader header_of(const ButterflyNetwork& request, std::string_view planner,
                         const Ending& ending);

}  // namespace faro::inline v1::butterfly
