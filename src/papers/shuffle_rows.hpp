// Figures 5, 8 and 9: tables of what each pair of elements (a job) does, printed and ours, and the
// schedules they stand for.
//
//   row_text: "v5 v6 . 01'"    steps 1 and 2: the extra bit with dimensions 5 and 6 of the first
//                              chain; then a step without; then dimension 1 of the second chain
#pragma once

#include <span>
#include <string>
#include <vector>

#include "papers/printed/shuffle.hpp"

namespace faro::inline v1 {

// Chains of these lengths, chain j controlled by slot bit j, then cycles without complements.
Request shuffle_of(int slot_bits, const std::vector<int>& chains, const std::vector<int>& cycles,
                   Hypercube::Ports ports = Hypercube::Ports::all);

std::string row_text(const shuffle::JobRow& row);

// The rows of a printed table, written as row_text writes ours. Requires at most nine dimensions.
std::vector<shuffle::JobRow> rows_of(std::span<const char* const> printed);

// The counted steps of the rows as a schedule for K = twice the rows, every element replayed, or
// "refused: " and the rule that is broken. K needs to be no power of two: storage is the next one,
// and its last slots are empty.
std::string replayed(const std::vector<int>& chains, const std::vector<shuffle::JobRow>& rows);

// The lower bound for K = twice as many elements as rows.
std::string bound_of_rows(const std::vector<int>& chains, std::size_t rows);

}  // namespace faro::inline v1
