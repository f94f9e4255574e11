// Digits of tensor maps: their normal form and their refinements.
#pragma once

#include <set>

#include "faro/algebra/tensor_map.hpp"

namespace faro::inline v1::tensor {

// Products of digits from the right, each place between two digits and the top; without 1.
using Bounds = std::set<Word>;

// Of digits that together are at most 2^63; a top of 2^64 is left out.
Bounds bounds_of(const std::vector<Digit>& digits);

// Throws Error(usage) or Error(limit) unless both sides have the same digits, the lengths numbered
// in the order of the source, and `bits` the width that they say.
void check_digits(const TensorDigits& digits);

// Lengths of 1 left out, lengths of 2^k as bits.
TensorDigits with_bits(const TensorDigits& digits);

// See the header of TensorMap.
TensorDigits normal_form(const TensorDigits& digits);

// Splits lengths so that both sides have these bounds too. Nothing if that cannot be.
std::optional<TensorDigits> refined(const TensorDigits& digits, const Bounds& from,
                                    const Bounds& to);

// "4 x 6"; bits in a row as one power of two.
std::string shown(const std::vector<Digit>& digits);

}  // namespace faro::inline v1::tensor
